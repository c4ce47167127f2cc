//! The signatures of `jsonwebtoken`, computed by `ring`, which TLS uses as well. Only public keys
//! and only verification: a token that is signed with a shared secret is never accepted.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use ring::signature::{self as ring_signature, RsaPublicKeyComponents, UnparsedPublicKey};
use signature::Verifier;

/// Algorithms that are accepted.
pub(crate) const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(Error::from(ErrorKind::InvalidAlgorithm)),
    verifier_factory: new_verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `jsonwebtoken` use this verifier, once per process.
pub(crate) fn install() {
    // Fails when it is installed already, which is as good.
    _ = PROVIDER.install_default();
}

fn new_verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if !ALGORITHMS.contains(algorithm) || key.family() != family_of(*algorithm) {
        return Err(Error::from(ErrorKind::InvalidAlgorithm));
    }
    Ok(Box::new(RingVerifier { algorithm: *algorithm, key: key.clone() }))
}

fn family_of(algorithm: Algorithm) -> AlgorithmFamily {
    match algorithm {
        Algorithm::ES256 | Algorithm::ES384 => AlgorithmFamily::Ec,
        Algorithm::EdDSA => AlgorithmFamily::Ed,
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => AlgorithmFamily::Hmac,
        _ => AlgorithmFamily::Rsa,
    }
}

/// Verifier of one algorithm under one key.
struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl RingVerifier {
    fn is_valid(&self, message: &[u8], signature: &[u8]) -> Option<()> {
        use ring_signature as ring;
        match (self.algorithm, self.key.kind()) {
            (algorithm, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let parameters = rsa_parameters(algorithm)?;
                let key = RsaPublicKeyComponents { n, e };
                key.verify(parameters, message, signature).ok()
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(key)) => {
                let key = UnparsedPublicKey::new(&ring::ECDSA_P256_SHA256_FIXED, key);
                key.verify(message, signature).ok()
            }
            (Algorithm::ES384, DecodingKeyKind::SecretOrDer(key)) => {
                let key = UnparsedPublicKey::new(&ring::ECDSA_P384_SHA384_FIXED, key);
                key.verify(message, signature).ok()
            }
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&ring::ED25519, key).verify(message, signature).ok()
            }
            _ => None,
        }
    }
}

fn rsa_parameters(algorithm: Algorithm) -> Option<&'static ring_signature::RsaParameters> {
    use ring_signature as ring;
    Some(match algorithm {
        Algorithm::RS256 => &ring::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &ring::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &ring::RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &ring::RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &ring::RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &ring::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        self.is_valid(message, signature).ok_or_else(signature::Error::new)
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

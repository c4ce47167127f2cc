//! The keys of the provider: real ones, with their public part as a JWK.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use serde_json::{Value, json};

/// An RSA key for tests only; `ring` generates none.
const RSA_KEY: &[u8] = include_bytes!("rsa_key.der");

/// A key that signs tokens.
pub(super) enum SigningKey {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl SigningKey {
    pub fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_pkcs8(RSA_KEY).unwrap())
    }

    pub fn ecdsa() -> Self {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self::Ecdsa(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).unwrap())
    }

    pub fn ed25519() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(key.as_ref()).unwrap())
    }

    /// Returns the name of its algorithm.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ecdsa(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    /// Returns the public key as a JWK without its id.
    pub fn public_jwk(&self) -> Value {
        match self {
            Self::Rsa(key) => {
                let public: PublicKeyComponents<Vec<u8>> = key.public().into();
                json!({ "kty": "RSA", "n": encode(&public.n), "e": encode(&public.e) })
            }
            Self::Ecdsa(key) => {
                let point = key.public_key().as_ref();
                let (x, y) = (encode(&point[1..33]), encode(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y })
            }
            Self::Ed25519(key) => {
                let x = encode(key.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "x": x })
            }
        }
    }

    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
            Self::Ecdsa(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed25519(key) => key.sign(message).as_ref().to_vec(),
        }
    }
}

/// Encodes bytes as JSON Web Tokens do.
pub(super) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

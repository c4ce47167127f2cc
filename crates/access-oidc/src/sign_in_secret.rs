//! The secret of one sign-in, which only the browser has. The PKCE verifier and the nonce are
//! derived from it, so that the storage that servers share holds nothing but hashes.

use crate::SignInError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::ContentHash;
use sha2::{Digest, Sha256};

/// Number of random bytes.
const SECRET_BYTES: usize = 32;

/// Secret of one sign-in.
pub(crate) struct SignInSecret(String);

impl SignInSecret {
    /// Generates a secret.
    pub fn generate() -> Result<Self, SignInError> {
        let mut bytes = [0_u8; SECRET_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| SignInError::NoRandomness)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Takes over a secret that a browser presents.
    pub fn presented(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the secret in plain text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash that is stored.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of_bytes(self.0.as_bytes())
    }

    /// Returns the PKCE verifier.
    pub fn verifier(&self) -> String {
        self.derive("verifier")
    }

    /// Returns the PKCE challenge.
    pub fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier().as_bytes()))
    }

    /// Returns the nonce that the ID token must repeat.
    pub fn nonce(&self) -> String {
        self.derive("nonce")
    }

    fn derive(&self, purpose: &str) -> String {
        let digest = Sha256::new()
            .chain_update(purpose.as_bytes())
            .chain_update([0])
            .chain_update(self.0.as_bytes())
            .finalize();
        URL_SAFE_NO_PAD.encode(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verifier_and_nonce_follow_from_the_secret_and_reveal_nothing_of_each_other() {
        let secret = SignInSecret::generate().unwrap();
        let same = SignInSecret::presented(secret.reveal());
        assert_eq!((secret.verifier(), secret.nonce()), (same.verifier(), same.nonce()));
        assert_ne!(secret.verifier(), secret.nonce());
        // The least length of a verifier by RFC 7636.
        assert!(secret.verifier().len() >= 43);
        assert_ne!(SignInSecret::generate().unwrap().nonce(), secret.nonce());
    }
}

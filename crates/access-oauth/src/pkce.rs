//! PKCE (RFC 7636), with SHA-256 only: proof that a code is exchanged by whoever requested it.

use crate::OAuthError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Length of a challenge, the SHA-256 hash of a verifier in base64.
const CHALLENGE_CHARS: usize = 43;
/// Length of a verifier according to the RFC.
const VERIFIER_CHARS: std::ops::RangeInclusive<usize> = 43..=128;

/// Challenge that a client sent with its authorization request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PkceChallenge(String);

impl PkceChallenge {
    /// Parses the two parameters of the request.
    pub fn parse(challenge: Option<&str>, method: Option<&str>) -> Result<Self, OAuthError> {
        let Some(challenge) = challenge else {
            return Err(invalid("code_challenge is missing: this server requires PKCE"));
        };
        if method != Some("S256") {
            return Err(invalid("code_challenge_method must be S256"));
        }
        if challenge.len() != CHALLENGE_CHARS || URL_SAFE_NO_PAD.decode(challenge).is_err() {
            return Err(invalid("code_challenge must be the base64url of a SHA-256 hash"));
        }
        Ok(Self(challenge.to_owned()))
    }

    /// Returns the challenge as the client sent it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if the challenge is the hash of this verifier.
    pub fn matches_verifier(&self, verifier: &str) -> bool {
        // Compared in constant time, so that the timing reveals nothing about the hash.
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        VERIFIER_CHARS.contains(&verifier.len()) && hash.as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

fn invalid(message: &str) -> OAuthError {
    OAuthError::InvalidRequest(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn only_the_verifier_of_the_rfc_matches_its_challenge() {
        let challenge = PkceChallenge::parse(Some(CHALLENGE), Some("S256")).unwrap();
        assert!(challenge.matches_verifier(VERIFIER));
        for wrong in ["", CHALLENGE, &VERIFIER[1..], &format!("{VERIFIER}a")] {
            assert!(!challenge.matches_verifier(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_request_without_a_hash_is_refused() {
        for (challenge, method) in [
            (None, Some("S256")),
            (Some(CHALLENGE), None),
            (Some(CHALLENGE), Some("plain")),
            (Some("short"), Some("S256")),
            (Some("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c!"), Some("S256")),
        ] {
            assert!(PkceChallenge::parse(challenge, method).is_err(), "{challenge:?} {method:?}");
        }
    }
}

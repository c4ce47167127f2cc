//! Generated secrets: codes, tokens and client ids. Each has a prefix that names its kind, so that
//! scanners recognise a leaked one.

use crate::OAuthError;
use model::ContentHash;
use std::fmt;

/// Number of random bytes in a secret.
const SECRET_BYTES: usize = 32;

/// A secret in plain text, to be sent to its recipient.
#[derive(Clone, PartialEq, Eq)]
pub struct OauthSecret(String);

impl OauthSecret {
    /// Generates a secret with this prefix.
    pub(crate) fn new(prefix: &str) -> Result<Self, OAuthError> {
        let mut random = [0_u8; SECRET_BYTES];
        getrandom::fill(&mut random).map_err(|error| OAuthError::ServerError(error.to_string()))?;
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(format!("{prefix}{digits}")))
    }

    /// Returns the secret in plain text.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash that is stored.
    pub(crate) fn hash(&self) -> ContentHash {
        hash(&self.0)
    }
}

/// Returns the stored hash of a presented secret.
pub(crate) fn hash(presented: &str) -> ContentHash {
    ContentHash::of_bytes(presented.as_bytes())
}

impl fmt::Debug for OauthSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

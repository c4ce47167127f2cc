//! Secrets that are made here: codes, tokens and client ids. Each says by its first letters what it
//! is, so that scanners know a leaked one.

use crate::OAuthError;
use model::ContentHash;
use std::fmt;

/// How much chance is in a secret, in bytes.
const SECRET_BYTES: usize = 32;

/// A secret in clear, on its way to whoever may have it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A new secret that begins with these letters.
    pub(crate) fn new(prefix: &str) -> Result<Self, OAuthError> {
        let mut chance = [0_u8; SECRET_BYTES];
        getrandom::fill(&mut chance).map_err(|error| OAuthError::ServerError(error.to_string()))?;
        let digits: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(format!("{prefix}{digits}")))
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> ContentHash {
        hash(&self.0)
    }
}

/// What is kept of a secret that somebody shows.
pub(crate) fn hash(shown: &str) -> ContentHash {
    ContentHash::of_bytes(shown.as_bytes())
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

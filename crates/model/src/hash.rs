//! Content hashes: how a text is known again without keeping it.
//! Case and white space do not count, so that a text is recognised however it was typed.

use sha2::{Digest, Sha256};
use std::fmt;

/// SHA-256 of a text with its case and white space folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut hasher = Sha256::new();
        for (position, word) in text.split_whitespace().enumerate() {
            if position > 0 {
                hasher.update(b" ");
            }
            hasher.update(word.to_lowercase());
        }
        Self(hasher.finalize().into())
    }

    /// The hash of bytes as they are, for arguments and documents.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_white_space_do_not_count() {
        assert_eq!(ContentHash::of("We use  Postgres\n"), ContentHash::of("we use postgres"));
        assert_ne!(ContentHash::of("we use postgres"), ContentHash::of("weuse postgres"));
    }
}

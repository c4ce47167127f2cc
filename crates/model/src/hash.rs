//! Content hashes, which recognise a text without storing it.
//! Letter case and white space are normalised, so that retyping a text does not change its hash.

use sha2::{Digest, Sha256};
use std::fmt;

/// SHA-256 of a text with its case and white space normalised, or of raw bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes a text with its case and white space normalised.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let mut hasher = Sha256::new();
        for (position, word) in text.split_whitespace().enumerate() {
            if position > 0 {
                hasher.update(b" ");
            }
            // Stored hashes depend on this normalisation; changing it would lose tombstones.
            hasher.update(word.to_lowercase());
        }
        Self(hasher.finalize().into())
    }

    /// Parses the printed form: 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut hash = [0; 32];
        let plain =
            text.len() == 2 * hash.len() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        plain.then_some(Self(hash))
    }

    /// Hashes bytes as they are, for arguments and documents.
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
    fn a_printed_hash_round_trips() {
        let hash = ContentHash::of_text("a");
        assert_eq!(ContentHash::parse(&hash.to_string()), Some(hash));
        for text in ["", "zz", &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(ContentHash::parse(text), None, "{text}");
        }
    }

    #[test]
    fn case_and_white_space_are_ignored() {
        assert_eq!(
            ContentHash::of_text("We use  Postgres\n"),
            ContentHash::of_text("we use postgres")
        );
        assert_ne!(ContentHash::of_text("we use postgres"), ContentHash::of_text("weuse postgres"));
    }
}

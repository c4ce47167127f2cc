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

    /// Reads a hash as it is printed: 64 hexadecimal digits.
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
    fn a_printed_hash_reads_back() {
        let hash = ContentHash::of("a");
        assert_eq!(ContentHash::parse(&hash.to_string()), Some(hash));
        for text in ["", "zz", &"g".repeat(64), &"ä".repeat(32)] {
            assert_eq!(ContentHash::parse(text), None, "{text}");
        }
    }

    #[test]
    fn case_and_white_space_do_not_count() {
        assert_eq!(ContentHash::of("We use  Postgres\n"), ContentHash::of("we use postgres"));
        assert_ne!(ContentHash::of("we use postgres"), ContentHash::of("weuse postgres"));
    }
}

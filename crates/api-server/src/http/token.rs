//! The owner's token, which gives full access to the owner's memory.

use model::ContentHash;
use std::fmt;
use subtle::ConstantTimeEq;

/// Secret that authenticates the owner. It is never printed.
#[derive(Clone)]
pub struct OwnerToken(String);

/// Error for a token that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadToken {
    #[error("the token is blank; without one everybody on this machine could read the memory")]
    Blank,
    #[error("the token contains spaces or characters that an HTTP header cannot carry")]
    Unsendable,
}

impl OwnerToken {
    /// Checks a token and takes it over.
    ///
    /// # Errors
    /// Fails when it is blank, or no client could send it.
    pub fn new(token: &str) -> Result<Self, BadToken> {
        // A token that was read from a file usually ends with a newline.
        let token = token.trim();
        if token.is_empty() {
            return Err(BadToken::Blank);
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadToken::Unsendable);
        }
        Ok(Self(token.to_owned()))
    }

    /// Returns a text that follows from the token and this purpose, and reveals neither the token
    /// nor what follows for another purpose.
    pub(super) fn derive_text(&self, purpose: &str) -> String {
        // The token has no spaces, so that no two pairs are joined to the same text.
        ContentHash::of_bytes(format!("{purpose} {}", self.0).as_bytes()).to_string()
    }

    /// Compares in constant time.
    pub(super) fn matches(&self, presented: &str) -> bool {
        bool::from(self.0.as_bytes().ct_eq(presented.as_bytes()))
    }
}

impl fmt::Debug for OwnerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_token_matches() {
        let token = OwnerToken::new("open-sesame").unwrap();
        assert!(token.matches("open-sesame"));
        for wrong in ["open-sesam", "open-sesamee", "Open-sesame", "", "open-sesame x"] {
            assert!(!token.matches(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_blank_or_unsendable_token_is_refused() {
        assert_eq!(OwnerToken::new(" \n").unwrap_err(), BadToken::Blank);
        assert_eq!(OwnerToken::new("two words").unwrap_err(), BadToken::Unsendable);
        assert_eq!(OwnerToken::new("schlüssel").unwrap_err(), BadToken::Unsendable);
    }

    #[test]
    fn a_token_is_never_printed() {
        assert!(!format!("{:?}", OwnerToken::new("open-sesame").unwrap()).contains("sesame"));
    }
}

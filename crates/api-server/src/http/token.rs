//! The owner's token: what a request must show to be let in.

use std::fmt;
use subtle::ConstantTimeEq;

/// A secret that stands for the owner. It is never printed.
#[derive(Clone)]
pub struct Token(String);

/// A token that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadToken {
    /// Nothing but space: it would let everybody in.
    #[error("the token is blank; without one everybody on this machine could read the memory")]
    Blank,
    /// Characters that no client can send.
    #[error("the token holds spaces or characters that no HTTP header can carry")]
    Unsendable,
}

impl Token {
    /// Takes a token as it was created.
    ///
    /// # Errors
    /// When it is blank, or no client could send it.
    pub fn new(token: &str) -> Result<Self, BadToken> {
        let token = token.trim();
        if token.is_empty() {
            return Err(BadToken::Blank);
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(BadToken::Unsendable);
        }
        Ok(Self(token.to_owned()))
    }

    /// Whether this is the token. Takes the same time for every wrong one of its length.
    pub(super) fn is(&self, shown: &str) -> bool {
        bool::from(self.0.as_bytes().ct_eq(shown.as_bytes()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::new("open-sesame").unwrap();
        assert!(token.is("open-sesame"));
        for wrong in ["open-sesam", "open-sesamee", "Open-sesame", "", "open-sesame x"] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_blank_or_unsendable_token_is_refused() {
        assert_eq!(Token::new(" \n").unwrap_err(), BadToken::Blank);
        assert_eq!(Token::new("two words").unwrap_err(), BadToken::Unsendable);
        assert_eq!(Token::new("schlüssel").unwrap_err(), BadToken::Unsendable);
    }

    #[test]
    fn a_token_is_never_printed() {
        assert!(!format!("{:?}", Token::new("open-sesame").unwrap()).contains("sesame"));
    }
}

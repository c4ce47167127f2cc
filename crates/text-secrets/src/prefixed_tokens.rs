//! Tokens that are recognised by their prefix. One pass over the text: a shape is tried only where
//! a word starts with three bytes that some prefix starts with.

pub(super) mod anchored;
mod chains;
mod shapes;
mod structured;

use crate::SecretMatch;
use crate::placeholders::is_placeholder;
use crate::randomness::character_classes;
use Alphabet::{
    Base64, Base64Words, Capitals, Dashes, Digits, Dollars, Dots, Hex, Letters, Paths, Percents,
    Urls, Words,
};
use chains::CHAINS;
pub(super) use shapes::SHAPES;
use shapes::{LENGTH_MAX, TWILIO};
use structured::STRUCTURES;

/// Adds every token of a known shape.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    for (bar, _) in text.match_indices('|') {
        anchored::token_around(text, bar, found);
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut inside = false;
    while let Some(byte) = bytes.get(at) {
        let starts = !inside && byte.is_ascii_alphanumeric();
        inside = byte.is_ascii_alphanumeric() || *byte == b'_';
        let shaped = starts.then(|| token_at(&bytes[at..])).flatten();
        let Some((rule, prefix, length)) = shaped else {
            at += 1;
            continue;
        };
        let tail = &text[at + prefix..at + length];
        if !is_placeholder(tail) {
            found.push(SecretMatch { rule, range: at..at + length });
        }
        at += length;
    }
}

/// Returns the rule, the length of the prefix and the length of the token at the beginning.
fn token_at(bytes: &[u8]) -> Option<(&'static str, usize, usize)> {
    let structured = |nth: usize| {
        let one = STRUCTURES.get(nth)?;
        Some((one.rule, one.prefix.len(), one.matches(bytes)?))
    };
    let simple = |nth: usize| SHAPES.get(nth.checked_sub(STRUCTURES.len())?)?.token(bytes);
    let found = CHAINS.candidates(bytes).find_map(|nth| structured(nth).or_else(|| simple(nth)));
    found.or_else(|| TWILIO.token(bytes))
}

/// Shape of the tokens of one issuer: a prefix, then a number of characters of an alphabet.
pub(super) struct TokenShape {
    pub(super) rule: &'static str,
    pub(super) prefix: &'static str,
    alphabet: Alphabet,
    pub(super) min: usize,
    pub(super) max: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Alphabet {
    Digits,
    Hex,
    Capitals,
    Letters,
    /// Letters, digits and `_`.
    Words,
    /// Letters, digits, `_` and `-`, as in URL-safe base64.
    Dashes,
    /// Letters, digits, `_`, `-`, `.` and `=`.
    Dots,
    /// Letters, digits, `_`, `-` and `/`.
    Paths,
    /// Letters, digits, `_` and `$`.
    Dollars,
    /// Letters, digits, `_`, `-` and `%`, as in URLs.
    Percents,
    /// The same and `/`, `@`, `.`, `=`.
    Urls,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
    /// The same and `_`.
    Base64Words,
}

impl Alphabet {
    fn contains(self, byte: u8) -> bool {
        match self {
            Digits => byte.is_ascii_digit(),
            Hex => byte.is_ascii_hexdigit(),
            Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Letters => byte.is_ascii_alphanumeric(),
            Words => byte.is_ascii_alphanumeric() || byte == b'_',
            Dashes => Words.contains(byte) || byte == b'-',
            Dots => Dashes.contains(byte) || matches!(byte, b'.' | b'='),
            Paths => Dashes.contains(byte) || byte == b'/',
            Dollars => Words.contains(byte) || byte == b'$',
            Percents => Dashes.contains(byte) || byte == b'%',
            Urls => Percents.contains(byte) || matches!(byte, b'/' | b'@' | b'.' | b'='),
            Base64 => Letters.contains(byte) || matches!(byte, b'+' | b'/' | b'='),
            Base64Words => Base64.contains(byte) || byte == b'_',
        }
    }
}

impl TokenShape {
    /// Returns true if the length is fixed, which is proof enough. Where it varies, a word of small
    /// letters may only resemble a token.
    fn is_exact(&self) -> bool {
        self.min == self.max
    }

    /// Returns the rule, the length of the prefix and the length of the token at the beginning.
    fn token(&self, bytes: &[u8]) -> Option<(&'static str, usize, usize)> {
        let length = self.matches(bytes)?;
        let tail = str::from_utf8(&bytes[self.prefix.len()..length]).ok()?;
        let random = self.is_exact() || character_classes(tail) >= 2;
        random.then_some((self.rule, self.prefix.len(), length))
    }

    /// Returns the characters that may follow the prefix.
    #[cfg(test)]
    pub(super) fn alphabet_bytes(&self) -> Vec<u8> {
        (0..=u8::MAX)
            .filter(|byte| self.alphabet.contains(*byte) && !byte.is_ascii_punctuation())
            .collect()
    }

    /// Returns the length of the token at the beginning of `bytes`.
    fn matches(&self, bytes: &[u8]) -> Option<usize> {
        let tail = bytes.strip_prefix(self.prefix.as_bytes())?;
        let run = |most: usize| {
            tail.iter().take(most).take_while(|byte| self.alphabet.contains(**byte)).count()
        };
        let length = run((self.max + 1).min(LENGTH_MAX));
        let fits = (self.min..=self.max).contains(&length);
        // A run of letters may be as long as the text; only the whole of a token that fits is read.
        let length = if fits && length == LENGTH_MAX { run(usize::MAX) } else { length };
        fits.then_some(self.prefix.len() + length)
    }
}

//! Tokens that are recognised by a fixed text inside them or at their end.

use super::Alphabet::{self, Base64, Dashes, Digits, Dots, Hex, Letters, Words};
use crate::SecretMatch;
use crate::placeholders::is_placeholder;

/// A fixed text with the runs of characters before and after it.
struct TokenAnchor {
    rule: &'static str,
    text: &'static str,
    /// Alphabet and length before the text; the character before that is of another alphabet.
    before: (Alphabet, usize, usize),
    after: (Alphabet, usize, usize),
}

const fn anchor(
    rule: &'static str,
    before: (Alphabet, usize, usize),
    text: &'static str,
    after: (Alphabet, usize, usize),
) -> TokenAnchor {
    TokenAnchor { rule, text, before, after }
}

#[rustfmt::skip]
const ANCHORS: &[TokenAnchor] = &[
    anchor("terraform-token", (Letters, 14, 14), ".atlasv1.", (Dots, 60, 70)),
    anchor("maxmind-key", (Words, 36, 36), "_mmk", (Letters, 0, 0)),
    anchor("mailchimp-key", (Hex, 32, 32), "-us", (Digits, 1, 2)),
    anchor("newrelic-key", (Letters, 32, 32), "FFFFNRAL", (Letters, 0, 0)),
    anchor("newrelic-key", (Letters, 42, 42), "-NRMA", (Letters, 0, 0)),
    anchor("azure-devops-token", (Letters, 76, 76), "AZDO", (Letters, 4, 4)),
    anchor("azure-registry-key", (Base64, 42, 42), "+ACR", (Letters, 6, 6)),
    anchor("facebook-token", (Digits, 15, 16), "|", (Dashes, 27, 40)),
];

/// Adds the token around an offset at which its fixed text begins.
pub(crate) fn token_around(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    found.extend(ANCHORS.iter().find_map(|anchor| anchor.matches(text, at)));
}

impl TokenAnchor {
    fn matches(&self, text: &str, at: usize) -> Option<SecretMatch> {
        let bytes = text.as_bytes();
        let rest = bytes[at..].strip_prefix(self.text.as_bytes())?;
        let (alphabet, min, max) = self.before;
        let in_before = |byte: &&u8| alphabet.contains(**byte);
        let head = bytes[..at].iter().rev().take(max + 1).take_while(in_before).count();
        let fits = (min..=max).contains(&head);
        let (alphabet, min, max) = self.after;
        let in_after = |byte: &&u8| alphabet.contains(**byte);
        let tail = rest.iter().take(max + 1).take_while(in_after).count();
        let fits = fits && (min..=max).contains(&tail);
        let range = at - head..at + self.text.len() + tail;
        (fits && !is_placeholder(&text[range.clone()]))
            .then_some(SecretMatch { rule: self.rule, range })
    }
}

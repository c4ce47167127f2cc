//! Words of prose prepared for the search for names, annotated with sentence starts, separating
//! punctuation and possessives.

use super::non_names::is_honorific;
use super::segments::ProseToken;

/// A word of prose, annotated from its punctuation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NameWord<'t> {
    /// Word without punctuation and possessive; empty for a barrier that no name can span.
    pub(super) text: &'t str,
    pub(super) start: usize,
    /// First word of a sentence, whose capital is no evidence.
    pub(super) opens_sentence: bool,
    /// First word of a list item or an emphasised phrase, where even a recurring capital is no
    /// evidence.
    pub(super) opens_list_item: bool,
    /// Last word of a label ("Next steps:").
    pub(super) ends_label: bool,
    /// Separated from the word before by punctuation.
    pub(super) separated: bool,
    pub(super) possessive: bool,
    ends_sentence: bool,
    ends_clause: bool,
}

impl NameWord<'_> {
    /// Placeholder for code, addresses and numbers, which no name can span.
    pub(super) fn barrier() -> Self {
        Self { separated: true, ends_clause: true, ..Self::default() }
    }

    pub(super) fn is_capital(&self) -> bool {
        let capital = self.text.starts_with(char::is_uppercase);
        capital
            && !self.is_acronym()
            && (self.text.chars().any(char::is_lowercase) || self.is_initial())
    }

    /// `IBM` and the plural `PRs`.
    pub(super) fn is_acronym(&self) -> bool {
        let bare = self.text.strip_suffix('s').unwrap_or(self.text);
        (2..=6).contains(&bare.len()) && bare.bytes().all(|byte| byte.is_ascii_uppercase())
    }

    pub(super) fn is_initial(&self) -> bool {
        self.text.len() == 1 && self.text != "I" && self.text != "A"
    }
}

/// Appends the words of a token that starts at `base + token.start`.
pub(super) fn push_words<'t>(
    token: ProseToken<'t>,
    base: usize,
    first: bool,
    words: &mut Vec<NameWord<'t>>,
) {
    let before = words.last().copied();
    let quoted = token.raw.starts_with(['"', '“', '‘', '«']);
    let emphasised = token.raw.starts_with(['*', '_']);
    let mut opens = first || quoted || emphasised || before.is_none_or(|word| word.ends_sentence);
    let listed = opens
        && (emphasised || before.is_some_and(|word| word.text.is_empty() && word.ends_sentence));
    let ends_label = token.raw.trim_end_matches(['*', '_']).ends_with(':');
    let bracketed = token.raw.starts_with(['(', '[']);
    let mut parted =
        first || quoted || emphasised || bracketed || before.is_some_and(|word| word.ends_clause);
    let (ends_sentence, ends_clause) = boundary_flags(token, opens);
    let mut start = base + token.start + token.raw.find(token.core).unwrap_or(0);
    for part in token.core.split('/') {
        let text = part.strip_suffix("'s").or_else(|| part.strip_suffix("’s")).unwrap_or(part);
        let possessive = text.len() < part.len();
        let text = if is_plain_word(text) { text } else { "" };
        words.push(NameWord {
            text,
            start,
            opens_sentence: opens,
            opens_list_item: listed,
            ends_label,
            separated: parted,
            possessive,
            ends_sentence,
            ends_clause,
        });
        start += part.len() + 1;
        opens = false;
        parted = true;
    }
}

/// Returns whether a token ends a sentence, and whether it ends a clause. After a list marker a new
/// sentence begins.
fn boundary_flags(token: ProseToken<'_>, opens: bool) -> (bool, bool) {
    let whole = token.raw.trim_end_matches(['"', '\'', ')', ']', '*', '”', '’']);
    let marker = opens && !token.core.chars().any(char::is_alphabetic);
    let initial = token.core.chars().count() == 1 && token.core.starts_with(char::is_uppercase);
    let abbreviated = whole.ends_with('.') && (initial || is_honorific(token.core));
    let ends_sentence = marker || (whole.ends_with(['.', '!', '?', ':', '…']) && !abbreviated);
    let ends_clause = !abbreviated && token.raw.ends_with(|c: char| !c.is_alphanumeric());
    (ends_sentence, ends_clause)
}

pub(super) fn is_plain_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '&' | '.'))
        && text.chars().next().is_some_and(char::is_alphabetic)
        && !text.contains("..")
}

//! Words of prose made ready for the search for names: what punctuation parts them, where sentences
//! open, which are possessive.

use super::openers::is_honorific;
use super::pieces::Chunk;

/// A word of prose with what its punctuation says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NameWord<'t> {
    /// Without punctuation and possessive; empty for something that no name reaches across.
    pub(super) text: &'t str,
    pub(super) start: usize,
    /// It starts a sentence, so its capital says nothing.
    pub(super) opens: bool,
    /// It starts a list item or an emphasised phrase, where even a recurring capital says nothing.
    pub(super) listed: bool,
    /// It ends a label ("Next steps:").
    pub(super) ends_label: bool,
    /// Punctuation parts it from the word before.
    pub(super) parted: bool,
    pub(super) possessive: bool,
    ends_sentence: bool,
    ends_clause: bool,
}

impl NameWord<'_> {
    /// Stands for code, addresses and numbers: no name reaches across.
    pub(super) fn barrier() -> Self {
        Self { parted: true, ends_clause: true, ..Self::default() }
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

/// Adds the words of a chunk that starts at `base + chunk.start`.
pub(super) fn push_words<'t>(
    chunk: Chunk<'t>,
    base: usize,
    first: bool,
    words: &mut Vec<NameWord<'t>>,
) {
    let before = words.last().copied();
    let quoted = chunk.whole.starts_with(['"', '“', '‘', '«']);
    let emphasised = chunk.whole.starts_with(['*', '_']);
    let mut opens = first || quoted || emphasised || before.is_none_or(|word| word.ends_sentence);
    let listed = opens
        && (emphasised || before.is_some_and(|word| word.text.is_empty() && word.ends_sentence));
    let ends_label = chunk.whole.trim_end_matches(['*', '_']).ends_with(':');
    let bracketed = chunk.whole.starts_with(['(', '[']);
    let mut parted =
        first || quoted || emphasised || bracketed || before.is_some_and(|word| word.ends_clause);
    let (ends_sentence, ends_clause) = ending(chunk, opens);
    let mut start = base + chunk.start + chunk.whole.find(chunk.core).unwrap_or(0);
    for part in chunk.core.split('/') {
        let text = part.strip_suffix("'s").or_else(|| part.strip_suffix("’s")).unwrap_or(part);
        let possessive = text.len() < part.len();
        let text = if is_plain(text) { text } else { "" };
        words.push(NameWord {
            text,
            start,
            opens,
            listed,
            ends_label,
            parted,
            possessive,
            ends_sentence,
            ends_clause,
        });
        start += part.len() + 1;
        opens = false;
        parted = true;
    }
}

/// Whether a chunk ends a sentence, and whether it ends a clause. A list marker leaves the sentence
/// to open.
fn ending(chunk: Chunk<'_>, opens: bool) -> (bool, bool) {
    let whole = chunk.whole.trim_end_matches(['"', '\'', ')', ']', '*', '”', '’']);
    let marker = opens && !chunk.core.chars().any(char::is_alphabetic);
    let initial = chunk.core.chars().count() == 1 && chunk.core.starts_with(char::is_uppercase);
    let abbreviated = whole.ends_with('.') && (initial || is_honorific(chunk.core));
    let ends_sentence = marker || (whole.ends_with(['.', '!', '?', ':', '…']) && !abbreviated);
    let ends_clause = !abbreviated && chunk.whole.ends_with(|c: char| !c.is_alphanumeric());
    (ends_sentence, ends_clause)
}

pub(super) fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '&' | '.'))
        && text.chars().next().is_some_and(char::is_alphabetic)
        && !text.contains("..")
}

//! Tokeniser of the bundled model. A text is decomposed, freed of accents and case, and cut into
//! words at spaces, punctuation and where a script without spaces begins or ends; each word is
//! greedily split into the longest vocabulary entries. Every text is valid input.

use unicode_normalization::UnicodeNormalization;

use super::char_class::{CharClass, classify, is_dropped};
use super::vocabulary::{PiecePosition, UNKNOWN, longest_piece};

/// Maximum number of characters in a word; a longer one is one unknown piece.
const MAX_WORD_CHARS: usize = 100;
/// Maximum number of characters of an entry in a script without spaces.
const MAX_RUN_CHARS: usize = 8;

/// Returns the ids of a text's pieces, in order; empty for a text without words.
pub(super) fn tokenize(text: &str) -> Vec<u32> {
    let mut words = PieceSplitter::default();
    if text.is_ascii() {
        let kept = text.chars().filter(|c| !is_dropped(*c));
        kept.for_each(|c| words.push(c.to_ascii_lowercase()));
    } else {
        let kept = text.nfkd().filter(|c| !is_dropped(*c));
        let lower = kept.flat_map(char::to_lowercase).filter(|c| *c != '\u{307}');
        let lower = lower.map(|c| if c == 'ς' { 'σ' } else { c });
        lower.nfc().for_each(|c| words.push(c));
    }
    words.end_word();
    words.ids
}

/// The current word, and the pieces of the previous ones.
#[derive(Default)]
struct PieceSplitter {
    word: String,
    chars: usize,
    /// True if the current word is in a script without spaces.
    unspaced: bool,
    ids: Vec<u32>,
}

impl PieceSplitter {
    fn push(&mut self, character: char) {
        let class = classify(character);
        let unspaced = class == CharClass::Unspaced;
        let continues = matches!(class, CharClass::Word | CharClass::Unspaced);
        if !continues || unspaced != self.unspaced {
            self.end_word();
            self.unspaced = unspaced;
        }
        if class != CharClass::Space {
            self.word.push(character);
            self.chars += 1;
        }
        if class == CharClass::Single {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if self.unspaced {
            self.split_run();
        } else if !self.split_word() {
            self.ids.push(UNKNOWN);
        }
        self.word.clear();
        self.chars = 0;
    }

    /// Appends the pieces of a word of a script with spaces. Returns false, and appends nothing, if
    /// it is too long or some part of it is not in the vocabulary.
    fn split_word(&mut self) -> bool {
        if self.chars > MAX_WORD_CHARS {
            return false;
        }
        let before = self.ids.len();
        let (mut rest, mut position) = (self.word.as_bytes(), PiecePosition::Initial);
        while !rest.is_empty() {
            let Some((id, length)) = longest_piece(rest, position) else {
                self.ids.truncate(before);
                return false;
            };
            self.ids.push(id);
            (rest, position) = (&rest[length..], PiecePosition::Continuation);
        }
        true
    }

    /// Appends the pieces of a run without spaces. Only a character that is not in the vocabulary
    /// is unknown, and not all of the run.
    fn split_run(&mut self) {
        let mut rest = self.word.as_str();
        while let Some(first) = rest.chars().next() {
            let end = rest.char_indices().nth(MAX_RUN_CHARS).map_or(rest.len(), |(end, _)| end);
            let found = longest_piece(&rest.as_bytes()[..end], PiecePosition::Initial);
            let (id, length) = found.unwrap_or((UNKNOWN, first.len_utf8()));
            self.ids.push(id);
            rest = &rest[length..];
        }
    }
}

#[cfg(test)]
mod tests;

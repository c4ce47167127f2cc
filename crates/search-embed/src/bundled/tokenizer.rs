//! WordPiece tokeniser of the bundled model, compatible with BERT uncased: words are split at
//! spaces and punctuation, accents and case are removed, and each word is greedily split into the
//! longest vocabulary entries. Every text is valid input.

use unicode_normalization::UnicodeNormalization;

use super::char_class::{CharClass, classify, is_mark, is_punctuation};
use super::vocabulary::{PiecePosition, UNKNOWN, longest_piece};

/// Maximum number of characters in a word; a longer one is one unknown piece, as in BERT.
const MAX_WORD_CHARS: usize = 100;

/// Returns the ids of a text's pieces, in order; empty for a text without words.
pub(super) fn tokenize(text: &str) -> Vec<u16> {
    let mut words = WordPieceSplitter::default();
    if text.is_ascii() {
        text.chars()
            .filter(|c| classify(*c) != CharClass::Dropped)
            .for_each(|c| words.push(c.to_ascii_lowercase()));
    } else {
        let spaced = text
            .chars()
            .filter(|c| classify(*c) != CharClass::Dropped)
            .flat_map(surround_ideograph);
        let stripped = spaced.nfd().filter(|c| !is_mark(*c));
        stripped.flat_map(char::to_lowercase).for_each(|c| words.push(c));
    }
    words.end_word();
    words.ids
}

/// Yields the character, with spaces around it if it is an ideograph.
fn surround_ideograph(character: char) -> impl Iterator<Item = char> {
    let chars = match classify(character) {
        CharClass::Ideograph => [Some(' '), Some(character), Some(' ')],
        CharClass::Space => [Some(' '), None, None],
        CharClass::Dropped | CharClass::Other => [Some(character), None, None],
    };
    chars.into_iter().flatten()
}

/// The current word, and the pieces of the previous ones.
#[derive(Default)]
struct WordPieceSplitter {
    word: String,
    chars: usize,
    ids: Vec<u16>,
}

impl WordPieceSplitter {
    fn push(&mut self, character: char) {
        if character.is_whitespace() {
            self.end_word();
        } else if is_punctuation(character) {
            self.end_word();
            self.word.push(character);
            self.end_word();
        } else {
            self.chars += 1;
            if self.chars <= MAX_WORD_CHARS {
                self.word.push(character);
            }
        }
    }

    fn end_word(&mut self) {
        let before = self.ids.len();
        if self.chars > MAX_WORD_CHARS || !self.split_word() {
            // One unknown piece replaces the whole word, even if its beginning was known.
            self.ids.truncate(before);
            self.ids.push(UNKNOWN);
        }
        self.word.clear();
        self.chars = 0;
    }

    /// Appends the pieces of the word. Returns false if some part of it is not in the vocabulary.
    fn split_word(&mut self) -> bool {
        let (mut rest, mut position) = (self.word.as_bytes(), PiecePosition::Initial);
        while !rest.is_empty() {
            let Some((id, length)) = longest_piece(rest, position) else { return false };
            self.ids.push(id);
            (rest, position) = (&rest[length..], PiecePosition::Continuation);
        }
        true
    }
}

#[cfg(test)]
mod tests;

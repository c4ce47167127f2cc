//! Cuts a text into the model's pieces: words split at spaces and punctuation, accents and capitals
//! taken off, each word greedily cut into the longest vocabulary entries (WordPiece). Any text is
//! fine, and it never fails.

use unicode_normalization::UnicodeNormalization;

use super::characters::{Class, class, is_mark, is_punctuation};
use super::vocabulary::{Place, UNKNOWN, longest_piece};

/// A word of more characters is one unknown piece.
const MAX_WORD_CHARS: usize = 100;

/// The ids of a text's pieces, in order; none for a text without words.
pub(super) fn tokenize(text: &str) -> Vec<u16> {
    let mut words = Words::default();
    if text.is_ascii() {
        text.chars()
            .filter(|c| class(*c) != Class::Dropped)
            .for_each(|c| words.push(c.to_ascii_lowercase()));
    } else {
        let spaced = text.chars().filter(|c| class(*c) != Class::Dropped).flat_map(spaced);
        let stripped = spaced.nfd().filter(|c| !is_mark(*c));
        stripped.flat_map(char::to_lowercase).for_each(|c| words.push(c));
    }
    words.end();
    words.ids
}

/// The character, an ideograph with spaces around it.
fn spaced(character: char) -> impl Iterator<Item = char> {
    let shown = match class(character) {
        Class::Ideograph => [Some(' '), Some(character), Some(' ')],
        Class::Space => [Some(' '), None, None],
        Class::Dropped | Class::Other => [Some(character), None, None],
    };
    shown.into_iter().flatten()
}

/// The word being read, and the pieces of those before it.
#[derive(Default)]
struct Words {
    word: String,
    chars: usize,
    ids: Vec<u16>,
}

impl Words {
    fn push(&mut self, character: char) {
        if character.is_whitespace() {
            self.end();
        } else if is_punctuation(character) {
            self.end();
            self.word.push(character);
            self.end();
        } else {
            self.chars += 1;
            if self.chars <= MAX_WORD_CHARS {
                self.word.push(character);
            }
        }
    }

    fn end(&mut self) {
        let whole = self.ids.len();
        if self.chars > MAX_WORD_CHARS || !self.cut() {
            self.ids.truncate(whole);
            self.ids.push(UNKNOWN);
        }
        self.word.clear();
        self.chars = 0;
    }

    /// Appends the word's pieces; false when some part of it is in no entry.
    fn cut(&mut self) -> bool {
        let (mut rest, mut place) = (self.word.as_bytes(), Place::Opening);
        while !rest.is_empty() {
            let Some((id, length)) = longest_piece(rest, place) else { return false };
            self.ids.push(id);
            (rest, place) = (&rest[length..], Place::Inside);
        }
        true
    }
}

#[cfg(test)]
mod tests;

//! Tokenizer: words, numbers and punctuation marks. `3rd` is the number 3 and an adjacent `rd`,
//! `Q3` a `q` and an adjacent 3.

use std::str::from_utf8;

/// Maximum length of a word in the date vocabulary; longer words are not stored.
const WORD_BYTES_MAX: usize = 12;

#[derive(Debug, Clone)]
pub(super) struct DateToken {
    kind: DateTokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// True if no white space separates the token from the one before, and that one is not an
    /// opening bracket or quote.
    pub(super) adjacent: bool,
}

#[derive(Debug, Clone)]
enum DateTokenKind {
    /// Lower-cased, stored inline to avoid an allocation per word; length 0 for words that cannot
    /// be part of a date.
    Word {
        letters: [u8; WORD_BYTES_MAX],
        length: u8,
        capital: bool,
    },
    Number {
        value: u32,
        digits: u8,
    },
    Mark(char),
}

impl DateToken {
    /// Returns the lower-cased word; empty when the token is no word of the date vocabulary.
    pub(super) fn word(&self) -> &str {
        match &self.kind {
            DateTokenKind::Word { letters, length, .. } => {
                from_utf8(&letters[..usize::from(*length)]).unwrap_or("")
            }
            _ => "",
        }
    }

    /// Replaces the word by one of the English vocabulary.
    pub(super) fn set_word(&mut self, word: &str) {
        let capital = self.is_capital();
        self.kind = word_kind(word, 'a');
        if let DateTokenKind::Word { capital: is_capital, .. } = &mut self.kind {
            *is_capital = capital;
        }
    }

    /// Exchanges the contents of two tokens, which keep their places in the text.
    pub(super) fn swap_kind(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.kind, &mut other.kind);
    }

    pub(super) fn is_capital(&self) -> bool {
        matches!(self.kind, DateTokenKind::Word { capital: true, .. })
    }

    pub(super) fn is_word(&self) -> bool {
        matches!(self.kind, DateTokenKind::Word { .. })
    }

    pub(super) fn number(&self) -> Option<u32> {
        match self.kind {
            DateTokenKind::Number { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Returns the number of digits as written; 0 for other tokens.
    pub(super) fn digits(&self) -> u8 {
        match self.kind {
            DateTokenKind::Number { digits, .. } => digits,
            _ => 0,
        }
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        matches!(self.kind, DateTokenKind::Mark(c) if c == mark)
    }

    fn is_opening(&self) -> bool {
        matches!(
            self.kind,
            DateTokenKind::Mark(
                '(' | '[' | '{' | '<' | '"' | '\'' | '`' | '*' | '_' | '=' | '“' | '‘' | '«'
            )
        )
    }
}

/// Splits `text` into tokens; white space is recorded only in their adjacency.
pub(super) fn tokenize(text: &str) -> Vec<DateToken> {
    let mut found: Vec<DateToken> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let length = run_length(&text[at..], first);
        if !first.is_whitespace() {
            let glued = found.last().is_some_and(|before| before.end == at && !before.is_opening());
            found.push(DateToken {
                kind: classify(&text[at..at + length], first),
                start: at,
                end: at + length,
                adjacent: glued,
            });
        }
        at += length;
    }
    found
}

fn run_length(rest: &str, first: char) -> usize {
    let same: fn(char) -> bool = if first.is_alphabetic() {
        char::is_alphabetic
    } else if first.is_ascii_digit() {
        |c| c.is_ascii_digit()
    } else if first.is_whitespace() {
        char::is_whitespace
    } else {
        return first.len_utf8();
    };
    rest.find(|c| !same(c)).unwrap_or(rest.len())
}

fn classify(run: &str, first: char) -> DateTokenKind {
    if first.is_alphabetic() {
        return word_kind(run, first);
    }
    match (run.parse(), u8::try_from(run.len())) {
        (Ok(value), Ok(digits)) => DateTokenKind::Number { value, digits },
        _ => DateTokenKind::Mark(first),
    }
}

fn word_kind(run: &str, first: char) -> DateTokenKind {
    let mut letters = [0; WORD_BYTES_MAX];
    let mut length = 0;
    if let Some(buffer) = letters.get_mut(..run.len()).filter(|_| run.is_ascii()) {
        buffer.copy_from_slice(run.as_bytes());
        buffer.make_ascii_lowercase();
        length = run.len() as u8;
    }
    DateTokenKind::Word { letters, length, capital: first.is_uppercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_marks_are_separate_tokens() {
        let all = tokenize("May 3rd, Q3 größe 99999999999");
        assert_eq!(
            all.iter().map(DateToken::word).collect::<Vec<_>>(),
            ["may", "", "rd", "", "q", "", "", ""]
        );
        assert_eq!(all[1].number(), Some(3));
        assert_eq!(
            all.iter().map(|t| t.adjacent).collect::<Vec<_>>(),
            [false, false, true, true, false, true, false, false]
        );
        assert_eq!(all[7].number(), None);
    }
}

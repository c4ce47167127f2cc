//! Contradiction detection between two short statements: another value for the same slot, a
//! negation of the same words, an antonym, a reversed preference. Conservative on purpose:
//! similarity alone never counts, and a statement about the past, the future or a possibility
//! contradicts nothing.

mod denial;
mod marks;
mod places;
mod slot;
mod statement;
mod value;

use std::fmt;

use crate::sentences::sentences;
use marks::{Marks, Reach};
use statement::Statement;

/// Maximum number of sentences compared; statements are short.
const SENTENCES_MAX: usize = 8;

/// Reason why two statements cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The same attribute of the same subject has two values.
    DifferentValue {
        /// Subject and attribute, as worded by the first statement.
        slot: String,
        left: String,
        right: String,
    },
    /// One statement negates the other.
    Denied {
        /// The sentence that is negated.
        said: String,
    },
    /// The statements differ in one word, which is replaced by its antonym.
    Opposite { left: String, right: String },
    /// The statements prefer the same two things in opposite order.
    Reversed {
        /// Preferred by the first statement.
        left: String,
        /// Preferred by the second statement.
        right: String,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DifferentValue { slot, left, right } => write!(f, "{slot}: {left} or {right}"),
            Self::Denied { said } => write!(f, "one denies \"{said}\""),
            Self::Opposite { left, right } => write!(f, "{left} is the opposite of {right}"),
            Self::Reversed { left, right } => write!(f, "one puts {left} first, the other {right}"),
        }
    }
}

/// Returns the reason why `a` and `b` cannot both hold, or `None` when there is none.
pub fn contradicts(a: &str, b: &str) -> Option<Reason> {
    Statements::of(b).contradicted_by(a)
}

/// Statements of a text, parsed once to be compared with many other texts.
pub struct Statements<'t>(Vec<(Statement<'t>, Reach)>);

impl<'t> Statements<'t> {
    /// Parses the statements of a text.
    pub fn of(text: &'t str) -> Self {
        let with_reach = |statement: Statement<'t>| {
            let reach = Reach::of(&statement);
            (statement, reach)
        };
        Self(first_sentences(text).filter_map(Statement::read).map(with_reach).collect())
    }

    /// Returns the reason why an earlier text and this one cannot both hold, if there is one.
    pub fn contradicted_by(&self, earlier: &str) -> Option<Reason> {
        if self.0.is_empty() {
            return None;
        }
        first_sentences(earlier).find_map(|sentence| self.contradicted_by_one(sentence))
    }

    fn contradicted_by_one(&self, sentence: &str) -> Option<Reason> {
        let marks = Marks::of(sentence);
        let mut candidates = self.0.iter().filter(|(_, reach)| reach.meets(marks)).peekable();
        candidates.peek()?;
        // Parsed only after the signatures have ruled out nearly every sentence.
        let earlier = Statement::read(sentence)?;
        candidates.find_map(|(statement, _)| compare(&earlier, statement))
    }
}

fn first_sentences(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).take(SENTENCES_MAX).map(|range| &text[range])
}

fn compare(a: &Statement<'_>, b: &Statement<'_>) -> Option<Reason> {
    // From the most to the least informative reason.
    slot::different_value(a, b)
        .or_else(|| denial::reversed(a, b))
        .or_else(|| denial::denied(a, b))
        .or_else(|| denial::opposite(a, b))
}

#[cfg(test)]
mod tests;

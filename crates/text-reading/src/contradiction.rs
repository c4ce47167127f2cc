//! Whether two short statements cannot both hold: the same slot with another value, a denial of the
//! same words, an opposite, a reversed preference. Conservative on purpose: likeness alone never
//! counts, and a statement about the past, the future or a possibility contradicts nothing.

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

/// Statements are short; what comes after this many sentences is not compared.
const SENTENCES_MAX: usize = 8;

/// Why two statements cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The same attribute of the same subject was given two values.
    DifferentValue {
        /// The attribute, as the first statement words it.
        slot: String,
        /// Its value in the first statement.
        left: String,
        /// Its value in the second.
        right: String,
    },
    /// One statement denies what the other says.
    Denied {
        /// The sentence that is denied.
        said: String,
    },
    /// The statements differ in one word, and that word is turned into its opposite.
    Opposite {
        /// The word in the first statement.
        left: String,
        /// The word in the second.
        right: String,
    },
    /// What one statement puts first the other puts last.
    Reversed {
        /// What the first statement puts first.
        left: String,
        /// What the second puts first.
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

/// Why `a` and `b` cannot both hold, or `None` when nothing says so.
pub fn contradicts(a: &str, b: &str) -> Option<Reason> {
    Statements::of(b).contradicted_by(a)
}

/// What a text states, read once to be held against many others.
pub struct Statements<'t>(Vec<(Statement<'t>, Reach)>);

impl<'t> Statements<'t> {
    /// What a text states.
    pub fn of(text: &'t str) -> Self {
        let with_reach = |statement: Statement<'t>| {
            let reach = Reach::of(&statement);
            (statement, reach)
        };
        Self(first_sentences(text).filter_map(Statement::read).map(with_reach).collect())
    }

    /// Why an earlier text and this one cannot both hold, or `None` when nothing says so.
    pub fn contradicted_by(&self, earlier: &str) -> Option<Reason> {
        if self.0.is_empty() {
            return None;
        }
        first_sentences(earlier).find_map(|sentence| self.contradicted_by_one(sentence))
    }

    fn contradicted_by_one(&self, sentence: &str) -> Option<Reason> {
        let marks = Marks::of(sentence);
        let mut met = self.0.iter().filter(|(_, reach)| reach.meets(marks)).peekable();
        met.peek()?;
        let earlier = Statement::read(sentence)?;
        met.find_map(|(statement, _)| compare(&earlier, statement))
    }
}

fn first_sentences(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).take(SENTENCES_MAX).map(|range| &text[range])
}

fn compare(a: &Statement<'_>, b: &Statement<'_>) -> Option<Reason> {
    slot::different_value(a, b)
        .or_else(|| denial::reversed(a, b))
        .or_else(|| denial::denied(a, b))
        .or_else(|| denial::opposite(a, b))
}

#[cfg(test)]
mod tests;

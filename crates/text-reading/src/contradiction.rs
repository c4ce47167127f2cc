//! Contradiction detection between two short statements: another value for the same slot, a
//! negation of the same words, an antonym, a reversed preference. Conservative on purpose:
//! similarity alone never counts, and a statement about the past, the future or a possibility
//! contradicts nothing.

mod disagreement;
mod regions;
mod slot;
mod statement;
mod stem_signature;
mod value;

use std::fmt;

use crate::sentences::sentences;
use statement::ParsedStatement;
use stem_signature::{StatementFilter, StemSignature};

/// Maximum number of sentences compared; statements are short.
const SENTENCES_MAX: usize = 8;

/// Reason why two statements cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradiction {
    /// The same attribute of the same subject has two values.
    DifferentValue {
        /// Subject and attribute, as worded by the first statement.
        slot: String,
        left: String,
        right: String,
    },
    /// One statement negates the other.
    Negated {
        /// The sentence that is negated.
        statement: String,
    },
    /// The statements differ in one word, which is replaced by its antonym.
    Antonym { left: String, right: String },
    /// The statements prefer the same two things in opposite order.
    ReversedPreference {
        /// Preferred by the first statement.
        left: String,
        /// Preferred by the second statement.
        right: String,
    },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DifferentValue { slot, left, right } => write!(f, "{slot}: {left} or {right}"),
            Self::Negated { statement: said } => write!(f, "one denies \"{said}\""),
            Self::Antonym { left, right } => write!(f, "{left} is the opposite of {right}"),
            Self::ReversedPreference { left, right } => {
                write!(f, "one puts {left} first, the other {right}")
            }
        }
    }
}

/// Returns the reason why `a` and `b` cannot both hold, or `None` when there is none.
pub fn find_contradiction(a: &str, b: &str) -> Option<Contradiction> {
    Statements::parse(b).contradicted_by(a)
}

/// Statements of a text, parsed once to be compared with many other texts.
pub struct Statements<'t>(Vec<(ParsedStatement<'t>, StatementFilter)>);

impl<'t> Statements<'t> {
    /// Parses the statements of a text.
    pub fn parse(text: &'t str) -> Self {
        let with_reach = |statement: ParsedStatement<'t>| {
            let reach = StatementFilter::for_statement(&statement);
            (statement, reach)
        };
        Self(first_sentences(text).filter_map(ParsedStatement::read).map(with_reach).collect())
    }

    /// Returns the reason why an earlier text and this one cannot both hold, if there is one.
    pub fn contradicted_by(&self, earlier: &str) -> Option<Contradiction> {
        if self.0.is_empty() {
            return None;
        }
        first_sentences(earlier).find_map(|sentence| self.contradicted_by_sentence(sentence))
    }

    fn contradicted_by_sentence(&self, sentence: &str) -> Option<Contradiction> {
        let marks = StemSignature::of_sentence(sentence);
        let mut candidates =
            self.0.iter().filter(|(_, reach)| reach.may_contradict(marks)).peekable();
        candidates.peek()?;
        // Parsed only after the signatures have ruled out nearly every sentence.
        let earlier = ParsedStatement::read(sentence)?;
        candidates.find_map(|(statement, _)| compare(&earlier, statement))
    }
}

fn first_sentences(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).take(SENTENCES_MAX).map(|range| &text[range])
}

fn compare(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<Contradiction> {
    // From the most to the least informative reason.
    slot::conflicting_values(a, b)
        .or_else(|| disagreement::reversed_preference(a, b))
        .or_else(|| disagreement::negated(a, b))
        .or_else(|| disagreement::antonym(a, b))
}

#[cfg(test)]
mod tests;

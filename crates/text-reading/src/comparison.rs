//! The comparison of two texts: the one place that decides whether they say the same, one adds
//! detail, changes a value, denies, reverses, tells of another occasion or means the same in other
//! words. Everything that calls two memories duplicates, rivals, corrections or the target of a
//! deletion asks here. Without a model and without a clock; a doubtful pair gets the cautious
//! answer, which hides and deletes nothing.

mod alignment;
mod attribute_families;
mod change_marks;
mod change_occasion;
mod change_probability;
mod change_verbs;
mod choices;
mod claim;
mod clauses;
mod clock_reader;
mod conflict;
mod decide;
mod denial;
mod describe;
mod displaced_value;
mod duplicates;
mod enumerations;
mod exchange;
mod exclusive;
mod foreign_past;
mod foreign_words;
mod frame;
mod frame_parts;
mod handover;
mod holder;
mod identity;
mod kind;
mod lexicon;
mod new_value;
mod occasion_notes;
mod other_event;
mod overlap;
mod people;
mod place_exchange;
mod regions;
mod request;
mod reworded_change;
mod same_words;
mod scope;
mod sentence_matches;
mod sketch;
mod slots;
mod statement;
mod substitution;
mod succession;
mod sure_change;
mod token_context;
mod tokens;
mod typed_values;
mod update_order;
mod value_nouns;
mod value_reader;
mod values;
mod verb_classes;
mod word_lists;

use crate::sentences::sentences;
use decide::StatementVerdict;
use statement::Statement;
use std::ops::Range;

pub use duplicates::{DuplicateFinder, TextOccasion};
pub use request::{without_forget_request, without_request};
use sentence_matches::SentenceMatches;
pub use sketch::LazyText;
use sketch::TopicBits;
pub use statement::StatementKind;
pub(crate) use word_lists::is_preposition;

/// Maximum number of sentences compared one by one; longer texts are compared for equality only.
const SENTENCES_MAX: usize = 12;
/// Maximum length of a sentence that is compared; texts with a longer one are compared for equality
/// only.
// Aligning the words of two sentences takes time with the product of their numbers.
const SENTENCE_BYTES_MAX: usize = 1_500;

/// Relation of a later text to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatementRelation {
    /// Only the wording differs: one can stand for the other.
    Same,
    /// One says all that the other says, and more.
    MoreDetailed,
    /// The same attribute of the same subject has another value.
    ChangedValue,
    /// One denies the other.
    Opposite,
    /// Roles, direction or order are swapped.
    Reversed,
    /// Another occasion of the same kind of event.
    OtherEvent,
    /// The same meaning in other words.
    Paraphrase,
    Unrelated,
}

impl StatementRelation {
    /// All relations.
    pub const ALL: [Self; 8] = [
        Self::Same,
        Self::MoreDetailed,
        Self::ChangedValue,
        Self::Opposite,
        Self::Reversed,
        Self::OtherEvent,
        Self::Paraphrase,
        Self::Unrelated,
    ];

    /// Returns the name used in answers and in the corpus.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::MoreDetailed => "more_detailed",
            Self::ChangedValue => "changed_value",
            Self::Opposite => "opposite",
            Self::Reversed => "reversed",
            Self::OtherEvent => "other_event",
            Self::Paraphrase => "paraphrase",
            Self::Unrelated => "unrelated",
        }
    }
}

/// Degree of certainty. Only what is sure may replace anything by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    Sure,
    Likely,
}

/// A stretch where two texts differ, as byte ranges; an empty range means that one text has nothing
/// there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextDifference {
    pub earlier: Range<usize>,
    pub later: Range<usize>,
}

/// Result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextComparison {
    pub relation: StatementRelation,
    pub certainty: Certainty,
    pub differences: Vec<TextDifference>,
    /// True if the later text says that something has changed: "now", "no longer", "moved to".
    pub tells_change: bool,
    /// True if the later text leaves out nothing that the earlier one says, except for what it
    /// replaces. Only then can it stand in the place of the earlier one.
    pub covers_earlier: bool,
}

/// Compares two texts.
#[must_use]
pub fn compare(earlier: &str, later: &str) -> TextComparison {
    ParsedText::new(later).compare_with_earlier(earlier)
}

/// Returns the kind of a text by its first statement: a state, an event, or neither.
#[must_use]
pub fn statement_kind(text: &str) -> StatementKind {
    ParsedText::new(text).kind()
}

/// A text prepared to be compared with many others.
#[derive(Debug)]
pub struct ParsedText<'t> {
    text: &'t str,
    statements: Vec<Statement>,
    /// True if the text has more sentences than are compared, or a longer one.
    long: bool,
    topic: TopicBits,
}

impl<'t> ParsedText<'t> {
    /// Prepares a text. Wrappers such as "please remember that" are left out.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let from = without_request(text);
        let offset = text.len() - from.len();
        let mut ranges = sentences(from);
        let mut long = false;
        let read = |range: Range<usize>| {
            long |= range.len() > SENTENCE_BYTES_MAX;
            let sentence = &from[range.clone()];
            let mut cut = sentence.len().min(SENTENCE_BYTES_MAX);
            while !sentence.is_char_boundary(cut) {
                cut -= 1;
            }
            Statement::read(&sentence[..cut], offset + range.start)
        };
        let statements: Vec<Statement> = ranges.by_ref().take(SENTENCES_MAX).map(read).collect();
        let topic = topic_bits(&statements);
        Self { text, statements, long: long || ranges.next().is_some(), topic }
    }

    /// Returns false if two texts share too few content words to be about the same.
    #[must_use]
    pub fn shares_topic(&self, other: &Self) -> bool {
        let shorter = self.topic.count().min(other.topic.count());
        self.topic.shared(&other.topic) * 2 >= shorter
    }

    /// Returns the kind of its first statement.
    #[must_use]
    pub fn kind(&self) -> StatementKind {
        self.statements.first().map_or(StatementKind::Other, |first| first.kind)
    }

    /// Returns true if the text itself says that something has changed: "now", "no longer",
    /// "moved to".
    #[must_use]
    pub fn tells_change(&self) -> bool {
        let told = |one: &Statement| one.changed || one.contrast || one.ends_something();
        self.statements.iter().any(told)
    }

    /// Returns true if the text tells of something that the same words may tell again on another
    /// day, such as a run or a meal.
    #[must_use]
    pub fn may_happen_again(&self) -> bool {
        self.statements.first().is_some_and(kind::may_happen_again)
    }

    /// Compares an earlier text with this one.
    #[must_use]
    pub fn compare_with_earlier(&self, earlier: &str) -> TextComparison {
        self.compare_with(&ParsedText::new(earlier))
    }

    /// Compares an earlier text, prepared as well, with this one.
    #[must_use]
    pub fn compare_with(&self, earlier: &ParsedText<'_>) -> TextComparison {
        if is_same_wording(earlier.text, self.text) {
            return TextComparison::new(StatementRelation::Same, Certainty::Sure);
        }
        if earlier.long || self.long || earlier.statements.is_empty() || self.statements.is_empty()
        {
            return TextComparison::unrelated();
        }
        match (&earlier.statements[..], &self.statements[..]) {
            ([one], [other]) => TextComparison::from(clauses::decide_clauses(one, other)),
            (one, other) => SentenceMatches::find(one, other).comparison(),
        }
    }
}

impl TextComparison {
    /// Returns the comparison of texts that have nothing to do with each other.
    #[must_use]
    pub fn unrelated() -> Self {
        Self::new(StatementRelation::Unrelated, Certainty::Likely)
    }

    fn new(relation: StatementRelation, certainty: Certainty) -> Self {
        let (differences, tells_change, covers_earlier) = (Vec::new(), false, true);
        Self { relation, certainty, differences, tells_change, covers_earlier }
    }

    /// Returns true if only the wording differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.relation == StatementRelation::Same
    }
}

impl From<StatementVerdict> for TextComparison {
    fn from(verdict: StatementVerdict) -> Self {
        let difference = |(earlier, later)| TextDifference { earlier, later };
        Self {
            relation: verdict.relation,
            certainty: verdict.certainty,
            differences: verdict.differences.into_iter().map(difference).collect(),
            tells_change: verdict.tells_change,
            covers_earlier: verdict.covers_earlier,
        }
    }
}

fn topic_bits(statements: &[Statement]) -> TopicBits {
    let tokens = statements.iter().flat_map(|statement| &statement.tokens);
    let topical = tokens.filter(|token| decide::is_topic(token));
    topical.map(|token| lexicon::synonym_key(&token.key)).collect()
}

/// Returns true if two texts have the same words, apart from case and white space.
fn is_same_wording(one: &str, other: &str) -> bool {
    folded_letters(one).eq(folded_letters(other))
}

/// Iterates over the letters of a text in lower case, with one space behind each word.
fn folded_letters(text: &str) -> impl Iterator<Item = char> {
    let words = text.split_whitespace();
    words.flat_map(|word| word.chars().flat_map(char::to_lowercase).chain([' ']))
}

#[cfg(test)]
mod tests;

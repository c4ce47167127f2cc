//! The parts of the ranking by name, so that each can be taken out to see what it is worth.

use crate::Weights;
use index::Field;
use std::fmt;
use std::str::FromStr;

/// A part of the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Words in common.
    Words,
    /// Speaker and date among the words.
    ContextWords,
    /// Words side by side.
    Pairs,
    /// Words that say nearly the same.
    NearWords,
    /// Likeness in meaning.
    Meaning,
    /// A closer look at the best passage.
    Passages,
    /// Leaving the speakers' names out of the question's meaning.
    Names,
    /// The lines around a memory in its session.
    Neighbours,
    /// The best memory of the session.
    Session,
    /// What follows a question.
    Answers,
    /// The line that opens a session.
    Opening,
    /// Linked memories.
    Links,
    /// Memories that speak of the same things and persons.
    Entities,
    /// Times that the question names, by themselves and by what happened then.
    Time,
    /// Preferring the owner's own words to an assistant's.
    OwnWords,
    /// Preferring what tells to what asks.
    Asking,
    /// Standing wishes when something new is asked for.
    Wishes,
    /// Answers that say what those above do not.
    Variety,
    /// The caller's project.
    Project,
    /// Newness.
    Recency,
    /// The floor under which the answer is "nothing".
    Floor,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 21] = [
        Self::Words,
        Self::ContextWords,
        Self::Pairs,
        Self::NearWords,
        Self::Meaning,
        Self::Passages,
        Self::Names,
        Self::Neighbours,
        Self::Session,
        Self::Answers,
        Self::Opening,
        Self::Links,
        Self::Entities,
        Self::Time,
        Self::OwnWords,
        Self::Asking,
        Self::Wishes,
        Self::Variety,
        Self::Project,
        Self::Recency,
        Self::Floor,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::ContextWords => "context-words",
            Self::Pairs => "pairs",
            Self::NearWords => "near-words",
            Self::Meaning => "meaning",
            Self::Passages => "passages",
            Self::Names => "names",
            Self::Neighbours => "neighbours",
            Self::Session => "session",
            Self::Answers => "answers",
            Self::Opening => "opening",
            Self::Links => "links",
            Self::Entities => "entities",
            Self::Time => "time",
            Self::OwnWords => "own-words",
            Self::Asking => "asking",
            Self::Wishes => "wishes",
            Self::Variety => "variety",
            Self::Project => "project",
            Self::Recency => "recency",
            Self::Floor => "floor",
        }
    }
}

impl Weights {
    /// The same ranking without one of its parts.
    #[must_use]
    pub fn without(mut self, part: Part) -> Self {
        match part {
            Part::Words => self.words = 0.0,
            Part::ContextWords => self.bm25.field_weights[Field::Context as usize] = 0.0,
            Part::Pairs => self.pairs = 0.0,
            Part::NearWords => self.near_words = 0.0,
            Part::Meaning => self.meaning = 0.0,
            Part::Passages => self.passage = 0.0,
            Part::Names => self.leave_names_out = false,
            Part::Neighbours => (self.neighbour, self.further) = (0.0, 0.0),
            Part::Session => self.session = 0.0,
            Part::Answers => self.answers = 0.0,
            Part::Opening => self.opening = 0.0,
            Part::Links => self.linked = 0.0,
            Part::Entities => self.related = 0.0,
            Part::Time => (self.time, self.event) = (0.0, 0.0),
            Part::OwnWords => self.own_words = 0.0,
            Part::Asking => self.asking = 0.0,
            Part::Wishes => self.wishes = 0.0,
            Part::Variety => self.variety = 0.0,
            Part::Project => self.project = 0.0,
            Part::Recency => self.recency = 0.0,
            Part::Floor => self.floor = 0.0,
        }
        self
    }
}

/// A name that no part has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchPart;

impl fmt::Display for NoSuchPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the parts are {}", Part::ALL.map(Part::name).join(", "))
    }
}

impl std::error::Error for NoSuchPart {}

impl FromStr for Part {
    type Err = NoSuchPart;

    fn from_str(name: &str) -> Result<Self, NoSuchPart> {
        Self::ALL.into_iter().find(|part| part.name() == name).ok_or(NoSuchPart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found_by_its_name_and_its_absence_changes_the_ranking() {
        for part in Part::ALL {
            assert_eq!(part.name().parse(), Ok(part));
            assert_ne!(Weights::default().without(part), Weights::default(), "{}", part.name());
        }
        assert_eq!("luck".parse::<Part>(), Err(NoSuchPart));
    }
}

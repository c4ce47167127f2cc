//! The parts of the ranking by name, so that each can be switched off to measure its contribution.

use crate::RankingWeights;
use index::IndexField;
use std::fmt;
use std::str::FromStr;

/// A part of the ranking that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankingPart {
    /// BM25 over the words.
    Words,
    /// Speaker and date in the BM25 score.
    ContextWords,
    /// Bigrams in common.
    Pairs,
    /// Query expansion with near words.
    NearWords,
    /// Vector similarity.
    Meaning,
    /// Similarity of the best passage.
    Passages,
    /// Removal of the speakers' names from the query vector.
    Names,
    /// Correction of the query by the words of the memories.
    Spelling,
    /// Neighbouring lines in the session.
    Neighbours,
    /// Best memory of the same session.
    Session,
    /// Lines that follow a question.
    Answers,
    /// First line of a session.
    Opening,
    Links,
    /// Memories about the same entities.
    Entities,
    /// Times that the query names, as dates or by events.
    Time,
    /// Preference for the owner's own words over an assistant's.
    OwnWords,
    /// Penalty for text that consists of questions.
    Asking,
    /// Permanent preferences of the owner, when the query asks for something new.
    Wishes,
    /// Diversification of the first results.
    Variety,
    /// Preference for the caller's project.
    Project,
    /// Preference for recent memories.
    Recency,
    /// Minimum score below which nothing is returned.
    Floor,
}

impl RankingPart {
    pub const ALL: [Self; 22] = [
        Self::Words,
        Self::ContextWords,
        Self::Pairs,
        Self::NearWords,
        Self::Meaning,
        Self::Passages,
        Self::Names,
        Self::Spelling,
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

    /// Returns the name used on the command line.
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
            Self::Spelling => "spelling",
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

impl RankingWeights {
    /// Returns the same weights with one part switched off.
    #[must_use]
    pub fn without(mut self, part: RankingPart) -> Self {
        match part {
            RankingPart::Words => self.words = 0.0,
            RankingPart::ContextWords => {
                self.bm25.field_weights[IndexField::Context as usize] = 0.0
            }
            RankingPart::Pairs => self.bigrams = 0.0,
            RankingPart::NearWords => self.near_words = 0.0,
            RankingPart::Meaning => self.meaning = 0.0,
            RankingPart::Passages => self.passage = 0.0,
            RankingPart::Names => self.ignore_speaker_names = false,
            RankingPart::Spelling => self.correct_spelling = false,
            RankingPart::Neighbours => (self.neighbour, self.second_neighbour) = (0.0, 0.0),
            RankingPart::Session => self.session = 0.0,
            RankingPart::Answers => self.answers = 0.0,
            RankingPart::Opening => self.opening = 0.0,
            RankingPart::Links => self.linked = 0.0,
            RankingPart::Entities => self.related = 0.0,
            RankingPart::Time => (self.time, self.event) = (0.0, 0.0),
            RankingPart::OwnWords => self.own_words = 0.0,
            RankingPart::Asking => self.asking = 0.0,
            RankingPart::Wishes => self.wishes = 0.0,
            RankingPart::Variety => self.diversity = 0.0,
            RankingPart::Project => self.project = 0.0,
            RankingPart::Recency => self.recency = 0.0,
            RankingPart::Floor => self.floor = 0.0,
        }
        self
    }
}

/// Error for a name that no part has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart;

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown part; use one of {}", RankingPart::ALL.map(RankingPart::name).join(", "))
    }
}

impl std::error::Error for UnknownPart {}

impl FromStr for RankingPart {
    type Err = UnknownPart;

    fn from_str(name: &str) -> Result<Self, UnknownPart> {
        Self::ALL.into_iter().find(|part| part.name() == name).ok_or(UnknownPart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found_by_its_name_and_its_absence_changes_the_ranking() {
        for part in RankingPart::ALL {
            assert_eq!(part.name().parse(), Ok(part));
            assert_ne!(
                RankingWeights::default().without(part),
                RankingWeights::default(),
                "{}",
                part.name()
            );
        }
        assert_eq!("luck".parse::<RankingPart>(), Err(UnknownPart));
    }
}

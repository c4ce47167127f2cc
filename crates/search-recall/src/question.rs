//! A question in the forms the ranking needs: words, meaning, times and place.

use crate::events::Event;
use crate::near_words::near_terms;
use crate::wording::Wording;
use index::{NearTerms, QueryTerms};
use model::Moment;
use std::collections::{BTreeSet, HashSet};

/// A question to rank for.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its words.
    pub terms: QueryTerms,
    /// The words that say nearly the same as one of them.
    pub near: Vec<NearTerms>,
    /// Its meaning; without one, words alone decide.
    pub vector: Option<Vec<f32>>,
    /// How the cosines to that vector are read.
    pub likeness: Likeness,
    /// The times it names, each from and until.
    pub times: Vec<(Moment, Moment)>,
    /// What happened at the times that it tells by events.
    pub events: Vec<Event>,
    /// The project it is asked in.
    pub project: Option<String>,
    /// Whether it asks for what an assistant said.
    pub asks_for_replies: bool,
    /// Whether it asks for something new, so that standing wishes matter.
    pub asks_for_something_new: bool,
    /// When it is asked.
    pub now: Moment,
}

impl Question {
    /// A question of words alone.
    #[must_use]
    pub fn of(text: &str, now: Moment) -> Self {
        let wording = Wording::of(text);
        Self {
            terms: QueryTerms::of(text),
            near: near_terms(text),
            vector: None,
            likeness: Likeness::default(),
            times: Vec::new(),
            events: Vec::new(),
            project: None,
            asks_for_replies: wording.asks_for_replies(),
            asks_for_something_new: wording.asks_for_something_new(),
            now,
        }
    }

    /// Whether there is nothing to search by: then the newest come first.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.terms.is_empty()
    }
}

/// How a cosine is read: a line onto the scale of the model that the weights were measured with,
/// since what one embedder gives to two texts that say the same, another gives to any two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// What a cosine is multiplied by.
    pub slope: f32,
    /// What is added then.
    pub shift: f32,
}

impl Default for Likeness {
    /// As it is.
    fn default() -> Self {
        Self { slope: 1.0, shift: 0.0 }
    }
}

impl Likeness {
    /// The likeness that a cosine tells of, from 0 to 1.
    #[must_use]
    pub fn of(&self, cosine: f32) -> f32 {
        (self.slope * cosine + self.shift).clamp(0.0, 1.0)
    }
}

/// A question without the names of those who speak in every memory: to a vector such a name says
/// "all of them", and hides what is asked. Words still find the names. A question of names alone
/// stays as it is.
#[must_use]
pub fn without_names(question: &str, speakers: &BTreeSet<&str>) -> String {
    let names: HashSet<String> =
        speakers.iter().flat_map(|name| name.split_whitespace()).map(str::to_lowercase).collect();
    let is_name = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let bare = bare.strip_suffix("'s").or(bare.strip_suffix("’s")).unwrap_or(&bare);
        names.contains(bare)
    };
    let kept: Vec<&str> = question.split_whitespace().filter(|word| !is_name(word)).collect();
    if kept.is_empty() { question.to_owned() } else { kept.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_every_memory_shares_are_left_to_the_words() {
        let speakers = BTreeSet::from(["Caroline", "Melanie Smith"]);
        assert_eq!(
            without_names("When did Melanie's sister meet Caroline?", &speakers),
            "When did sister meet"
        );
        assert_eq!(without_names("Caroline?", &speakers), "Caroline?");
        assert_eq!(without_names("the smithy", &speakers), "the smithy");
    }

    #[test]
    fn a_cosine_is_read_on_its_line_and_never_leaves_its_bounds() {
        let narrow = Likeness { slope: 2.0, shift: -1.0 };
        for (cosine, likeness) in [(0.75, 0.5), (0.4, 0.0), (1.0, 1.0), (1.2, 1.0)] {
            assert!((narrow.of(cosine) - likeness).abs() < 1e-6, "{cosine}");
        }
        assert_eq!(Likeness::default().of(0.3), 0.3);
    }
}

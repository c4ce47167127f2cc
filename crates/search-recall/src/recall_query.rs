//! A query in the forms that the ranking needs: terms, vector, times and circumstances.

use crate::events::QueryEvent;
use crate::near_words::expand_terms;
use crate::query_wording::QueryWording;
use index::{QueryTerms, TermExpansion};
use model::Moment;
use std::collections::{BTreeSet, HashSet};

/// A query for the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    pub terms: QueryTerms,
    /// Near words of the query's words.
    pub expansions: Vec<TermExpansion>,
    /// Query vector; without one, words alone decide.
    pub vector: Option<Vec<f32>>,
    /// Mapping of the cosines to that vector.
    pub cosine_scale: CosineScale,
    /// Time ranges that the query names, end exclusive.
    pub times: Vec<(Moment, Moment)>,
    /// Events by which the query names further times.
    pub events: Vec<QueryEvent>,
    /// Project of the caller.
    pub project: Option<String>,
    /// True if the query asks for something that an assistant said.
    pub asks_for_replies: bool,
    /// True if the query asks for something new, so that permanent preferences matter.
    pub asks_for_something_new: bool,
    pub now: Moment,
}

impl RecallQuery {
    /// Creates a query from its words alone.
    #[must_use]
    pub fn from_text(text: &str, now: Moment) -> Self {
        let wording = QueryWording::parse(text);
        Self {
            terms: QueryTerms::parse(text),
            expansions: expand_terms(text),
            vector: None,
            cosine_scale: CosineScale::default(),
            times: Vec::new(),
            events: Vec::new(),
            project: None,
            asks_for_replies: wording.asks_for_replies(),
            asks_for_something_new: wording.asks_for_something_new(),
            now,
        }
    }

    /// Returns true if there is nothing to search for. The ranking then lists the newest memories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.terms.is_empty()
    }
}

/// Linear mapping of cosines onto the scale of the bundled model, with which the weights were
/// measured. Models differ widely: some give any two texts the cosine that others give to
/// paraphrases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CosineScale {
    pub slope: f32,
    /// Added after the multiplication.
    pub shift: f32,
}

impl Default for CosineScale {
    /// The identity.
    fn default() -> Self {
        Self { slope: 1.0, shift: 0.0 }
    }
}

impl CosineScale {
    /// Maps a cosine to a similarity from 0 to 1.
    #[must_use]
    pub fn apply(&self, cosine: f32) -> f32 {
        (self.slope * cosine + self.shift).clamp(0.0, 1.0)
    }
}

/// Removes the names of the speakers from a question before it is embedded. Every memory of a
/// conversation carries those names, so in a vector they only hide the subject; the lexical search
/// still finds them. A question that consists of names alone stays as it is.
#[must_use]
pub fn without_speaker_names(question: &str, speakers: &BTreeSet<&str>) -> String {
    let names: HashSet<String> =
        speakers.iter().flat_map(|name| name.split_whitespace()).map(str::to_lowercase).collect();
    let is_name = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let bare = bare.strip_suffix("'s").or(bare.strip_suffix("’s")).unwrap_or(&bare);
        names.contains(bare)
    };
    let words: Vec<&str> = question.split_whitespace().filter(|word| !is_name(word)).collect();
    if words.is_empty() { question.to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaker_names_are_removed_unless_nothing_else_is_left() {
        let speakers = BTreeSet::from(["Caroline", "Melanie Smith"]);
        assert_eq!(
            without_speaker_names("When did Melanie's sister meet Caroline?", &speakers),
            "When did sister meet"
        );
        assert_eq!(without_speaker_names("Caroline?", &speakers), "Caroline?");
        assert_eq!(without_speaker_names("the smithy", &speakers), "the smithy");
    }

    #[test]
    fn a_cosine_is_mapped_linearly_and_clamped() {
        let narrow = CosineScale { slope: 2.0, shift: -1.0 };
        for (cosine, likeness) in [(0.75, 0.5), (0.4, 0.0), (1.0, 1.0), (1.2, 1.0)] {
            assert!((narrow.apply(cosine) - likeness).abs() < 1e-6, "{cosine}");
        }
        assert_eq!(CosineScale::default().apply(0.3), 0.3);
    }
}

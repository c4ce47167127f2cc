//! A question in the forms the ranking needs: words, meaning, times and place.

use index::QueryTerms;
use model::Moment;

/// A question to rank for.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its words.
    pub terms: QueryTerms,
    /// Its meaning; without one, words alone decide.
    pub vector: Option<Vec<f32>>,
    /// The times it names, each from and until.
    pub times: Vec<(Moment, Moment)>,
    /// The project it is asked in.
    pub project: Option<String>,
    /// When it is asked.
    pub now: Moment,
}

impl Question {
    /// A question of words alone.
    #[must_use]
    pub fn of(text: &str, now: Moment) -> Self {
        Self { terms: QueryTerms::of(text), vector: None, times: Vec::new(), project: None, now }
    }

    /// Whether there is nothing to search by: then the newest come first.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.terms.is_empty()
    }
}

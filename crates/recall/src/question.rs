//! A question in the forms the ranking needs: words, meaning, times and place.

use index::QueryTerms;
use model::Moment;
use std::collections::{BTreeSet, HashSet};

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
    /// Whether it asks for what an assistant said.
    pub asks_for_replies: bool,
    /// When it is asked.
    pub now: Moment,
}

impl Question {
    /// A question of words alone.
    #[must_use]
    pub fn of(text: &str, now: Moment) -> Self {
        Self {
            terms: QueryTerms::of(text),
            vector: None,
            times: Vec::new(),
            project: None,
            asks_for_replies: asks_for_replies(text),
            now,
        }
    }

    /// Whether there is nothing to search by: then the newest come first.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.terms.is_empty()
    }
}

/// A question without the names of those who speak in every memory: to a vector such a name says "all of them",
/// and hides what is asked. Words still find the names. A question of names alone stays as it is.
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

/// Whether a question turns to the assistant: "what did you recommend", "your list of", "remind me what you said".
fn asks_for_replies(question: &str) -> bool {
    question
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| ["you", "your", "assistant"].iter().any(|turned_to| word.eq_ignore_ascii_case(turned_to)))
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
    fn a_question_that_turns_to_the_assistant_is_known() {
        assert!(asks_for_replies("Which hotel did you recommend?"));
        assert!(asks_for_replies("remind me of Your third tip"));
        assert!(!asks_for_replies("Which hotel did I book for the youth trip?"));
    }
}

//! A question as the terms it asks for.

use crate::tokens::{self, Form};
use std::collections::HashSet;

/// One term of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The term as the index knows it.
    pub text: String,
    /// What finding it is worth, 1 for a word that was asked for; never below 0.
    pub weight: f32,
    /// Where it first stands in the question.
    pub position: u32,
    /// What it is to the question there.
    pub form: Form,
}

/// The terms of a question, each once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTerms {
    /// The terms, in the order of the question.
    pub terms: Vec<QueryTerm>,
}

impl QueryTerms {
    /// How many terms of a question are looked at; what comes later in it is left out.
    pub const COUNT_MAX: usize = 512;

    /// Reads a question. Any text is one.
    #[must_use]
    pub fn of(question: &str) -> Self {
        let mut seen = HashSet::new();
        let mut terms = Vec::new();
        tokens::each_token(question, |token| {
            if terms.len() < Self::COUNT_MAX && seen.insert(token.text.to_owned()) {
                let (text, position, form) = (token.text.to_owned(), token.position, token.form);
                terms.push(QueryTerm { text, weight: 1.0, position, form });
            }
        });
        Self { terms }
    }

    /// The question without the words that say little, unless it consists of nothing else.
    #[must_use]
    pub fn content_words(&self) -> Self {
        let content = |term: &&QueryTerm| !tokens::is_stop_word(&term.text);
        let terms: Vec<QueryTerm> = self.terms.iter().filter(content).cloned().collect();
        if terms.is_empty() { self.clone() } else { Self { terms } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(terms: &QueryTerms) -> Vec<&str> {
        terms.terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn a_question_asks_for_each_term_once() {
        assert_eq!(texts(&QueryTerms::of("the cat and the Cats")), ["the", "cat", "and"]);
        assert!(QueryTerms::of("?! \"").terms.is_empty());
    }

    #[test]
    fn stop_words_alone_are_still_a_question() {
        assert_eq!(texts(&QueryTerms::of("who is the cat").content_words()), ["cat"]);
        assert_eq!(texts(&QueryTerms::of("who is it").content_words()), ["who", "is", "it"]);
    }

    #[test]
    fn an_endless_question_is_cut() {
        let endless: String = (0..5_000).map(|n| format!("w{n} ")).collect();
        assert_eq!(QueryTerms::of(&endless).terms.len(), QueryTerms::COUNT_MAX);
    }
}

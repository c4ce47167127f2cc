//! A query as a list of distinct weighted terms.

use std::collections::HashSet;
use words::TokenForm;

/// One term of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// Stemmed form, as in the index.
    pub text: String,
    /// Weight of a match, 1 for an ordinary word; never negative.
    pub weight: f32,
    /// Position of the first occurrence in the query.
    pub position: u32,
    /// Form of the token at that position.
    pub form: TokenForm,
    /// True for a stop word of the query's language.
    pub is_stop: bool,
}

/// The distinct terms of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTerms {
    /// In the order of the query.
    pub terms: Vec<QueryTerm>,
}

impl QueryTerms {
    /// Maximum number of terms; further ones are ignored. Bounds the cost of a pasted document.
    pub const COUNT_MAX: usize = 512;

    /// Tokenises a query. Every text is a valid query.
    #[must_use]
    pub fn parse(question: &str) -> Self {
        let mut seen = HashSet::new();
        let mut terms = Vec::new();
        words::each_token(question, |token| {
            if terms.len() < Self::COUNT_MAX && seen.insert(token.text.to_owned()) {
                terms.push(QueryTerm {
                    text: token.text.to_owned(),
                    weight: 1.0,
                    position: token.position,
                    form: token.form,
                    is_stop: token.is_stop,
                });
            }
        });
        Self { terms }
    }

    /// Returns the query without stop words, unless it consists of nothing else.
    #[must_use]
    pub fn content_words(&self) -> Self {
        let content = |term: &&QueryTerm| !term.is_stop;
        let terms: Vec<QueryTerm> = self.terms.iter().filter(content).cloned().collect();
        if terms.is_empty() { self.clone() } else { Self { terms } }
    }

    /// Returns the terms that a text with this query's words contains: each identifier, path or
    /// pair of characters as a whole, or the words themselves where there is none.
    #[must_use]
    pub fn whole_words(self) -> Vec<String> {
        let of_form = |form| {
            let terms = self.terms.iter().filter(move |term| term.form == form);
            terms.map(|term| term.text.clone()).collect::<Vec<_>>()
        };
        let wholes = of_form(TokenForm::Whole);
        if wholes.is_empty() { of_form(TokenForm::Plain) } else { wholes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(terms: &QueryTerms) -> Vec<&str> {
        terms.terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn a_query_contains_each_term_once() {
        assert_eq!(texts(&QueryTerms::parse("the cat and the Cats")), ["the", "cat", "and"]);
        assert!(QueryTerms::parse("?! \"").terms.is_empty());
    }

    #[test]
    fn a_query_of_stop_words_alone_keeps_them() {
        assert_eq!(texts(&QueryTerms::parse("who is the cat").content_words()), ["cat"]);
        assert_eq!(texts(&QueryTerms::parse("who is it").content_words()), ["who", "is", "it"]);
    }

    #[test]
    fn a_query_in_another_language_has_stop_words_of_its_own() {
        let content = QueryTerms::parse("Wo ist die Katze?").content_words();
        assert_eq!(texts(&content), ["katz"]);
    }

    #[test]
    fn the_whole_words_of_a_query_are_its_compounds_or_its_words() {
        assert_eq!(QueryTerms::parse("staging servers").whole_words(), ["stage", "server"]);
        assert_eq!(QueryTerms::parse("天気").whole_words(), ["天気"]);
        assert_eq!(QueryTerms::parse("猫").whole_words(), ["猫"]);
    }

    #[test]
    fn an_overlong_query_is_truncated() {
        let overlong: String = (0..5_000).map(|n| format!("w{n} ")).collect();
        assert_eq!(QueryTerms::parse(&overlong).terms.len(), QueryTerms::COUNT_MAX);
    }
}

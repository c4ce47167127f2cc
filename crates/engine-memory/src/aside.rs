//! Aside: memories that are not kept here, such as those of a file, searched by their words and
//! never written.

use index::{DocSet, Entry, Facts, Field, Filter, QueryTerms, View};
use model::{MemoryId, Moment, Seq};
use recall::Weights;
use std::collections::HashSet;

/// How many memories that hold a word of the question are looked at.
const CANDIDATES: usize = 1_000;

/// A memory that is not kept here.
#[derive(Debug, Clone, PartialEq)]
pub struct AsideMemory {
    /// Its number where it is kept.
    pub number: u64,
    /// What sort of thing it is.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// 0 to 1.
    pub confidence: f32,
}

/// Memories that are not kept here, ready to be searched.
#[derive(Debug)]
pub struct Aside {
    memories: Vec<AsideMemory>,
    view: View,
}

/// A memory that speaks of what was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct AsideHit<'a> {
    /// The memory.
    pub memory: &'a AsideMemory,
    /// The share of the question's words that it holds, 0 to 1.
    pub words: f32,
}

impl Aside {
    /// Makes memories ready to be searched.
    #[must_use]
    pub fn new(memories: Vec<AsideMemory>) -> Self {
        let mut view = View::new(None);
        let entries = memories.iter().zip(0..).map(|(memory, place)| {
            let mut entry =
                Entry::new(Facts { kind: &memory.kind, ..Facts::note(MemoryId(place), Moment(0)) });
            entry.texts.push((Field::Text, &memory.text));
            entry
        });
        view.apply(entries, [], Seq::ZERO.next());
        Self { memories, view }
    }

    /// How many memories there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// The memories that hold at least this share of a question's words, most first.
    #[must_use]
    pub fn search(&self, question: &str, least: f32, limit: usize) -> Vec<AsideHit<'_>> {
        let terms = reading::content_terms(question);
        let within: DocSet = self.view.filter(&Filter::default(), Moment(0));
        let query = QueryTerms::of(question);
        let found = self.view.lexical(&query, &Weights::default().bm25, &within, CANDIDATES).hits;
        let found =
            found.iter().filter_map(|hit| self.memories.get(usize::try_from(hit.id.0).ok()?));
        let mut hits: Vec<AsideHit<'_>> = found
            .map(|memory| AsideHit { memory, words: share(&terms, &memory.text) })
            .filter(|hit| hit.words > 0.0 && hit.words >= least)
            .collect();
        hits.sort_by(|a, b| b.words.total_cmp(&a.words));
        hits.truncate(limit);
        hits
    }
}

fn share(terms: &[String], text: &str) -> f32 {
    let said = reading::content_terms(text);
    let roots: HashSet<&str> = said.iter().map(|term| reading::root(term)).collect();
    let shared = terms.iter().filter(|term| roots.contains(reading::root(term))).count();
    shared as f32 / terms.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aside(texts: &[&str]) -> Aside {
        let memory = |(text, number): (&&str, u64)| AsideMemory {
            number,
            kind: "fact".into(),
            text: (*text).to_owned(),
            confidence: 0.9,
        };
        Aside::new(texts.iter().zip(10..).map(memory).collect())
    }

    #[test]
    fn what_holds_most_of_the_words_comes_first() {
        let aside =
            aside(&["The cat sleeps.", "Releases go out on Tuesday.", "A release is a tag."]);
        let hits = aside.search("release on Tuesday", 0.0, 10);
        let numbers: Vec<u64> = hits.iter().map(|hit| hit.memory.number).collect();
        assert_eq!(numbers, [11, 12]);
        assert_eq!(hits[0].words, 1.0);
        assert_eq!(aside.search("release on Tuesday", 0.9, 10).len(), 1);
        assert_eq!(aside.search("zebra", 0.0, 10).len(), 0);
    }

    #[test]
    fn nothing_is_found_where_there_is_nothing() {
        assert!(aside(&[]).search("anything", 0.0, 10).is_empty());
        assert!(aside(&[]).is_empty());
    }
}

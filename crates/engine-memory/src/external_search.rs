//! Word search over memories that are not in the store, such as those of a file opened beside it.
//! Nothing is written, and no embedder is used.

use crate::similar::term_coverage;
use index::{DocFacts, DocSet, Filter, IndexEntry, IndexField, QueryTerms, View};
use model::{MemoryId, Moment, Seq};
use recall::RankingWeights;

/// Number of memories sharing a word with the question that are scored.
const CANDIDATES: usize = 1_000;

/// A memory outside of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalMemory {
    pub number: u64,
    pub kind: String,
    pub text: String,
    /// Between 0 and 1.
    pub confidence: f32,
}

/// A searchable collection of memories outside of the store.
#[derive(Debug)]
pub struct ExternalMemories {
    memories: Vec<ExternalMemory>,
    view: View,
}

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalHit<'a> {
    pub memory: &'a ExternalMemory,
    /// Share of the question's words that the memory contains, 0 to 1.
    pub words: f32,
}

impl ExternalMemories {
    /// Indexes memories for searching.
    #[must_use]
    pub fn new(memories: Vec<ExternalMemory>) -> Self {
        let mut view = View::new(None);
        // The id in the view is the index in `memories`; the memory's own number may be any `u64`.
        let entries = memories.iter().zip(0..).map(|(memory, index)| {
            let mut entry = IndexEntry::new(DocFacts {
                kind: &memory.kind,
                ..DocFacts::note(MemoryId(index), Moment(0))
            });
            entry.texts.push((IndexField::Text, &memory.text));
            entry
        });
        view.apply(entries, [], Seq::ZERO.next());
        Self { memories, view }
    }

    /// Returns the number of memories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.memories.len()
    }

    /// Returns whether there are no memories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
    }

    /// Returns the memories that contain at least the share `least` of a question's words, best
    /// first.
    #[must_use]
    pub fn search(&self, question: &str, least: f32, limit: usize) -> Vec<ExternalHit<'_>> {
        let terms = reading::search_terms(question);
        let within: DocSet = self.view.filter(&Filter::default(), Moment(0));
        let query = QueryTerms::parse(question);
        let found =
            self.view.lexical(&query, &RankingWeights::default().bm25, &within, CANDIDATES).hits;
        let found =
            found.iter().filter_map(|hit| self.memories.get(usize::try_from(hit.id.0).ok()?));
        let mut hits: Vec<ExternalHit<'_>> = found
            .map(|memory| ExternalHit { memory, words: term_coverage(&terms, &memory.text) })
            .filter(|hit| hit.words > 0.0 && hit.words >= least)
            .collect();
        // BM25 only selects candidates. The order is by word coverage, which callers compare with
        // `least`.
        hits.sort_by(|a, b| b.words.total_cmp(&a.words));
        hits.truncate(limit);
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn external_memories(texts: &[&str]) -> ExternalMemories {
        let memory = |(text, number): (&&str, u64)| ExternalMemory {
            number,
            kind: "fact".into(),
            text: (*text).to_owned(),
            confidence: 0.9,
        };
        ExternalMemories::new(texts.iter().zip(10..).map(memory).collect())
    }

    #[test]
    fn the_memory_with_most_words_of_the_question_comes_first() {
        let aside = external_memories(&[
            "The cat sleeps.",
            "Releases go out on Tuesday.",
            "A release is a tag.",
        ]);
        let hits = aside.search("release on Tuesday", 0.0, 10);
        let numbers: Vec<u64> = hits.iter().map(|hit| hit.memory.number).collect();
        assert_eq!(numbers, [11, 12]);
        assert_eq!(hits[0].words, 1.0);
        assert_eq!(aside.search("release on Tuesday", 0.9, 10).len(), 1);
        assert_eq!(aside.search("zebra", 0.0, 10).len(), 0);
    }

    #[test]
    fn texts_without_spaces_between_words_are_found_by_a_part() {
        let aside =
            external_memories(&["東京の天気は晴れです", "部署在每周二进行", "서울의 날씨는 맑다"]);
        for (question, number) in [("東京の天気", 10), ("部署是哪天", 11), ("서울 날씨", 12)]
        {
            let hits = aside.search(question, 0.5, 10);
            let numbers: Vec<u64> = hits.iter().map(|hit| hit.memory.number).collect();
            assert_eq!(numbers, [number], "{question}");
        }
    }

    #[test]
    fn an_empty_collection_has_no_results() {
        assert!(external_memories(&[]).search("anything", 0.0, 10).is_empty());
        assert!(external_memories(&[]).is_empty());
    }
}

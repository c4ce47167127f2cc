//! Lexical search, beyond what the random changes cover.

use crate::all_docs;
use model::{MemoryId, Moment, Seq};
use quipu_index::{Bm25, DocFacts, DocSet, IndexEntry, IndexField, QueryTerms, View};

/// Deterministic words of falling frequency.
fn words(seed: u64, count: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
        format!("w{} ", (800.0_f64.powf(uniform)) as u32)
    };
    (0..count).map(|_| word()).collect()
}

fn view(memories: i64) -> (View, Vec<String>) {
    let texts: Vec<String> =
        (0..memories).map(|id| words(id as u64 + 1, 5 + id as usize % 30)).collect();
    let mut view = View::new(None);
    let entries = texts.iter().zip(0..).map(|(text, id)| {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(id)));
        entry.texts = vec![(IndexField::Text, text)];
        entry
    });
    view.apply(entries, [], Seq(1));
    (view, texts)
}

#[test]
fn max_score_pruning_changes_no_result() {
    let (view, _) = view(6_000);
    let bm25 = Bm25::PRODUCTION;
    for question in ["w1 w2 w3 w700", "w1 w1 w2", "w650 w2 w10 w90 w1", "w4"] {
        let query = QueryTerms::parse(question);
        let docs: Vec<_> = all_docs(&view).iter().collect();
        let mut scores = view.lexical_scores(&query, &bm25, &docs);
        scores.sort_by(|one, other| other.total_cmp(one));
        for limit in [1, 10, 200] {
            let hits = view.lexical(&query, &bm25, &all_docs(&view), limit).hits;
            assert_eq!(hits.len(), limit);
            for (hit, score) in hits.iter().zip(&scores) {
                assert!((hit.score - score).abs() < 1e-4, "{question} {limit}");
            }
        }
    }
}

#[test]
fn rare_words_score_like_any_other() {
    let (mut view, _) = view(6_000);
    let texts = ["walrus", "walrus and otter", "an otter", "w1 w2"];
    let entries = texts.iter().zip(7_000..).map(|(text, id)| {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(id)));
        entry.texts = vec![(IndexField::Text, text)];
        entry
    });
    view.apply(entries, [], Seq(2));
    let (query, bm25) = (QueryTerms::parse("an otter or a walrus"), Bm25::PRODUCTION);
    let within: DocSet =
        all_docs(&view).iter().filter(|&doc| view.id(doc) != MemoryId(7_000)).collect();
    let found = view.lexical(&query, &bm25, &within, 10).hits;
    assert_eq!(found.iter().map(|hit| hit.id.0).collect::<Vec<_>>(), [7_001, 7_002]);
    let docs: Vec<_> = found.iter().map(|hit| hit.doc).collect();
    let scores: Vec<f32> = found.iter().map(|hit| hit.score).collect();
    assert_eq!(view.lexical_scores(&query, &bm25, &docs), scores);
}

#[test]
fn a_narrow_filter_gives_the_same_scores_as_a_wide_one() {
    let (view, _) = view(6_000);
    let (query, bm25) = (QueryTerms::parse("w1 w2 w3 w5"), Bm25::PRODUCTION);
    let narrow: DocSet = all_docs(&view).iter().step_by(500).collect();
    let wide = view.lexical(&query, &bm25, &all_docs(&view), 6_000).hits;
    let expected: Vec<_> = wide.into_iter().filter(|hit| narrow.contains(hit.doc)).collect();
    let found = view.lexical(&query, &bm25, &narrow, 6_000).hits;
    assert_eq!(found.len(), expected.len());
    for (one, other) in found.iter().zip(&expected) {
        assert!(one.id == other.id && (one.score - other.score).abs() < 1e-5);
    }
}

#[test]
fn scores_do_not_depend_on_the_history_of_a_view() {
    let (fresh, texts) = view(600);
    let mut changed = View::new(None);
    for round in 0..2 {
        for (id, text) in texts.iter().enumerate().rev() {
            let other = words(id as u64 + 9_000, 12);
            let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id as i64), Moment(id as i64)));
            entry.texts = vec![(IndexField::Text, if round == 0 { &other } else { text })];
            changed.apply([entry], [], Seq(1));
        }
        changed.compact();
    }
    let (query, bm25) = (QueryTerms::parse("w1 w9 w33 w200 w2"), Bm25::PRODUCTION);
    let scores = |view: &View| {
        let found = view.lexical(&query, &bm25, &all_docs(view), 50);
        (found.hits.iter().map(|hit| (hit.id, hit.score)).collect::<Vec<_>>(), found.score_max)
    };
    assert_eq!(scores(&fresh), scores(&changed), "to the last bit");
}

#[test]
fn a_compound_that_no_memory_contains_does_not_raise_the_maximum_score() {
    let mut view = View::new(None);
    let mut entry = IndexEntry::new(DocFacts::note(MemoryId(1), Moment(1)));
    entry.texts = vec![(IndexField::Text, "the cafe")];
    view.apply([entry], [], Seq(1));
    let ceiling = |question: &str| {
        let query = QueryTerms::parse(question);
        view.lexical(&query, &Bm25::PRODUCTION, &all_docs(&view), 9).score_max
    };
    assert!(ceiling("parseUser cafe") < ceiling("parse User parseuser cafe"));
    assert_eq!(ceiling(""), 0.0);
}

#[test]
fn a_conjunctive_search_finds_the_memories_with_every_term() {
    let (view, texts) = view(500);
    let wanted = ["w1", "w2", "w7"];
    let has_all = |text: &&String| {
        wanted.iter().all(|word| text.split_whitespace().any(|other| other == *word))
    };
    let expected: Vec<i64> =
        (0..).zip(&texts).filter(|(_, text)| has_all(text)).map(|(id, _)| id).collect();
    let found = view.docs_with_all_terms(&QueryTerms::parse(&wanted.join(" ")));
    assert!(!expected.is_empty());
    assert_eq!(crate::ids(&view, found.iter()), expected);
    assert!(view.docs_with_all_terms(&QueryTerms::default()).is_empty());
}

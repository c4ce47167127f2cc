//! BM25 over the fields of a memory.
//!
//! Terms are taken from the rarest to the most common. Once the common ones that remain cannot lift anything new
//! among the best, they are only looked up for the candidates at hand, so a stop word costs next to nothing.
//! The result is the same as adding everything up.

mod scorer;

use crate::{Doc, DocSet, Field, Hit, QueryTerms, View, top::Top};
use scorer::{Prepared, Scorer};

/// How BM25 weighs what it finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How soon a repeated term stops counting.
    pub k1: f32,
    /// How much a long text is held against a memory, 0 to 1.
    pub b: f32,
    /// What a term in each field is worth, by [`Field`].
    pub field_weights: [f32; Field::COUNT],
    /// What a stop word is worth beside another word.
    pub stop_weight: f32,
}

impl Default for Bm25 {
    /// Measured on dialogue and on technical notes; the context counts half.
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75, field_weights: [1.5, 1.0, 1.0, 0.5], stop_weight: 0.3 }
    }
}

/// What a lexical search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexical {
    /// The best, best first, by BM25 score.
    pub hits: Vec<Hit>,
    /// The score nothing can exceed: a hit's score divided by it lies between 0 and 1 for every question.
    pub ceiling: f32,
}

impl View {
    /// The memories within `within` that hold most of the question's terms, by BM25.
    #[must_use]
    pub fn lexical(&self, query: &QueryTerms, bm25: &Bm25, within: &DocSet, limit: usize) -> Lexical {
        let (terms, ceiling) = self.prepared(query, bm25);
        let scorer = Scorer::new(&self.columns, bm25);
        let mut top = Top::new(limit);
        for (doc, score) in accumulate(&terms, &scorer, within, limit) {
            if top.wants(score) {
                top.offer(Hit { id: self.id(doc), doc, score });
            }
        }
        Lexical { hits: top.finish(), ceiling }
    }

    /// The BM25 score of chosen memories, in their order; 0 for one that holds nothing of the question.
    #[must_use]
    pub fn lexical_scores(&self, query: &QueryTerms, bm25: &Bm25, docs: &[Doc]) -> Vec<f32> {
        let (terms, _) = self.prepared(query, bm25);
        let scorer = Scorer::new(&self.columns, bm25);
        docs.iter().map(|&doc| terms.iter().map(|term| term.score(&scorer, doc)).sum()).collect()
    }

    /// How many memories hold the term, given as [`crate::tokens`] spells it.
    #[must_use]
    pub fn document_frequency(&self, term: &str) -> usize {
        self.postings.frequency(&self.postings.list(term))
    }

    /// The terms anything holds, worth most first, and the score nothing can exceed.
    fn prepared(&self, query: &QueryTerms, bm25: &Bm25) -> (Vec<Prepared<'_>>, f32) {
        scorer::prepare(&self.postings, self.len(), query, bm25)
    }
}

/// Scores of every place that can be among the best, complete for those that are.
fn accumulate(terms: &[Prepared<'_>], scorer: &Scorer<'_>, within: &DocSet, limit: usize) -> Vec<(Doc, f32)> {
    let reach: usize = terms.iter().map(Prepared::reach).sum();
    // Looking a place up in a list costs about as much as reading a dozen of its entries.
    if within.count() * terms.len() * 12 < reach {
        let candidates = within.iter().map(|doc| (doc, 0.0)).collect();
        return look_up(candidates, terms, scorer);
    }
    let mut sums = Sums::new(scorer.places());
    for (nth, term) in terms.iter().enumerate() {
        let rest = &terms[nth..];
        let rest_bound: f32 = rest.iter().map(|term| term.bound).sum();
        if let Some(floor) = sums.floor_above(rest_bound, limit, term.reach()) {
            return look_up(sums.at_least(floor - rest_bound), rest, scorer);
        }
        term.each_score(scorer, within, |doc, score| sums.add(doc, score));
    }
    sums.at_least(0.0)
}

/// Adds what each candidate gets from terms that can bring no new ones.
fn look_up(mut candidates: Vec<(Doc, f32)>, terms: &[Prepared<'_>], scorer: &Scorer<'_>) -> Vec<(Doc, f32)> {
    for term in terms {
        for (doc, sum) in &mut candidates {
            *sum += term.score(scorer, *doc);
        }
    }
    candidates.retain(|&(_, sum)| sum > 0.0);
    candidates
}

/// Running sums, one a place.
struct Sums {
    sums: Vec<f32>,
    touched: Vec<Doc>,
}

impl Sums {
    fn new(places: usize) -> Self {
        Self { sums: vec![0.0; places], touched: Vec::new() }
    }

    #[inline]
    fn add(&mut self, doc: Doc, score: f32) {
        let sum = &mut self.sums[doc.index()];
        if *sum == 0.0 {
            self.touched.push(doc);
        }
        *sum += score;
    }

    /// The score of the `limit`-th best so far, if it is above `bound` and worth finding out
    /// before reading another list of `reach` entries.
    fn floor_above(&self, bound: f32, limit: usize, reach: usize) -> Option<f32> {
        if limit == 0 || self.touched.len() < limit || reach < self.touched.len() {
            return None;
        }
        let mut scores: Vec<f32> = self.touched.iter().map(|doc| self.sums[doc.index()]).collect();
        let (_, floor, _) = scores.select_nth_unstable_by(limit - 1, |one, other| other.total_cmp(one));
        // A hair of room, since sums are rounded differently in another order.
        (*floor > bound * 1.000_1).then_some(*floor * 0.999_9)
    }

    fn at_least(&self, score: f32) -> Vec<(Doc, f32)> {
        let all = self.touched.iter().map(|&doc| (doc, self.sums[doc.index()]));
        all.filter(|&(_, sum)| sum >= score && sum > 0.0).collect()
    }
}

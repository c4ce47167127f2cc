//! BM25 (Robertson et al.) over the fields of a memory, evaluated term at a time with MaxScore
//! pruning (Turtle and Flood, 1995).
//!
//! Terms are processed by descending upper bound. Once the remaining terms together cannot lift a
//! new document into the top k, they are only looked up for the candidates found so far, so that a
//! stop word costs next to nothing. The result is identical to exhaustive scoring.

mod scorer;
mod sums;

use crate::{Doc, DocSet, Field, Hit, QueryTerms, View, top::Top};
pub(crate) use scorer::Weighed;
use scorer::{Prepared, Scorer};
use std::borrow::Cow;
use sums::Sums;

/// Parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation of the term frequency.
    pub k1: f32,
    /// Strength of the length normalisation, 0 to 1.
    pub b: f32,
    /// Weight of a term per field, indexed by [`IndexField`].
    pub field_weights: [f32; Field::COUNT],
    /// Weight of a stop word relative to other words.
    pub stop_weight: f32,
}

impl Default for Bm25 {
    /// Values measured on dialogues, chats with assistants and technical notes. The ranking crate
    /// sets its own.
    fn default() -> Self {
        Self { k1: 1.2, b: 0.9, field_weights: [1.5, 1.0, 1.0, 0.5], stop_weight: 0.3 }
    }
}

/// Result of a lexical search.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexical {
    /// Best hits by BM25 score, in descending order.
    pub hits: Vec<Hit>,
    /// Upper bound of the score for this query. A score divided by it lies between 0 and 1, so that
    /// scores of different queries can be compared.
    pub ceiling: f32,
}

/// Contribution of each query term to documents.
#[derive(Debug, Clone, PartialEq)]
pub struct LexicalShares {
    /// Weight of each query term that occurs in the index, as a share of the maximum score.
    pub worths: Vec<f32>,
    /// For each document and term, the score as a share of the term's upper bound, from 0 to 1.
    pub shares: Vec<Vec<f32>>,
}

impl View {
    /// Returns the `limit` best documents of `within` by BM25.
    #[must_use]
    pub fn lexical(
        &self,
        query: &QueryTerms,
        bm25: &Bm25,
        within: &DocSet,
        limit: usize,
    ) -> Lexical {
        let (terms, ceiling) = self.prepared(query, bm25);
        let weighed = self.weighed(bm25);
        let scorer = Scorer::new(&weighed, &self.columns, bm25);
        let mut top = Top::new(limit);
        for (doc, score) in accumulate(&terms, &scorer, within, limit) {
            if top.wants(score) {
                top.offer(Hit { id: self.id(doc), doc, score });
            }
        }
        Lexical { hits: top.finish(), ceiling }
    }

    /// Returns the BM25 scores of these documents, in their order; 0 for one without any query
    /// term.
    #[must_use]
    pub fn lexical_scores(&self, query: &QueryTerms, bm25: &Bm25, docs: &[Doc]) -> Vec<f32> {
        let (terms, _) = self.prepared(query, bm25);
        let weighed = self.weighed(bm25);
        let scorer = Scorer::new(&weighed, &self.columns, bm25);
        sums_of(&terms, &scorer, docs)
    }

    /// Returns the contribution of each query term to each of these documents.
    #[must_use]
    pub fn lexical_shares(&self, query: &QueryTerms, bm25: &Bm25, docs: &[Doc]) -> LexicalShares {
        let (terms, ceiling) = self.prepared(query, bm25);
        let weighed = self.weighed(bm25);
        let scorer = Scorer::new(&weighed, &self.columns, bm25);
        // Posting lists are searched fastest in ascending order; `positions` leads back to the
        // caller's.
        let mut in_order: Vec<(Doc, usize)> = docs.iter().copied().zip(0..).collect();
        in_order.sort_unstable();
        let (docs, positions): (Vec<Doc>, Vec<usize>) = in_order.into_iter().unzip();
        let mut shares = vec![vec![0.0; terms.len()]; docs.len()];
        for (at, term) in terms.iter().enumerate() {
            term.scores_of(&scorer, &docs, |nth, score| {
                shares[positions[nth]][at] = score / term.bound
            });
        }
        LexicalShares { worths: terms.iter().map(|term| term.bound / ceiling).collect(), shares }
    }

    /// Returns the number of memories that contain the term, given in the form that
    /// [`crate::tokens`] emits.
    #[must_use]
    pub fn document_frequency(&self, term: &str) -> usize {
        self.postings.frequency(&self.postings.list(term))
    }

    /// Returns the memories that contain at least one of the terms.
    #[must_use]
    pub fn holding(&self, query: &QueryTerms) -> DocSet {
        let mut docs = DocSet::default();
        for term in &query.terms {
            self.postings.list(&term.text).for_each(|doc, _| docs.insert(doc));
        }
        docs
    }

    /// Returns the inverse document frequency of a term.
    pub(crate) fn rarity(&self, term: &str) -> f32 {
        scorer::inverse_frequency(self.len(), self.document_frequency(term))
    }

    fn weighed(&self, bm25: &Bm25) -> Cow<'_, Weighed> {
        let cached = self.weighed.get_or_init(|| Weighed::new(&self.columns, bm25));
        // The ranking always uses the same field weights; other ones, in tests and measurements,
        // are computed for the call.
        if cached.is_for(bm25) {
            Cow::Borrowed(cached)
        } else {
            Cow::Owned(Weighed::new(&self.columns, bm25))
        }
    }

    /// Returns scorers for the terms that occur in the index, heaviest first, and the maximum
    /// score.
    fn prepared(&self, query: &QueryTerms, bm25: &Bm25) -> (Vec<Prepared<'_>>, f32) {
        scorer::prepare(&self.postings, self.len(), query, bm25)
    }
}

/// Cost of looking up one document in a posting list, in sequentially read postings.
const LOOK_UP_COST: usize = 12;

/// Number of documents per posting from which sorting the postings of all lists is cheaper than
/// clearing an accumulator for every document.
const FEW_OF: usize = 64;

/// Returns the exact score of every document that can be among the `limit` best.
fn accumulate(
    terms: &[Prepared<'_>],
    scorer: &Scorer<'_>,
    within: &DocSet,
    limit: usize,
) -> Vec<(Doc, f32)> {
    let postings_max: usize = terms.iter().map(Prepared::reach).sum();
    // A narrow filter: look up each of its documents instead of reading the lists.
    if within.count() * terms.len() * LOOK_UP_COST < postings_max {
        let docs: Vec<Doc> = within.iter().collect();
        let sums = sums_of(terms, scorer, &docs);
        return docs.into_iter().zip(sums).filter(|&(_, sum)| sum > 0.0).collect();
    }
    if postings_max < scorer.places() / FEW_OF {
        return merged(terms, scorer, within);
    }
    let mut sums = Sums::new(scorer.places(), within);
    let mut candidates: Option<Vec<Doc>> = None;
    for (nth, term) in terms.iter().enumerate() {
        let bound_of = |terms: &[Prepared<'_>]| terms.iter().map(|term| term.bound).sum::<f32>();
        let (processed, bound) = (bound_of(&terms[..nth]), bound_of(&terms[nth..]));
        candidates = match candidates {
            Some(candidates) => Some(sums.hopeful(candidates, bound, limit)),
            // No score can exceed the upper bounds processed so far, and reading a short list is
            // cheaper than scanning all accumulators.
            None if processed <= bound || term.reach() < scorer.places() / 32 => None,
            None => sums.settled(bound, limit),
        };
        // Non-essential terms in the sense of MaxScore are looked up for the candidates only,
        // unless reading the whole list is cheaper.
        match &candidates {
            Some(few) if few.len() * LOOK_UP_COST < term.reach() => {
                term.scores_of(scorer, few, |nth, score| sums.add(few[nth], score));
            }
            _ => term.each_score(scorer, |doc, score| sums.add(doc, score)),
        }
    }
    let candidates = candidates.unwrap_or_else(|| sums.above(0.0).iter().collect());
    candidates.into_iter().map(|doc| (doc, sums.of(doc))).filter(|&(_, sum)| sum > 0.0).collect()
}

/// Returns the score of each of these documents. Fastest in ascending order.
fn sums_of(terms: &[Prepared<'_>], scorer: &Scorer<'_>, docs: &[Doc]) -> Vec<f32> {
    let mut sums = vec![0.0; docs.len()];
    for term in terms {
        term.scores_of(scorer, docs, |nth, score| sums[nth] += score);
    }
    sums
}

/// Scores all documents of short posting lists by sorting the postings, without an accumulator per
/// document of the view.
fn merged(terms: &[Prepared<'_>], scorer: &Scorer<'_>, within: &DocSet) -> Vec<(Doc, f32)> {
    let mut scored: Vec<(Doc, f32)> = Vec::new();
    for term in terms {
        term.each_score(scorer, |doc, score| scored.push((doc, score)));
    }
    scored.retain(|&(doc, score)| score > 0.0 && within.contains(doc));
    // A stable sort adds the contributions of a document in the order of the terms, as the other
    // paths do, so that rounding is identical everywhere.
    scored.sort_by_key(|&(doc, _)| doc);
    let same = scored.chunk_by(|one, other| one.0 == other.0);
    same.map(|same| (same[0].0, same.iter().map(|&(_, score)| score).sum())).collect()
}

//! BM25 over the fields of a memory.
//!
//! Terms are taken from the rarest to the most common. Once the common ones that remain cannot lift
//! anything new among the best, they are only looked up for the candidates at hand, so a stop word
//! costs next to nothing. The result is the same as adding everything up.

mod scorer;
mod sums;

use crate::{Doc, DocSet, Field, Hit, QueryTerms, View, top::Top};
pub(crate) use scorer::Weighed;
use scorer::{Prepared, Scorer};
use std::borrow::Cow;
use sums::Sums;

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
    /// Measured on dialogues, chats with assistants and technical notes; the context counts half.
    fn default() -> Self {
        Self { k1: 1.2, b: 0.9, field_weights: [1.5, 1.0, 1.0, 0.5], stop_weight: 0.3 }
    }
}

/// What a lexical search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Lexical {
    /// The best, best first, by BM25 score.
    pub hits: Vec<Hit>,
    /// The score nothing can exceed: a hit's score divided by it lies between 0 and 1 for every
    /// question.
    pub ceiling: f32,
}

/// Which terms of a question memories hold.
#[derive(Debug, Clone, PartialEq)]
pub struct LexicalShares {
    /// What each term that anything holds is worth, of all that the question could get.
    pub worths: Vec<f32>,
    /// For each memory how full of each of these terms it is, from 0 to 1.
    pub shares: Vec<Vec<f32>>,
}

impl View {
    /// The memories within `within` that hold most of the question's terms, by BM25.
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

    /// The BM25 score of chosen memories, in their order; 0 for one that holds nothing of the
    /// question.
    #[must_use]
    pub fn lexical_scores(&self, query: &QueryTerms, bm25: &Bm25, docs: &[Doc]) -> Vec<f32> {
        let (terms, _) = self.prepared(query, bm25);
        let weighed = self.weighed(bm25);
        let scorer = Scorer::new(&weighed, &self.columns, bm25);
        sums_of(&terms, &scorer, docs)
    }

    /// How much of each term of the question chosen memories hold.
    #[must_use]
    pub fn lexical_shares(&self, query: &QueryTerms, bm25: &Bm25, docs: &[Doc]) -> LexicalShares {
        let (terms, ceiling) = self.prepared(query, bm25);
        let weighed = self.weighed(bm25);
        let scorer = Scorer::new(&weighed, &self.columns, bm25);
        let mut in_order: Vec<(Doc, usize)> = docs.iter().copied().zip(0..).collect();
        in_order.sort_unstable();
        let (docs, places): (Vec<Doc>, Vec<usize>) = in_order.into_iter().unzip();
        let mut shares = vec![vec![0.0; terms.len()]; docs.len()];
        for (at, term) in terms.iter().enumerate() {
            term.scores_of(&scorer, &docs, |nth, score| {
                shares[places[nth]][at] = score / term.bound
            });
        }
        LexicalShares { worths: terms.iter().map(|term| term.bound / ceiling).collect(), shares }
    }

    /// How many memories hold the term, given as [`crate::tokens`] spells it.
    #[must_use]
    pub fn document_frequency(&self, term: &str) -> usize {
        self.postings.frequency(&self.postings.list(term))
    }

    /// The memories that hold any of the terms.
    #[must_use]
    pub fn holding(&self, query: &QueryTerms) -> DocSet {
        let mut docs = DocSet::default();
        for term in &query.terms {
            self.postings.list(&term.text).for_each(|doc, _| docs.insert(doc));
        }
        docs
    }

    /// How rare a term is: 0 when every memory holds it, more the fewer do.
    pub(crate) fn rarity(&self, term: &str) -> f32 {
        scorer::inverse_frequency(self.len(), self.document_frequency(term))
    }

    fn weighed(&self, bm25: &Bm25) -> Cow<'_, Weighed> {
        let kept = self.weighed.get_or_init(|| Weighed::new(&self.columns, bm25));
        if kept.is_for(bm25) {
            Cow::Borrowed(kept)
        } else {
            Cow::Owned(Weighed::new(&self.columns, bm25))
        }
    }

    /// The terms anything holds, worth most first, and the score nothing can exceed.
    fn prepared(&self, query: &QueryTerms, bm25: &Bm25) -> (Vec<Prepared<'_>>, f32) {
        scorer::prepare(&self.postings, self.len(), query, bm25)
    }
}

/// Looking a place up in a list costs about as much as reading this many of its entries.
const LOOK_UP_COST: usize = 12;

/// Sorting what all lists hold is cheaper than a sum for every place, when they hold no more than
/// one of so many.
const FEW_OF: usize = 64;

/// The score of every place that can be among the best.
fn accumulate(
    terms: &[Prepared<'_>],
    scorer: &Scorer<'_>,
    within: &DocSet,
    limit: usize,
) -> Vec<(Doc, f32)> {
    let reach: usize = terms.iter().map(Prepared::reach).sum();
    if within.count() * terms.len() * LOOK_UP_COST < reach {
        let docs: Vec<Doc> = within.iter().collect();
        let sums = sums_of(terms, scorer, &docs);
        return docs.into_iter().zip(sums).filter(|&(_, sum)| sum > 0.0).collect();
    }
    if reach < scorer.places() / FEW_OF {
        return merged(terms, scorer, within);
    }
    let mut sums = Sums::new(scorer.places(), within);
    let mut candidates: Option<Vec<Doc>> = None;
    for (nth, term) in terms.iter().enumerate() {
        let bound_of = |terms: &[Prepared<'_>]| terms.iter().map(|term| term.bound).sum::<f32>();
        let (spent, bound) = (bound_of(&terms[..nth]), bound_of(&terms[nth..]));
        candidates = match candidates {
            Some(candidates) => Some(sums.hopeful(candidates, bound, limit)),
            // No sum can be above what was spent, and a short list is read sooner than all sums.
            None if spent <= bound || term.reach() < scorer.places() / 32 => None,
            None => sums.settled(bound, limit),
        };
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

/// The score of each of these places; soonest told in ascending order.
fn sums_of(terms: &[Prepared<'_>], scorer: &Scorer<'_>, docs: &[Doc]) -> Vec<f32> {
    let mut sums = vec![0.0; docs.len()];
    for term in terms {
        term.scores_of(scorer, docs, |nth, score| sums[nth] += score);
    }
    sums
}

/// The score of every place that short lists hold, without a sum for each place of the view.
fn merged(terms: &[Prepared<'_>], scorer: &Scorer<'_>, within: &DocSet) -> Vec<(Doc, f32)> {
    let mut found: Vec<(Doc, f32)> = Vec::new();
    for term in terms {
        term.each_score(scorer, |doc, score| found.push((doc, score)));
    }
    found.retain(|&(doc, score)| score > 0.0 && within.contains(doc));
    // Stable, so that what a place gets is added up in the order of the terms, as everywhere.
    found.sort_by_key(|&(doc, _)| doc);
    let same = found.chunk_by(|one, other| one.0 == other.0);
    same.map(|same| (same[0].0, same.iter().map(|&(_, score)| score).sum())).collect()
}

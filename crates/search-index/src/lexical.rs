//! BM25 (Robertson et al.) over the fields of a memory, evaluated term at a time with MaxScore
//! pruning (Turtle and Flood, 1995).
//!
//! Terms are processed by descending upper bound. Once the remaining terms together cannot lift a
//! new document into the top k, they are only looked up for the candidates found so far, so that a
//! stop word costs next to nothing. The result is identical to exhaustive scoring.

mod accumulators;
mod scorer;

use crate::{DocId, DocSet, IndexField, QueryTerms, SearchHit, View, top_k::TopK};
use accumulators::Accumulators;
pub(crate) use scorer::WeightedLengths;
use scorer::{Bm25Scorer, TermScorer};
use std::borrow::Cow;

/// Parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation of the term frequency.
    pub k1: f32,
    /// Strength of the length normalisation, 0 to 1.
    pub b: f32,
    /// Weight of a term per field, indexed by [`IndexField`].
    pub field_weights: [f32; IndexField::COUNT],
    /// Weight of a stop word relative to other words.
    pub stop_weight: f32,
    /// Memories without any of the terms that are assumed besides those of the index. Without them,
    /// a word in the only memory of an index counts as common, and one that it lacks as rare.
    pub assumed_memories: usize,
}

impl Bm25 {
    /// Parameters that recall ranks with, fitted on public benchmarks together with the other
    /// ranking weights. Kept here so that the tests and benches of the index measure them too.
    pub const PRODUCTION: Self = Self {
        k1: 1.8,
        b: 0.8,
        field_weights: [1.2, 1.0, 0.8, 0.8],
        stop_weight: 0.1,
        assumed_memories: 0,
    };
}

/// Result of a lexical search.
#[derive(Debug, Clone, PartialEq)]
pub struct LexicalHits {
    /// Best hits by BM25 score, in descending order.
    pub hits: Vec<SearchHit>,
    /// Upper bound of the score for this query. A score divided by it lies between 0 and 1, so that
    /// scores of different queries can be compared.
    pub score_max: f32,
}

/// Contribution of each query term to documents.
#[derive(Debug, Clone, PartialEq)]
pub struct TermShares {
    /// Weight of each query term that occurs in the index, as a share of the maximum score.
    pub term_weights: Vec<f32>,
    /// For each document and term, the score as a share of the term's upper bound, from 0 to 1.
    pub shares: Vec<Vec<f32>>,
}

impl TermShares {
    /// Iterates over the score of each document, as a share of the maximum score.
    pub fn scores(&self) -> impl Iterator<Item = f32> {
        let score = |shares: &Vec<f32>| -> f32 {
            shares.iter().zip(&self.term_weights).map(|(share, weight)| share * weight).sum()
        };
        self.shares.iter().map(score)
    }
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
    ) -> LexicalHits {
        let (terms, score_max) = self.term_scorers(query, bm25);
        let lengths = self.weighted_lengths(bm25);
        let scorer = Bm25Scorer::new(&lengths, &self.columns, bm25);
        let mut top = TopK::new(limit);
        for (doc, score) in max_score(&terms, &scorer, within, limit) {
            if top.accepts(score) {
                top.offer(SearchHit { id: self.id(doc), doc, score });
            }
        }
        LexicalHits { hits: top.into_sorted(), score_max }
    }

    /// Returns the BM25 scores of these documents, in their order; 0 for one without any query
    /// term.
    #[must_use]
    pub fn lexical_scores(&self, query: &QueryTerms, bm25: &Bm25, docs: &[DocId]) -> Vec<f32> {
        let (terms, _) = self.term_scorers(query, bm25);
        let lengths = self.weighted_lengths(bm25);
        let scorer = Bm25Scorer::new(&lengths, &self.columns, bm25);
        scores_for(&terms, &scorer, docs)
    }

    /// Returns the contribution of each query term to each of these documents.
    #[must_use]
    pub fn lexical_shares(&self, query: &QueryTerms, bm25: &Bm25, docs: &[DocId]) -> TermShares {
        let (terms, score_max) = self.term_scorers(query, bm25);
        let lengths = self.weighted_lengths(bm25);
        let scorer = Bm25Scorer::new(&lengths, &self.columns, bm25);
        // Posting lists are searched fastest in ascending order; `positions` leads back to the
        // caller's.
        let mut in_order: Vec<(DocId, usize)> = docs.iter().copied().zip(0..).collect();
        in_order.sort_unstable();
        let (docs, positions): (Vec<DocId>, Vec<usize>) = in_order.into_iter().unzip();
        let mut shares = vec![vec![0.0; terms.len()]; docs.len()];
        for (at, term) in terms.iter().enumerate() {
            term.for_each_score_of(&scorer, &docs, |nth, score| {
                shares[positions[nth]][at] = score / term.upper_bound
            });
        }
        TermShares {
            term_weights: terms.iter().map(|term| term.upper_bound / score_max).collect(),
            shares,
        }
    }

    /// Returns the number of memories that contain the term, given in the form that the crate
    /// `words` emits.
    #[must_use]
    pub fn document_frequency(&self, term: &str) -> usize {
        self.postings.document_frequency(&self.postings.posting_list(term))
    }

    /// Returns the number of these memories that contain the term.
    #[must_use]
    pub fn frequency_within(&self, term: &str, within: &DocSet) -> usize {
        let mut count = 0;
        self.postings
            .posting_list(term)
            .for_each(|doc, _| count += usize::from(within.contains(doc)));
        count
    }

    /// Returns true if a memory contains the term, given in the form that the crate `words` emits.
    #[must_use]
    pub fn has_term(&self, doc: DocId, term: &str) -> bool {
        let mut found = false;
        self.postings.posting_list(term).look_up(&[doc], |_, _| found = true);
        found
    }

    /// Returns for each document, given in ascending order, whether its title or text contains the
    /// term, in the form that the crate `words` emits.
    #[must_use]
    pub fn states_term(&self, term: &str, docs: &[DocId]) -> Vec<bool> {
        let mut stated = vec![false; docs.len()];
        let list = self.postings.posting_list(term);
        list.look_up(docs, |nth, counts| stated[nth] = counts.is_stated());
        stated
    }

    /// Returns the memories that contain at least one of the terms.
    #[must_use]
    pub fn docs_with_any_term(&self, query: &QueryTerms) -> DocSet {
        let mut docs = DocSet::default();
        for term in &query.terms {
            self.postings.posting_list(&term.text).for_each(|doc, _| docs.insert(doc));
        }
        docs
    }

    /// Returns the memories that contain every one of the terms; none without terms.
    #[must_use]
    pub fn docs_with_all_terms(&self, query: &QueryTerms) -> DocSet {
        let mut lists: Vec<_> =
            query.terms.iter().map(|term| self.postings.posting_list(&term.text)).collect();
        // The shortest list first: the result never grows beyond it.
        lists.sort_by_key(|list| list.len_max());
        let mut lists = lists.into_iter().map(|list| {
            let mut docs = DocSet::default();
            list.for_each(|doc, _| docs.insert(doc));
            docs
        });
        let Some(mut all) = lists.next() else { return DocSet::default() };
        for docs in lists {
            all.retain(|doc| docs.contains(doc));
        }
        all
    }

    /// Returns the inverse document frequency of a term.
    pub(crate) fn term_idf(&self, term: &str) -> f32 {
        scorer::idf(self.len(), self.document_frequency(term))
    }

    fn weighted_lengths(&self, bm25: &Bm25) -> Cow<'_, WeightedLengths> {
        let cached =
            self.weighted_lengths.get_or_init(|| WeightedLengths::new(&self.columns, bm25));
        // The ranking always uses the same field weights; other ones, in tests and measurements,
        // are computed for the call.
        if cached.has_weights_of(bm25) {
            Cow::Borrowed(cached)
        } else {
            Cow::Owned(WeightedLengths::new(&self.columns, bm25))
        }
    }

    /// Returns scorers for the terms that occur in the index, heaviest first, and the maximum
    /// score.
    fn term_scorers(&self, query: &QueryTerms, bm25: &Bm25) -> (Vec<TermScorer<'_>>, f32) {
        scorer::prepare_terms(&self.postings, self.len() + bm25.assumed_memories, query, bm25)
    }
}

/// Cost of looking up one document in a posting list, in sequentially read postings.
const LOOK_UP_COST: usize = 12;

/// Number of documents per posting from which sorting the postings of all lists is cheaper than
/// clearing an accumulator for every document.
const SPARSE_ONE_OF: usize = 64;

/// Returns the exact score of every document that can be among the `limit` best.
fn max_score(
    terms: &[TermScorer<'_>],
    scorer: &Bm25Scorer<'_>,
    within: &DocSet,
    limit: usize,
) -> Vec<(DocId, f32)> {
    let postings_max: usize = terms.iter().map(TermScorer::postings_max).sum();
    // A narrow filter: look up each of its documents instead of reading the lists.
    if within.count() * terms.len() * LOOK_UP_COST < postings_max {
        let docs: Vec<DocId> = within.iter().collect();
        let sums = scores_for(terms, scorer, &docs);
        return docs.into_iter().zip(sums).filter(|&(_, sum)| sum > 0.0).collect();
    }
    if postings_max < scorer.doc_count() / SPARSE_ONE_OF {
        return merge_short_lists(terms, scorer, within);
    }
    let mut sums = Accumulators::new(scorer.doc_count(), within);
    let mut candidates: Option<Vec<DocId>> = None;
    for (nth, term) in terms.iter().enumerate() {
        let bound_of =
            |terms: &[TermScorer<'_>]| terms.iter().map(|term| term.upper_bound).sum::<f32>();
        let (processed, bound) = (bound_of(&terms[..nth]), bound_of(&terms[nth..]));
        candidates = match candidates {
            Some(candidates) => Some(sums.prune(candidates, bound, limit)),
            // No score can exceed the upper bounds processed so far, and reading a short list is
            // cheaper than scanning all accumulators.
            None if processed <= bound || term.postings_max() < scorer.doc_count() / 32 => None,
            None => sums.close_candidates(bound, limit),
        };
        // Non-essential terms in the sense of MaxScore are looked up for the candidates only,
        // unless reading the whole list is cheaper.
        match &candidates {
            Some(few) if few.len() * LOOK_UP_COST < term.postings_max() => {
                term.for_each_score_of(scorer, few, |nth, score| sums.add(few[nth], score));
            }
            _ => term.for_each_score(scorer, |doc, score| sums.add(doc, score)),
        }
    }
    let candidates = candidates.unwrap_or_else(|| sums.above(0.0).iter().collect());
    candidates.into_iter().map(|doc| (doc, sums.get(doc))).filter(|&(_, sum)| sum > 0.0).collect()
}

/// Returns the score of each of these documents. Fastest in ascending order.
fn scores_for(terms: &[TermScorer<'_>], scorer: &Bm25Scorer<'_>, docs: &[DocId]) -> Vec<f32> {
    let mut sums = vec![0.0; docs.len()];
    for term in terms {
        term.for_each_score_of(scorer, docs, |nth, score| sums[nth] += score);
    }
    sums
}

/// Scores all documents of short posting lists by sorting the postings, without an accumulator per
/// document of the view.
fn merge_short_lists(
    terms: &[TermScorer<'_>],
    scorer: &Bm25Scorer<'_>,
    within: &DocSet,
) -> Vec<(DocId, f32)> {
    let mut scored: Vec<(DocId, f32)> = Vec::new();
    for term in terms {
        term.for_each_score(scorer, |doc, score| scored.push((doc, score)));
    }
    scored.retain(|&(doc, score)| score > 0.0 && within.contains(doc));
    // A stable sort adds the contributions of a document in the order of the terms, as the other
    // paths do, so that rounding is identical everywhere.
    scored.sort_by_key(|&(doc, _)| doc);
    let same = scored.chunk_by(|one, other| one.0 == other.0);
    same.map(|same| (same[0].0, same.iter().map(|&(_, score)| score).sum())).collect()
}

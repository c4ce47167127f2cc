//! Candidate retrieval: the best documents by BM25 and by vector similarity, and the session
//! neighbours of the best of them.

use crate::{RankingWeights, RecallQuery};
use index::{DocId, DocSet, QueryVector, RankBitmap, SessionNeighbour, View};

/// Distance up to which neighbours in the session are considered.
const NEIGHBOUR_STEPS: usize = 2;

/// Documents that may answer a query.
pub(crate) struct Candidates {
    /// Distinct documents in ascending order.
    pub docs: Vec<DocId>,
    ranks: RankBitmap,
    /// Session neighbours of the documents that were retrieved by themselves. Neighbours of
    /// neighbours are not included: a line that was only added as a neighbour does not vouch for
    /// others. Not every neighbour is a candidate.
    pub neighbours: Vec<SessionNeighbour>,
    /// Upper bound of the BM25 score for this query.
    pub lexical_max: f32,
}

impl Candidates {
    /// Retrieves the candidates of a query within a document set.
    pub fn retrieve(
        view: &View,
        question: &RecallQuery,
        within: &DocSet,
        weights: &RankingWeights,
    ) -> Self {
        let lexical =
            view.lexical(&question.terms, &weights.bm25, within, weights.candidates_per_search);
        let mut docs: Vec<DocId> = lexical.hits.iter().map(|hit| hit.doc).collect();
        if let Some(vector) = &question.vector {
            let nearest =
                view.nearest(&QueryVector::new(vector), within, weights.candidates_per_search);
            docs.extend(nearest.iter().map(|hit| hit.doc));
        }
        sort_and_dedup(&mut docs);
        let neighbours = view
            .session_neighbours(&docs, NEIGHBOUR_STEPS)
            .filter(|near| within.contains(near.neighbour))
            .collect();
        let ranks = docs.iter().copied().collect();
        // Never zero, since scores are divided by it.
        let lexical_max = lexical.score_max.max(f32::MIN_POSITIVE);
        Self { docs, ranks, neighbours, lexical_max }
    }

    /// Adds the session neighbours of these documents. Returns the new candidates in ascending
    /// order.
    pub fn add_neighbours(&mut self, best: &DocSet) -> Vec<DocId> {
        let near = self
            .neighbours
            .iter()
            .filter(|near| best.contains(near.doc))
            .map(|near| near.neighbour);
        let mut new: Vec<DocId> = near.filter(|&beside| self.index_of(beside).is_none()).collect();
        sort_and_dedup(&mut new);
        self.docs.extend(&new);
        self.docs.sort_unstable();
        self.ranks = self.docs.iter().copied().collect();
        new
    }

    /// Returns the index of a document among the candidates.
    pub fn index_of(&self, doc: DocId) -> Option<usize> {
        self.ranks.rank(doc)
    }
}

/// Returns true if a memory is the first of several in its session. Only visible memories within
/// `NEIGHBOUR_STEPS` are checked.
pub(crate) fn opens_session(view: &View, doc: DocId, within: &DocSet) -> bool {
    let is_visible = |other: DocId| within.contains(other);
    !view.session_before(doc).take(NEIGHBOUR_STEPS).any(is_visible)
        && view.session_after(doc).take(NEIGHBOUR_STEPS).any(is_visible)
}

fn sort_and_dedup(docs: &mut Vec<DocId>) {
    docs.sort_unstable();
    docs.dedup();
}

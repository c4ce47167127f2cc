//! Candidate retrieval: the best documents by BM25 and by vector similarity, and the session
//! neighbours of the best of them.

use crate::{Question, Weights};
use index::{Beside, Doc, DocSet, Positions, QueryVector, View};

/// Distance up to which neighbours in the session are considered.
const STEPS: usize = 2;

/// Documents that may answer a query.
pub(crate) struct Candidates {
    /// Distinct documents in ascending order.
    pub docs: Vec<Doc>,
    positions: Positions,
    /// Session neighbours of the documents that were retrieved by themselves. Neighbours of
    /// neighbours are not included: a line that was only added as a neighbour does not vouch for
    /// others. Not every neighbour is a candidate.
    pub around: Vec<Beside>,
    /// Upper bound of the BM25 score for this query.
    pub ceiling: f32,
}

impl Candidates {
    /// Retrieves the candidates of a query within a document set.
    pub fn found(view: &View, question: &Question, within: &DocSet, weights: &Weights) -> Self {
        let lexical = view.lexical(&question.terms, &weights.bm25, within, weights.pool);
        let mut docs: Vec<Doc> = lexical.hits.iter().map(|hit| hit.doc).collect();
        if let Some(vector) = &question.vector {
            let nearest = view.nearest(&QueryVector::new(vector), within, weights.pool);
            docs.extend(nearest.iter().map(|hit| hit.doc));
        }
        sort_once(&mut docs);
        let around =
            view.beside(&docs, STEPS).filter(|near| within.contains(near.beside)).collect();
        let positions = docs.iter().copied().collect();
        // Never zero, since scores are divided by it.
        let ceiling = lexical.ceiling.max(f32::MIN_POSITIVE);
        Self { docs, positions, around, ceiling }
    }

    /// Adds the session neighbours of these documents. Returns the new candidates in ascending
    /// order.
    pub fn look_around(&mut self, best: &DocSet) -> Vec<Doc> {
        let near =
            self.around.iter().filter(|near| best.contains(near.found)).map(|near| near.beside);
        let mut new: Vec<Doc> = near.filter(|&beside| self.position(beside).is_none()).collect();
        sort_once(&mut new);
        self.docs.extend(&new);
        self.docs.sort_unstable();
        self.positions = self.docs.iter().copied().collect();
        new
    }

    /// Returns the index of a document among the candidates.
    pub fn position(&self, doc: Doc) -> Option<usize> {
        self.positions.get(doc)
    }
}

/// Returns true if a memory is the first of several in its session. Only visible memories within
/// `NEIGHBOUR_STEPS` are checked.
pub(crate) fn opens(view: &View, doc: Doc, within: &DocSet) -> bool {
    let is_visible = |other: Doc| within.contains(other);
    !view.session_before(doc).take(STEPS).any(is_visible)
        && view.session_after(doc).take(STEPS).any(is_visible)
}

fn sort_once(docs: &mut Vec<Doc>) {
    docs.sort_unstable();
    docs.dedup();
}

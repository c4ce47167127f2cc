//! What may answer a question: the best by words and the best by meaning, with the lines around the
//! first of them.

use crate::{Question, Weights};
use index::{Beside, Doc, DocSet, Positions, QueryVector, View};

/// How far around a candidate its session is looked at.
const STEPS: usize = 2;

/// Memories that may answer.
pub(crate) struct Candidates {
    /// Their places, each once, in order.
    pub docs: Vec<Doc>,
    positions: Positions,
    /// Who stands around those that were found by themselves: what stands beside a line that was
    /// only taken along is no better than that line. Not everything that stands there is a
    /// candidate.
    pub around: Vec<Beside>,
    /// The word score that nothing can exceed.
    pub ceiling: f32,
}

impl Candidates {
    /// Finds them within a set.
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
        Self { docs, positions, around, ceiling: lexical.ceiling.max(f32::MIN_POSITIVE) }
    }

    /// Takes the lines around these along. Answers with those that were not candidates before, in
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

    /// Which of the candidates a place is.
    pub fn position(&self, doc: Doc) -> Option<usize> {
        self.positions.get(doc)
    }
}

/// Whether a memory is the first of several in its session, as far as can be seen from it within
/// the set.
pub(crate) fn opens(view: &View, doc: Doc, within: &DocSet) -> bool {
    let seen = |other: Doc| within.contains(other);
    !view.session_before(doc).take(STEPS).any(seen) && view.session_after(doc).take(STEPS).any(seen)
}

fn sort_once(docs: &mut Vec<Doc>) {
    docs.sort_unstable();
    docs.dedup();
}

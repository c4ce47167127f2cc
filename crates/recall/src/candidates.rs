//! What may answer a question: the best by words and the best by meaning, with the lines around the first of them.

use crate::{Question, Weights};
use index::{Doc, DocSet, QueryVector, View};

/// How far around a candidate its session is looked at.
const STEPS: usize = 2;

/// Memories that may answer.
pub(crate) struct Candidates {
    /// Their places, each once, in order.
    pub docs: Vec<Doc>,
    /// Who stands around those that were found by themselves: what stands beside a line that was only taken along is
    /// no better than that line. Not everything that stands there is a candidate.
    pub around: Vec<Around>,
    /// The word score that nothing can exceed.
    pub ceiling: f32,
}

/// Two memories of a session that stand near each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    /// The one that was found.
    pub found: Doc,
    /// The one beside it.
    pub beside: Doc,
    /// How far apart: 0 for the next line.
    pub step: usize,
    /// Whether the one beside it came first.
    pub earlier: bool,
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
        let around = docs.iter().flat_map(|&doc| around(view, doc, within)).collect();
        Self { docs, around, ceiling: lexical.ceiling.max(f32::MIN_POSITIVE) }
    }

    /// Takes the lines around these along. Answers with those that were not candidates before, in order.
    pub fn look_around(&mut self, best: &DocSet) -> Vec<Doc> {
        let near = self.around.iter().filter(|near| best.contains(near.found)).map(|near| near.beside);
        let mut new: Vec<Doc> = near.filter(|&beside| self.position(beside).is_none()).collect();
        sort_once(&mut new);
        self.docs.extend(&new);
        self.docs.sort_unstable();
        new
    }

    /// Which of the candidates a place is.
    pub fn position(&self, doc: Doc) -> Option<usize> {
        self.docs.binary_search(&doc).ok()
    }
}

/// Whether a memory is the first of several in its session, as far as can be seen from it within the set.
pub(crate) fn opens(view: &View, doc: Doc, within: &DocSet) -> bool {
    let seen = |other: Doc| within.contains(other);
    !view.session_before(doc).take(STEPS).any(seen) && view.session_after(doc).take(STEPS).any(seen)
}

fn sort_once(docs: &mut Vec<Doc>) {
    docs.sort_unstable();
    docs.dedup();
}

fn around(view: &View, found: Doc, within: &DocSet) -> impl Iterator<Item = Around> {
    let near = move |earlier| move |(step, beside)| Around { found, beside, step, earlier };
    let before = view.session_before(found).take(STEPS).enumerate().map(near(true));
    let after = view.session_after(found).take(STEPS).enumerate().map(near(false));
    before.chain(after).filter(|near| within.contains(near.beside))
}

//! Score accumulators of term-at-a-time evaluation, and the MaxScore threshold that decides which
//! documents can still be among the best.

use crate::{DocId, DocSet};

/// One partial score per document. Documents outside the filter start at negative infinity, which
/// spares a filter test for every posting.
pub(super) struct Accumulators {
    scores: Vec<f32>,
    /// Lower bound of the k-th best score so far; never decreases.
    threshold: f32,
}

impl Accumulators {
    pub(super) fn new(doc_count: usize, within: &DocSet) -> Self {
        let mut scores = vec![0.0; doc_count];
        within.for_each_absent(doc_count, |doc| scores[doc.index()] = f32::NEG_INFINITY);
        Self { scores, threshold: 0.0 }
    }

    pub(super) fn get(&self, doc: DocId) -> f32 {
        self.scores[doc.index()]
    }

    #[inline]
    pub(super) fn add(&mut self, doc: DocId, score: f32) {
        self.scores[doc.index()] += score;
    }

    /// Returns the documents with a score above this one.
    pub(super) fn above(&self, sum: f32) -> DocSet {
        DocSet::from_column([&self.scores, &[]], |reached| reached > sum)
    }

    /// Returns the documents that can still be among the best, provided that the remaining terms,
    /// worth at most `bound`, cannot lift any other document there. `None` while they still can.
    pub(super) fn close_candidates(&mut self, bound: f32, limit: usize) -> Option<Vec<DocId>> {
        let least = bound.max(self.threshold);
        // A sampled threshold that is too high only costs a second pass with the safe one.
        let likely = Some(self.sampled_threshold(limit)).filter(|&likely| likely > least);
        let enough = |sum: f32| Some(self.above(sum)).filter(|high| high.count() >= limit);
        let high = likely.and_then(enough).or_else(|| enough(least))?;
        self.raise_threshold(high.iter(), limit);
        (self.threshold > bound).then(|| self.above(self.threshold - bound).iter().collect())
    }

    /// Returns the candidates that can still be among the best when at most `bound` is to come.
    pub(super) fn prune(
        &mut self,
        mut candidates: Vec<DocId>,
        bound: f32,
        limit: usize,
    ) -> Vec<DocId> {
        self.raise_threshold(candidates.iter().copied(), limit);
        candidates.retain(|&doc| self.get(doc) + bound >= self.threshold);
        candidates
    }

    /// Estimates from a sample a score that slightly more than `limit` documents reach, so that the
    /// exact selection has to look at far fewer of them.
    fn sampled_threshold(&self, limit: usize) -> f32 {
        const SAMPLE_ONE_OF: usize = 32;
        let mut sample: Vec<f32> = self.scores.iter().step_by(SAMPLE_ONE_OF).copied().collect();
        let nth = 2 * limit / SAMPLE_ONE_OF + 2;
        if nth >= sample.len() {
            return 0.0;
        }
        *sample.select_nth_unstable_by(nth, |one, other| other.total_cmp(one)).1
    }

    /// Raises the threshold to the `limit`-th best score of these documents.
    fn raise_threshold(&mut self, docs: impl Iterator<Item = DocId>, limit: usize) {
        let Some(last) = limit.checked_sub(1) else { return };
        let mut high: Vec<f32> =
            docs.map(|doc| self.get(doc)).filter(|&sum| sum >= self.threshold).collect();
        if last < high.len() {
            let (_, sum, _) = high.select_nth_unstable_by(last, |one, other| other.total_cmp(one));
            // Slightly lower, because sums in another order may round differently.
            self.threshold = self.threshold.max(*sum * 0.999_9);
        }
    }
}

//! Score accumulators of term-at-a-time evaluation, and the MaxScore threshold that decides which
//! documents can still be among the best.

use crate::{Doc, DocSet};

/// One partial score per document. Documents outside the filter start at negative infinity, which
/// spares a filter test for every posting.
pub(super) struct Sums {
    sums: Vec<f32>,
    /// Lower bound of the k-th best score so far; never decreases.
    floor: f32,
}

impl Sums {
    pub(super) fn new(doc_count: usize, within: &DocSet) -> Self {
        let mut sums = vec![0.0; doc_count];
        within.each_gap(doc_count, |doc| sums[doc.index()] = f32::NEG_INFINITY);
        Self { sums, floor: 0.0 }
    }

    pub(super) fn of(&self, doc: Doc) -> f32 {
        self.sums[doc.index()]
    }

    #[inline]
    pub(super) fn add(&mut self, doc: Doc, score: f32) {
        self.sums[doc.index()] += score;
    }

    /// Returns the documents with a score above this one.
    pub(super) fn above(&self, sum: f32) -> DocSet {
        DocSet::of_values(&self.sums, |reached| reached > sum)
    }

    /// Returns the documents that can still be among the best, provided that the remaining terms,
    /// worth at most `bound`, cannot lift any other document there. `None` while they still can.
    pub(super) fn settled(&mut self, bound: f32, limit: usize) -> Option<Vec<Doc>> {
        let least = bound.max(self.floor);
        // A sampled threshold that is too high only costs a second pass with the safe one.
        let likely = Some(self.likely_floor(limit)).filter(|&likely| likely > least);
        let enough = |sum: f32| Some(self.above(sum)).filter(|high| high.count() >= limit);
        let high = likely.and_then(enough).or_else(|| enough(least))?;
        self.raise_floor(high.iter(), limit);
        (self.floor > bound).then(|| self.above(self.floor - bound).iter().collect())
    }

    /// Returns the candidates that can still be among the best when at most `bound` is to come.
    pub(super) fn hopeful(
        &mut self,
        mut candidates: Vec<Doc>,
        bound: f32,
        limit: usize,
    ) -> Vec<Doc> {
        self.raise_floor(candidates.iter().copied(), limit);
        candidates.retain(|&doc| self.of(doc) + bound >= self.floor);
        candidates
    }

    /// Estimates from a sample a score that slightly more than `limit` documents reach, so that the
    /// exact selection has to look at far fewer of them.
    fn likely_floor(&self, limit: usize) -> f32 {
        const ONE_OF: usize = 32;
        let mut sample: Vec<f32> = self.sums.iter().step_by(ONE_OF).copied().collect();
        let nth = 2 * limit / ONE_OF + 2;
        if nth >= sample.len() {
            return 0.0;
        }
        *sample.select_nth_unstable_by(nth, |one, other| other.total_cmp(one)).1
    }

    /// Raises the threshold to the `limit`-th best score of these documents.
    fn raise_floor(&mut self, docs: impl Iterator<Item = Doc>, limit: usize) {
        let Some(last) = limit.checked_sub(1) else { return };
        let mut high: Vec<f32> =
            docs.map(|doc| self.of(doc)).filter(|&sum| sum >= self.floor).collect();
        if last < high.len() {
            let (_, sum, _) = high.select_nth_unstable_by(last, |one, other| other.total_cmp(one));
            // Slightly lower, because sums in another order may round differently.
            self.floor = self.floor.max(*sum * 0.999_9);
        }
    }
}

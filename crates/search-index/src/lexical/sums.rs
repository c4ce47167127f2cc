//! What each place has got so far of a question's terms, and which of the places can still be among
//! the best.

use crate::{Doc, DocSet};

/// Running sums, one a place. A place outside the filter starts so low that nothing lifts it,
/// which spares asking the filter about every entry of every list.
pub(super) struct Sums {
    sums: Vec<f32>,
    /// What the best reach at least, as far as it was looked into; it never falls.
    floor: f32,
}

impl Sums {
    pub(super) fn new(places: usize, within: &DocSet) -> Self {
        let mut sums = vec![0.0; places];
        within.each_gap(places, |doc| sums[doc.index()] = f32::NEG_INFINITY);
        Self { sums, floor: 0.0 }
    }

    pub(super) fn of(&self, doc: Doc) -> f32 {
        self.sums[doc.index()]
    }

    #[inline]
    pub(super) fn add(&mut self, doc: Doc, score: f32) {
        self.sums[doc.index()] += score;
    }

    /// Every place with more than this.
    pub(super) fn above(&self, sum: f32) -> DocSet {
        DocSet::of_values(&self.sums, |reached| reached > sum)
    }

    /// Every place that can still be among the best, if what is left, at most `bound`, lifts no new
    /// one there.
    pub(super) fn settled(&mut self, bound: f32, limit: usize) -> Option<Vec<Doc>> {
        let least = bound.max(self.floor);
        let likely = Some(self.likely_floor(limit)).filter(|&likely| likely > least);
        let enough = |sum: f32| Some(self.above(sum)).filter(|high| high.count() >= limit);
        let high = likely.and_then(enough).or_else(|| enough(least))?;
        self.raise_floor(high.iter(), limit);
        (self.floor > bound).then(|| self.above(self.floor - bound).iter().collect())
    }

    /// Those of the candidates that can still be among the best, with at most `bound` to come.
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

    /// What a little more than `limit` places reach, going by a sample of them: looking at no
    /// others spares taking down thousands.
    fn likely_floor(&self, limit: usize) -> f32 {
        const ONE_OF: usize = 32;
        let mut sample: Vec<f32> = self.sums.iter().step_by(ONE_OF).copied().collect();
        let nth = 2 * limit / ONE_OF + 2;
        if nth >= sample.len() {
            return 0.0;
        }
        *sample.select_nth_unstable_by(nth, |one, other| other.total_cmp(one)).1
    }

    /// Raises the floor to the `limit`-th best of these, or a hair lower since sums are rounded.
    fn raise_floor(&mut self, docs: impl Iterator<Item = Doc>, limit: usize) {
        let Some(last) = limit.checked_sub(1) else { return };
        let mut high: Vec<f32> =
            docs.map(|doc| self.of(doc)).filter(|&sum| sum >= self.floor).collect();
        if last < high.len() {
            let (_, sum, _) = high.select_nth_unstable_by(last, |one, other| other.total_cmp(one));
            self.floor = self.floor.max(*sum * 0.999_9);
        }
    }
}

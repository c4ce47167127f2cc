//! Top-k selection with a total order, so that the same hits win in whatever order they are
//! offered.

use crate::DocId;
use model::MemoryId;
use std::cmp::Ordering;

/// One result of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit {
    pub id: MemoryId,
    pub doc: DocId,
    /// Score on the scale of the search that produced it (BM25 or cosine).
    pub score: f32,
}

impl SearchHit {
    /// Orders by descending score; ties go to the younger memory.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.id.cmp(&self.id))
    }
}

/// Collects the best `limit` hits. Instead of a heap it buffers up to twice the limit and then
/// discards the worse half by selection, which costs amortised O(1) per hit.
pub(crate) struct TopK {
    limit: usize,
    threshold: f32,
    hits: Vec<SearchHit>,
}

impl TopK {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, threshold: f32::NEG_INFINITY, hits: Vec::new() }
    }

    /// Returns true if a hit of this score could still be among the best. Lets callers skip the
    /// work of building a hit that would be dropped.
    #[inline]
    pub(crate) fn accepts(&self, score: f32) -> bool {
        score >= self.threshold && self.limit > 0
    }

    pub(crate) fn offer(&mut self, hit: SearchHit) {
        if self.accepts(hit.score) {
            self.hits.push(hit);
            // At least 64, so that a tiny limit does not select after every second hit.
            if self.hits.len() >= self.limit.saturating_mul(2).max(64) {
                self.prune();
            }
        }
    }

    /// Returns the best hits in descending order.
    pub(crate) fn into_sorted(mut self) -> Vec<SearchHit> {
        self.hits.sort_unstable_by(SearchHit::compare);
        self.hits.truncate(self.limit);
        self.hits
    }

    fn prune(&mut self) {
        if self.hits.len() > self.limit {
            self.hits.select_nth_unstable_by(self.limit - 1, SearchHit::compare);
            self.hits.truncate(self.limit);
            self.threshold = self.hits.last().map_or(self.threshold, |worst| worst.score);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_whatever_the_order_they_come_in() {
        let hit = |n: i64| SearchHit { id: MemoryId(n), doc: DocId(0), score: (n % 50) as f32 };
        let best = |numbers: &mut dyn Iterator<Item = i64>| {
            let mut top = TopK::new(7);
            numbers.for_each(|n| top.offer(hit(n)));
            top.into_sorted().iter().map(|hit| hit.id.0).collect::<Vec<_>>()
        };
        let forward = best(&mut (0..1_000));
        assert_eq!(forward, best(&mut (0..1_000).rev()));
        assert_eq!(forward[..2], [999, 949]);
        assert_eq!(best(&mut (0..3)), [2, 1, 0]);
        assert!(TopK::new(0).into_sorted().is_empty());
    }
}

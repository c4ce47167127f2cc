//! Top-k selection with a total order, so that the same hits win in whatever order they are
//! offered.

use crate::Doc;
use model::MemoryId;
use std::cmp::Ordering;

/// One result of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub id: MemoryId,
    pub doc: Doc,
    /// Score on the scale of the search that produced it (BM25 or cosine).
    pub score: f32,
}

impl Hit {
    /// Orders by descending score; ties go to the younger memory.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.id.cmp(&self.id))
    }
}

/// Collects the best `limit` hits. Instead of a heap it buffers up to twice the limit and then
/// discards the worse half by selection, which costs amortised O(1) per hit.
pub(crate) struct Top {
    limit: usize,
    floor: f32,
    hits: Vec<Hit>,
}

impl Top {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, floor: f32::NEG_INFINITY, hits: Vec::new() }
    }

    /// Returns true if a hit of this score could still be among the best. Lets callers skip the
    /// work of building a hit that would be dropped.
    #[inline]
    pub(crate) fn wants(&self, score: f32) -> bool {
        score >= self.floor && self.limit > 0
    }

    pub(crate) fn offer(&mut self, hit: Hit) {
        if self.wants(hit.score) {
            self.hits.push(hit);
            // At least 64, so that a tiny limit does not select after every second hit.
            if self.hits.len() >= self.limit.saturating_mul(2).max(64) {
                self.prune();
            }
        }
    }

    /// Returns the best hits in descending order.
    pub(crate) fn finish(mut self) -> Vec<Hit> {
        self.hits.sort_unstable_by(Hit::order);
        self.hits.truncate(self.limit);
        self.hits
    }

    fn prune(&mut self) {
        if self.hits.len() > self.limit {
            self.hits.select_nth_unstable_by(self.limit - 1, Hit::order);
            self.hits.truncate(self.limit);
            self.floor = self.hits.last().map_or(self.floor, |worst| worst.score);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_whatever_the_order_they_come_in() {
        let hit = |n: i64| Hit { id: MemoryId(n), doc: Doc(0), score: (n % 50) as f32 };
        let best = |numbers: &mut dyn Iterator<Item = i64>| {
            let mut top = Top::new(7);
            numbers.for_each(|n| top.offer(hit(n)));
            top.finish().iter().map(|hit| hit.id.0).collect::<Vec<_>>()
        };
        let forward = best(&mut (0..1_000));
        assert_eq!(forward, best(&mut (0..1_000).rev()));
        assert_eq!(forward[..2], [999, 949]);
        assert_eq!(best(&mut (0..3)), [2, 1, 0]);
        assert!(Top::new(0).finish().is_empty());
    }
}

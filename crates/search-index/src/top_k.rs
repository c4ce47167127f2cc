//! Top-k selection with a total order, so that the same hits win in whatever order they are
//! offered.

use crate::DocId;
use crate::smallest_keys::SmallestKeys;
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

/// Collects the best `limit` hits.
pub(crate) struct TopK {
    limit: usize,
    hits: SmallestKeys<RankedHit>,
}

impl TopK {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, hits: SmallestKeys::new(limit) }
    }

    /// Returns true if a hit of this score could still be among the best. Lets callers skip the
    /// work of building a hit that would be dropped.
    #[inline]
    pub(crate) fn accepts(&self, score: f32) -> bool {
        self.limit > 0 && self.hits.bound().is_none_or(|worst| score >= worst.0.score)
    }

    pub(crate) fn offer(&mut self, hit: SearchHit) {
        self.hits.offer(RankedHit(hit));
    }

    /// Returns the best hits in descending order.
    pub(crate) fn into_sorted(self) -> Vec<SearchHit> {
        self.hits.into_sorted().into_iter().map(|RankedHit(hit)| hit).collect()
    }
}

/// A hit that compares by its rank: the better one is smaller.
#[derive(Debug, Clone, Copy)]
struct RankedHit(SearchHit);

impl Ord for RankedHit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(&other.0)
    }
}

impl PartialOrd for RankedHit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RankedHit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for RankedHit {}

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

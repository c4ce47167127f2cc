//! Selection of the smallest keys without sorting the rest.

/// Collects the smallest `limit` keys. It buffers up to twice the limit and then discards the
/// larger half by selection, which costs amortised O(1) per key.
pub(crate) struct SmallestKeys<K> {
    limit: usize,
    /// Largest of the keys that are surely enough; no larger one is accepted any more.
    bound: Option<K>,
    keys: Vec<K>,
}

impl<K: Ord + Copy> SmallestKeys<K> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bound: None, keys: Vec::new() }
    }

    /// Returns the key that a further one has to stay below, once there are enough.
    pub(crate) fn bound(&self) -> Option<K> {
        self.bound
    }

    #[inline]
    pub(crate) fn offer(&mut self, key: K) {
        if self.limit > 0 && self.bound.is_none_or(|bound| key < bound) {
            self.keys.push(key);
            // At least 64 more, so that a small limit does not select after every other key.
            if self.keys.len() >= self.limit.saturating_mul(2).max(self.limit.saturating_add(64)) {
                self.tighten();
            }
        }
    }

    /// Drops all but the smallest keys, and lowers the bound to the largest of them.
    pub(crate) fn tighten(&mut self) {
        if self.keys.len() >= self.limit && self.limit > 0 {
            let (_, largest, _) = self.keys.select_nth_unstable(self.limit - 1);
            self.bound = Some(*largest);
            self.keys.truncate(self.limit);
        }
    }

    /// Returns the smallest keys in ascending order.
    pub(crate) fn into_sorted(mut self) -> Vec<K> {
        self.tighten();
        self.keys.sort_unstable();
        self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_keys_are_kept_in_whatever_order_they_come() {
        for limit in [0, 1, 7, 500, 2_000] {
            let expected: Vec<u32> = (0..1_000).take(limit).collect();
            for step in [1, 7, 999] {
                let mut smallest = SmallestKeys::new(limit);
                (0..1_000).for_each(|n| smallest.offer(n * step % 1_000));
                assert_eq!(smallest.into_sorted(), expected, "{limit} {step}");
            }
        }
    }
}

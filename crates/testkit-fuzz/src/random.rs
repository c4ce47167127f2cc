//! A small seeded generator (SplitMix64): the same seed gives the same inputs on every machine.

/// A seeded random generator.
#[derive(Debug, Clone)]
pub(crate) struct SeededRandom(u64);

impl SeededRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 when that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The remainder of a number of 64 bits is as good as even for the sizes here.
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// Returns one of several items.
    pub(crate) fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        let at = self.below(items.len());
        items.get(at)
    }
}

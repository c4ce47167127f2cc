//! Checks of the blocks of a mapped array. Each is checked when it is first read, so that opening
//! a snapshot does not have to read what no question asks for.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes per block. A search scores single vectors of 256 bytes all over the array: a larger block
/// would be checked for the sake of one of them, smaller ones would need more checksums.
const BLOCK_BYTES: usize = 1 << 10;

/// A mark that a part of a snapshot is not what was written, shared by all its arrays.
#[derive(Debug, Clone, Default)]
pub(crate) struct DamageMark(Arc<AtomicBool>);

impl DamageMark {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Conditions that the blocks of an array must fulfil.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockConditions {
    pub(crate) checksums: Vec<u32>,
    /// Bound of the numbers of an array of indexes. A checksum only proves that the bytes are what
    /// some program wrote.
    pub(crate) bound: Option<usize>,
}

impl BlockConditions {
    /// Returns true if an array is as long as the checksums are for.
    pub(crate) fn fit(&self, length: usize) -> bool {
        self.checksums.len() == length.div_ceil(BLOCK_BYTES)
    }

    /// Returns true if a block of the array is as it was written, and within the bound.
    pub(crate) fn hold(&self, array: &[u8], block: usize) -> bool {
        let start = block * BLOCK_BYTES;
        let bytes = &array[start..array.len().min(start + BLOCK_BYTES)];
        checksum(bytes) == self.checksums[block]
            && self.bound.is_none_or(|bound| {
                bytemuck::try_cast_slice(bytes).is_ok_and(|numbers| are_below(numbers, bound))
            })
    }

    /// Returns true if all blocks are.
    pub(crate) fn hold_everywhere(&self, array: &[u8]) -> bool {
        self.fit(array.len()) && (0..self.checksums.len()).all(|block| self.hold(array, block))
    }
}

/// Blocks of an array that were found intact.
#[derive(Debug)]
pub(crate) struct BlockChecks {
    conditions: BlockConditions,
    /// One bit per block.
    intact: Vec<AtomicU64>,
    damage: DamageMark,
}

impl BlockChecks {
    pub(crate) fn new(conditions: BlockConditions, damage: DamageMark) -> Self {
        let words = conditions.checksums.len().div_ceil(64);
        Self { conditions, intact: (0..words).map(|_| AtomicU64::new(0)).collect(), damage }
    }

    /// Checks the blocks of a range of the array that were not checked yet, and marks damage.
    /// Returns false if one is damaged.
    #[inline]
    pub(crate) fn check(&self, array: &[u8], range: Range<usize>) -> bool {
        let mut block = range.start / BLOCK_BYTES;
        let end = range.end.div_ceil(BLOCK_BYTES);
        let mut all = true;
        // 64 blocks at a time: the list of a common word has thousands.
        while block < end {
            let next = end.min((block / 64 + 1) * 64);
            let wanted = u64::MAX >> (64 - (next - block)) << (block % 64);
            let intact = self.intact[block / 64].load(Ordering::Relaxed);
            all &= intact & wanted == wanted || self.check_blocks(array, block..next);
            block = next;
        }
        all
    }

    #[cold]
    fn check_blocks(&self, array: &[u8], mut blocks: Range<usize>) -> bool {
        let is_intact = |block: usize| {
            let (word, bit) = (&self.intact[block / 64], 1 << (block % 64));
            if word.load(Ordering::Relaxed) & bit != 0 {
                return true;
            }
            let holds = self.conditions.hold(array, block);
            word.fetch_or(if holds { bit } else { 0 }, Ordering::Relaxed);
            holds
        };
        let all = blocks.all(is_intact);
        if !all {
            self.damage.set();
        }
        all
    }
}

/// Returns the checksums of the blocks of an array that lies in two parts.
pub(crate) fn block_checksums([first, second]: [&[u8]; 2]) -> Vec<u32> {
    let (first, rest) = first.split_at(first.len() - first.len() % BLOCK_BYTES);
    // What the last block of the first part lacks is at the beginning of the second.
    let lacking = (BLOCK_BYTES - rest.len()) % BLOCK_BYTES;
    let (begin, second) = second.split_at(lacking.min(second.len()));
    let across = [rest, begin].concat();
    let parts = [first, &across, second];
    parts.into_iter().flat_map(|part| part.chunks(BLOCK_BYTES)).map(checksum).collect()
}

/// Returns true if all numbers are below a bound.
fn are_below(numbers: &[u32], bound: usize) -> bool {
    let Some(last) = bound.checked_sub(1) else { return numbers.is_empty() };
    let Ok(last) = i32::try_from(last) else {
        return numbers.iter().all(|&number| number as usize <= last);
    };
    // The sign of `last - number` or of `number` itself is set for every number that is too large.
    // Neither an early exit nor a maximum: this vectorises on every processor.
    let signs = numbers
        .iter()
        .fold(0, |signs, &number| signs | last.wrapping_sub(number as i32) | number as i32);
    signs >= 0
}

/// Returns the lower half of XXH3, which detects accidental damage and no more.
fn checksum(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn checksums_do_not_depend_on_where_the_parts_meet(
            bytes in prop::collection::vec(any::<u8>(), 0..5_000),
            at in any::<prop::sample::Index>(),
        ) {
            let (first, second) = bytes.split_at(at.index(bytes.len() + 1));
            prop_assert_eq!(block_checksums([first, second]), block_checksums([&bytes, &[]]));
        }

        #[test]
        fn numbers_are_below_a_bound_exactly_if_each_is(
            numbers in prop::collection::vec(
                prop_oneof![0..6_u32, Just(i32::MAX as u32), Just(1 << 31), Just(u32::MAX)],
                0..8,
            ),
            bound in prop_oneof![0..7_usize, Just(1 << 31), Just(1 << 32)],
        ) {
            let each_is = numbers.iter().all(|&number| (number as usize) < bound);
            prop_assert_eq!(are_below(&numbers, bound), each_is);
        }
    }

    #[test]
    fn only_the_blocks_that_are_read_are_checked() {
        let mut array = vec![7_u8; 3 * BLOCK_BYTES + 5];
        let damage = DamageMark::default();
        let checksums = block_checksums([&array, &[]]);
        let checks = BlockChecks::new(BlockConditions { checksums, bound: None }, damage.clone());
        array[BLOCK_BYTES] = 8;
        assert!(checks.check(&array, 0..BLOCK_BYTES));
        assert!(checks.check(&array, 2 * BLOCK_BYTES..array.len()));
        assert!(!damage.is_set());
        assert!(!checks.check(&array, BLOCK_BYTES - 1..BLOCK_BYTES + 1));
        assert!(damage.is_set());
    }

    #[test]
    fn any_range_over_many_blocks_is_checked_as_a_whole() {
        let blocks = 150;
        let mut array = vec![7_u8; blocks * BLOCK_BYTES];
        let checksums = block_checksums([&array, &[]]);
        let damaged = 100;
        array[damaged * BLOCK_BYTES + 3] = 8;
        for (start, end) in
            [(0, 100), (0, 101), (63, 65), (64, 128), (100, 150), (101, 150), (9, 9)]
        {
            let conditions = BlockConditions { checksums: checksums.clone(), bound: None };
            let checks = BlockChecks::new(conditions, DamageMark::default());
            let is_intact = !(start..end).contains(&damaged);
            for _ in 0..2 {
                let range = start * BLOCK_BYTES..end * BLOCK_BYTES;
                assert_eq!(checks.check(&array, range), is_intact, "{start}..{end}");
            }
        }
    }
}

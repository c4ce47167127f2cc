//! Checksums of the blocks of a mapped array. A block is checked when it is first read, so that
//! opening a snapshot does not have to read what no question asks for.

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

/// Checksums of an array, and the blocks that were found intact.
#[derive(Debug)]
pub(crate) struct BlockChecksums {
    checksums: Vec<u32>,
    /// One bit per block.
    intact: Vec<AtomicU64>,
    damage: DamageMark,
}

impl BlockChecksums {
    /// Takes the checksums of an array of `length` bytes; `None` if their number does not fit.
    pub(crate) fn new(checksums: Vec<u32>, length: usize, damage: DamageMark) -> Option<Self> {
        if checksums.len() != length.div_ceil(BLOCK_BYTES) {
            return None;
        }
        let intact = (0..checksums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Some(Self { checksums, intact, damage })
    }

    /// Checks the blocks of a range of the array that were not checked yet, and marks damage.
    #[inline]
    pub(crate) fn check(&self, array: &[u8], range: Range<usize>) {
        for block in range.start / BLOCK_BYTES..range.end.div_ceil(BLOCK_BYTES) {
            let word = &self.intact[block / 64];
            if word.load(Ordering::Relaxed) >> (block % 64) & 1 == 0 {
                self.check_block(array, block);
            }
        }
    }

    #[cold]
    fn check_block(&self, array: &[u8], block: usize) {
        let start = block * BLOCK_BYTES;
        let bytes = &array[start..array.len().min(start + BLOCK_BYTES)];
        if checksum(bytes) == self.checksums[block] {
            self.intact[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        } else {
            self.damage.set();
        }
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
    }

    #[test]
    fn only_the_blocks_that_are_read_are_checked() {
        let mut array = vec![7_u8; 3 * BLOCK_BYTES + 5];
        let damage = DamageMark::default();
        let sums = block_checksums([&array, &[]]);
        let checks = BlockChecksums::new(sums, array.len(), damage.clone()).unwrap();
        array[BLOCK_BYTES] = 8;
        checks.check(&array, 0..BLOCK_BYTES);
        checks.check(&array, 2 * BLOCK_BYTES..array.len());
        assert!(!damage.is_set());
        checks.check(&array, BLOCK_BYTES - 1..BLOCK_BYTES + 1);
        assert!(damage.is_set());
    }
}

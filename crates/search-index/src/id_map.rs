//! Hash map from memory ids to document ids, with a hasher made for sequential integers.

use crate::DocId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Document ids by memory id.
pub(crate) type DocIdMap = HashMap<i64, DocId, BuildHasherDefault<IdHasher>>;

/// Fibonacci hashing of integer ids. The store hands the ids out in sequence, so no client can
/// choose colliding ones and a keyed hash such as SipHash is not needed.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // The standard hash table takes its slot from the low bits and its tag from the high
        // ones, so both must vary.
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_ids_spread_over_both_ends_of_the_hash() {
        let hash = |id: i64| {
            let mut hasher = IdHasher::default();
            hasher.write_i64(id);
            hasher.finish()
        };
        let distinct = |bits: fn(u64) -> u64| {
            (0..128).map(|id| bits(hash(id))).collect::<std::collections::HashSet<_>>()
        };
        assert!(distinct(|hash| hash >> 57).len() > 64);
        assert!(distinct(|hash| hash & 127).len() > 64);
    }
}

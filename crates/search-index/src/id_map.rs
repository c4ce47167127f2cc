//! Map from memory ids to document ids. The store hands the ids out in sequence, so nearly all of
//! them are found by indexing an array; ids far beyond the others, such as those of an imported
//! file, are in a hash map.

use crate::DocId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Array entry of an id that has no document.
const VACANT: u32 = u32::MAX;
/// Array entries per memory up to which an id belongs into the array: at 4 bytes each, the array
/// stays smaller than the hash map would be.
const ENTRIES_PER_MEMORY: usize = 4;
/// Array entries that a small memory may have in any case.
const ENTRIES_MIN: usize = 1_024;

/// Document ids by memory id.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocIdMap {
    /// Document id by memory id, or `VACANT`.
    dense: Vec<u32>,
    /// Ids beyond the array at the time they were inserted.
    sparse: HashMap<i64, DocId, BuildHasherDefault<IdHasher>>,
    len: usize,
}

impl DocIdMap {
    /// Returns the number of ids.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get(&self, id: i64) -> Option<DocId> {
        match self.dense.get(id as usize) {
            Some(&doc) if doc != VACANT => Some(DocId(doc)),
            // An id that was once beyond the array may lie within it by now.
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&id).copied(),
        }
    }

    /// Inserts a document, in place of the one that had this id.
    pub(crate) fn insert(&mut self, id: i64, doc: DocId) {
        self.remove(id);
        self.len += 1;
        let reach = self.len.saturating_mul(ENTRIES_PER_MEMORY).max(ENTRIES_MIN);
        match usize::try_from(id).ok().filter(|&at| at < reach.max(self.dense.len())) {
            Some(at) => {
                if at >= self.dense.len() {
                    self.dense.resize(at + 1, VACANT);
                }
                self.dense[at] = doc.0;
            }
            None => {
                self.sparse.insert(id, doc);
            }
        }
    }

    pub(crate) fn remove(&mut self, id: i64) {
        let was_present = match self.dense.get_mut(id as usize) {
            Some(entry) if *entry != VACANT => {
                *entry = VACANT;
                true
            }
            _ => self.sparse.remove(&id).is_some(),
        };
        self.len -= usize::from(was_present);
    }

    pub(crate) fn size_bytes(&self) -> usize {
        // About 20 bytes per slot of the map: key, value, control byte and spare capacity.
        self.dense.capacity() * size_of::<u32>() + self.sparse.capacity() * 20
    }
}

impl FromIterator<(i64, DocId)> for DocIdMap {
    fn from_iter<I: IntoIterator<Item = (i64, DocId)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        // At once instead of growing: a memory that is opened has all its ids.
        let mut map = Self { dense: vec![VACANT; pairs.size_hint().0], ..Self::default() };
        pairs.for_each(|(id, doc)| map.insert(id, doc));
        map
    }
}

/// Fibonacci hashing of integer ids. Ids are the store's or the owner's import, so no client can
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

    #[test]
    fn the_map_agrees_with_a_hash_map_for_dense_distant_and_negative_ids() {
        let (mut map, mut model) = (DocIdMap::default(), HashMap::new());
        // The distant id 5,000 lies within the array once a thousand others are there.
        let distant = [5_000, -7, i64::MAX, i64::MIN, 1 << 40];
        for (nth, id) in distant.into_iter().chain(0..2_000).chain(distant).enumerate() {
            map.insert(id, DocId(nth as u32));
            model.insert(id, nth as u32);
            if nth % 3 == 0 {
                map.remove(id / 2);
                model.remove(&(id / 2));
            }
            assert_eq!(map.len(), model.len(), "{id}");
        }
        for id in (-10..9_000).chain(distant) {
            assert_eq!(map.get(id).map(|doc| doc.0), model.get(&id).copied(), "{id}");
        }
    }

    #[test]
    fn a_distant_id_does_not_make_the_array_large() {
        let map: DocIdMap = [(1, DocId(0)), (1 << 50, DocId(1))].into_iter().collect();
        assert!(map.size_bytes() < 64 * 1_024);
        assert_eq!(map.get(1 << 50), Some(DocId(1)));
    }
}

//! Builds the vocabulary's hash table: open addressing with linear probing, each slot the id of an
//! entry and some bits of its hash. The text of the entries is compiled in as published, with the
//! offset of each entry.

use std::error::Error;

use crate::layout::{EMPTY, HASH_START, ID_BITS, LONGEST_ENTRY, SLOTS, hash_byte, slot_and_tag};

/// Returns the slots and the byte offsets of the entries, as little-endian bytes.
pub fn pack(entries: &str) -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let mut slots = vec![EMPTY; SLOTS];
    let mut offsets = vec![0u32];
    for (id, entry) in entries.lines().enumerate() {
        if entry.strip_prefix("##").unwrap_or(entry).len() > LONGEST_ENTRY {
            return Err(format!("the entry {entry} is too long").into());
        }
        if id >= (1 << ID_BITS) - 1 {
            return Err("the vocabulary has more entries than ids".into());
        }
        let (mut slot, tag) = slot_and_tag(entry.bytes().fold(HASH_START, hash_byte));
        while slots[slot] != EMPTY {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = u32::try_from(id)? | tag << ID_BITS;
        offsets.push(offsets[id] + u32::try_from(entry.len() + 1)?);
    }
    Ok((bytes(&slots), bytes(&offsets)))
}

fn bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

//! Looks up vocabulary entries in a hash table that the build script generated: nothing is built at
//! start, and all processes share the pages. It knows bytes and ids, not words or languages.

use super::layout::{EMPTY, HASH_START, LONGEST_ENTRY, SLOTS, hash_byte, slot_and_tag};

static ENTRIES: &str = include_str!("../../model/vocab.txt");
static SLOT_BYTES: [u8; SLOTS * 4] = *include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin"));
static OFFSET_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/offsets.bin"));

/// Id of the unknown piece.
pub(super) const UNKNOWN: u16 = 0;

/// Position of a piece within its word; entries for continuations are written with `##`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Start of a word.
    Opening,
    /// After another piece of the word.
    Inside,
}

impl Place {
    fn mark(self) -> &'static str {
        match self {
            Self::Opening => "",
            Self::Inside => "##",
        }
    }
}

/// Finds the longest entry that `rest` starts with at this position; returns its id and its length
/// in bytes.
///
/// Comparing bytes is enough: an entry consists of whole characters, so a match never ends inside
/// one.
pub(super) fn longest_piece(rest: &[u8], position: Place) -> Option<(u16, usize)> {
    let length_max = rest.len().min(LONGEST_ENTRY);
    let mut hashes = [0; LONGEST_ENTRY];
    let mut state = position.mark().bytes().fold(HASH_START, hash_byte);
    for (hash, byte) in hashes.iter_mut().zip(rest) {
        state = hash_byte(state, *byte);
        *hash = state;
    }
    (1..=length_max).rev().find_map(|length| {
        find(hashes[length - 1], position, &rest[..length]).map(|id| (id, length))
    })
}

fn find(hash: u32, position: Place, text: &[u8]) -> Option<u16> {
    let (mut slot, tag) = slot_and_tag(hash);
    loop {
        // Linear probing; the tag avoids comparing the text of nearly every other entry.
        let content = number(&SLOT_BYTES, slot);
        if content == EMPTY {
            return None;
        }
        let id = (content & 0xffff) as u16;
        if content >> 16 == tag && entry(id).strip_prefix(position.mark().as_bytes()) == Some(text)
        {
            return Some(id);
        }
        slot = (slot + 1) % SLOTS;
    }
}

fn entry(id: u16) -> &'static [u8] {
    let [start, next] = [0, 1].map(|step| number(OFFSET_BYTES, usize::from(id) + step) as usize);
    &ENTRIES.as_bytes()[start..next - 1]
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let (quads, _) = bytes.as_chunks::<4>();
    u32::from_le_bytes(quads[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_found_under_its_own_id() {
        for (id, line) in ENTRIES.lines().enumerate() {
            let (position, text) = match line.strip_prefix("##") {
                Some(text) if !text.is_empty() => (Place::Inside, text),
                _ => (Place::Opening, line),
            };
            assert_eq!(
                longest_piece(text.as_bytes(), position),
                Some((id as u16, text.len())),
                "{line}"
            );
        }
    }

    #[test]
    fn what_no_entry_begins_like_is_not_found() {
        assert_eq!(longest_piece("\u{10ffff}".as_bytes(), Place::Opening), None);
        assert_eq!(longest_piece(b"", Place::Inside), None);
    }
}

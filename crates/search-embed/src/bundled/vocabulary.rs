//! Looks up vocabulary entries in a hash table that the build script generated: nothing is built at
//! start, and all processes share the pages. It knows bytes and ids, not words or languages.

use super::layout::{EMPTY, HASH_START, ID_BITS, LONGEST_ENTRY, SLOTS, hash_byte, slot_and_tag};

static ENTRIES: &str = include_str!("../../model/vocab.txt");
static SLOT_BYTES: [u8; SLOTS * 4] = *include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin"));
static OFFSET_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/offsets.bin"));

/// Id of the unknown piece.
pub(super) const UNKNOWN: u32 = 0;

/// Position of a piece within its word; entries for continuations are written with `##`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PiecePosition {
    /// Start of a word.
    Initial,
    /// After another piece of the word.
    Continuation,
}

impl PiecePosition {
    fn prefix(self) -> &'static str {
        match self {
            Self::Initial => "",
            Self::Continuation => "##",
        }
    }
}

/// Finds the longest entry that `rest` starts with at this position; returns its id and its length
/// in bytes.
///
/// Comparing bytes is enough: an entry consists of whole characters, so a match never ends inside
/// one.
pub(super) fn longest_piece(rest: &[u8], position: PiecePosition) -> Option<(u32, usize)> {
    let length_max = rest.len().min(LONGEST_ENTRY);
    let mut hashes = [0; LONGEST_ENTRY];
    let mut state = position.prefix().bytes().fold(HASH_START, hash_byte);
    for (hash, byte) in hashes.iter_mut().zip(rest) {
        state = hash_byte(state, *byte);
        *hash = state;
    }
    (1..=length_max).rev().find_map(|length| {
        find(hashes[length - 1], position, &rest[..length]).map(|id| (id, length))
    })
}

fn find(hash: u32, position: PiecePosition, text: &[u8]) -> Option<u32> {
    let (mut slot, tag) = slot_and_tag(hash);
    loop {
        // Linear probing; the tag avoids comparing the text of nearly every other entry.
        let content = u32_at(&SLOT_BYTES, slot);
        if content == EMPTY {
            return None;
        }
        let id = content & ((1 << ID_BITS) - 1);
        if content >> ID_BITS == tag
            && entry(id).strip_prefix(position.prefix().as_bytes()) == Some(text)
        {
            return Some(id);
        }
        slot = (slot + 1) % SLOTS;
    }
}

fn entry(id: u32) -> &'static [u8] {
    let [start, next] = [0, 1].map(|step| u32_at(OFFSET_BYTES, id as usize + step) as usize);
    &ENTRIES.as_bytes()[start..next - 1]
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
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
                Some(text) if !text.is_empty() => (PiecePosition::Continuation, text),
                _ => (PiecePosition::Initial, line),
            };
            assert_eq!(
                longest_piece(text.as_bytes(), position),
                Some((id as u32, text.len())),
                "{line}"
            );
        }
    }

    #[test]
    fn text_without_a_matching_entry_is_not_found() {
        assert_eq!(longest_piece("\u{10ffff}".as_bytes(), PiecePosition::Initial), None);
        assert_eq!(longest_piece(b"", PiecePosition::Continuation), None);
    }
}

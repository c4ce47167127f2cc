//! Finds vocabulary entries in a hash table that the build script laid out: nothing is built at
//! start and the pages are shared by all processes. It knows bytes and ids, not words or languages.

use super::layout::{EMPTY, HASH_START, LONGEST_ENTRY, SLOTS, hash_byte, slot_and_tag};

static ENTRIES: &str = include_str!("../../model/vocab.txt");
static SLOT_BYTES: [u8; SLOTS * 4] = *include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin"));
static OFFSET_BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/offsets.bin"));

/// The id of what the vocabulary cannot say.
pub(super) const UNKNOWN: u16 = 0;

/// Where in a word a piece stands; entries inside a word are written with `##`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The piece opens the word.
    Opening,
    /// The piece goes on where another ended.
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

/// The longest entry that `rest` begins with at this place: its id and its bytes in `rest`.
///
/// Bytes are enough: an entry is whole characters, so a match can never end inside one.
pub(super) fn longest_piece(rest: &[u8], place: Place) -> Option<(u16, usize)> {
    let reach = rest.len().min(LONGEST_ENTRY);
    let mut hashes = [0; LONGEST_ENTRY];
    let mut state = place.mark().bytes().fold(HASH_START, hash_byte);
    for (hash, byte) in hashes.iter_mut().zip(rest) {
        state = hash_byte(state, *byte);
        *hash = state;
    }
    (1..=reach)
        .rev()
        .find_map(|length| find(hashes[length - 1], place, &rest[..length]).map(|id| (id, length)))
}

fn find(hash: u32, place: Place, text: &[u8]) -> Option<u16> {
    let (mut slot, tag) = slot_and_tag(hash);
    loop {
        let held = number(&SLOT_BYTES, slot);
        if held == EMPTY {
            return None;
        }
        let id = (held & 0xffff) as u16;
        if held >> 16 == tag && entry(id).strip_prefix(place.mark().as_bytes()) == Some(text) {
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
            let (place, text) = match line.strip_prefix("##") {
                Some(text) if !text.is_empty() => (Place::Inside, text),
                _ => (Place::Opening, line),
            };
            assert_eq!(
                longest_piece(text.as_bytes(), place),
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

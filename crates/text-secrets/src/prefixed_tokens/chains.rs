//! The structures and shapes with the same first three bytes, so that a word is compared with a few
//! prefixes and not with all.

use super::shapes::SHAPES;
use super::structured::STRUCTURES;

const COUNT: usize = STRUCTURES.len() + SHAPES.len();
const HEADS: usize = 4_096;
const NONE: u16 = u16::MAX;

/// Lists of prefixes by the hash of their first three bytes, each in the order of the tables.
/// Structures come before shapes.
pub(super) struct PrefixChains {
    heads: [u16; HEADS],
    next: [u16; COUNT],
}

pub(super) static CHAINS: PrefixChains = {
    let (mut heads, mut next) = ([NONE; HEADS], [NONE; COUNT]);
    // From the last to the first, since each is put at the front of its list.
    let mut nth = COUNT;
    while nth > 0 {
        nth -= 1;
        let prefix = if nth < STRUCTURES.len() {
            STRUCTURES[nth].prefix.as_bytes()
        } else {
            SHAPES[nth - STRUCTURES.len()].prefix.as_bytes()
        };
        let head = hash(prefix[0], prefix[1], prefix[2]);
        next[nth] = heads[head];
        heads[head] = nth as u16;
    }
    PrefixChains { heads, next }
};

const fn hash(first: u8, second: u8, third: u8) -> usize {
    let bytes = first as u32 | (second as u32) << 8 | (third as u32) << 16;
    (bytes.wrapping_mul(0x9e37_79b1) >> 20) as usize
}

impl PrefixChains {
    /// Returns the positions of the prefixes that the text may begin with.
    pub(super) fn candidates(&self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        let mut at = match bytes {
            [first, second, third, ..] => self.heads[hash(*first, *second, *third)],
            _ => NONE,
        };
        std::iter::from_fn(move || {
            let here = at;
            let nth = (here != NONE).then_some(usize::from(here))?;
            at = self.next[nth];
            Some(nth)
        })
    }
}

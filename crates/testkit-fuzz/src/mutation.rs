//! Changes of an input: bits, ranges, pieces of other inputs, numbers and characters that parsers
//! stumble over, and long repetitions.

use crate::random::SeededRandom;
use std::ops::Range;

/// Maximum number of changes of one input.
const CHANGES_MAX: usize = 6;
/// Maximum length of a piece that is repeated.
const REPEATED_BYTES_MAX: usize = 48;

/// Pieces that parsers stumble over.
const PIECES: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "9223372036854775807",
    "-9223372036854775809",
    "18446744073709551616",
    "0x7fffffff",
    "NaN",
    "null",
    "true",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\udc00",
    ":",
    ",",
    ";",
    "--",
    "/*",
    "*/",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    " ",
    "=",
    "==",
    "---\n",
    "```\n",
    "# ",
    "[[",
    "]]",
    "](",
    "<",
    ">",
    "&",
    "%00",
    "%",
    "$1",
    "::",
    "(",
    ")",
    "\u{feff}",
    "\u{200d}",
    "\u{202e}",
    "\u{fe0f}",
    "\u{301}",
    "é",
    "ß",
    "İ",
    "ﬁ",
    "漢",
    "👩‍👩‍👧",
    "\u{1f600}",
    "\u{10ffff}",
    "token=",
    "password: ",
    "Bearer ",
    "https://",
    "2026-02-30",
    "0000-00-00",
    "9999-12-31T23:59:60Z",
    "tomorrow",
    "last ",
    "every ",
    "SELECT ",
    "WITH RECURSIVE ",
    "../",
    "id",
    "jsonrpc",
    "method",
];

/// Changes of inputs up to a length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputMutator {
    pub(crate) bytes_max: usize,
}

impl InputMutator {
    /// Changes an input at random; `others` are inputs to take pieces from.
    pub(crate) fn mutate(
        self,
        random: &mut SeededRandom,
        input: &[u8],
        others: &[Vec<u8>],
    ) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..=random.below(CHANGES_MAX) {
            self.change(random, &mut bytes, others);
        }
        bytes.truncate(self.bytes_max);
        bytes
    }

    fn change(self, random: &mut SeededRandom, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
        let at = random.below(bytes.len() + 1);
        match random.below(9) {
            0 => flip_bit(random, bytes),
            1 => insert(bytes, at, &[(random.next() & 0xff) as u8]),
            2 => drop(bytes.drain(some_range(random, bytes.len()))),
            3 => {
                let piece = bytes.get(some_range(random, bytes.len())).unwrap_or_default().to_vec();
                insert(bytes, at, &piece);
            }
            4 | 5 => {
                let piece = random.pick(PIECES).copied().unwrap_or_default();
                insert(bytes, at, piece.as_bytes());
            }
            6 => {
                let other = random.pick(others).map(Vec::as_slice).unwrap_or_default();
                let piece = other.get(some_range(random, other.len())).unwrap_or_default().to_vec();
                insert(bytes, at, &piece);
            }
            7 => self.repeat(random, bytes),
            _ => bytes.truncate(at),
        }
    }

    /// Repeats a short piece, at times so often that anything worse than linear shows.
    fn repeat(self, random: &mut SeededRandom, bytes: &mut Vec<u8>) {
        let start = random.below(bytes.len());
        let end = (start + 1 + random.below(REPEATED_BYTES_MAX)).min(bytes.len());
        let piece = bytes.get(start..end).unwrap_or_default().to_vec();
        let most = if random.below(20) == 0 { self.bytes_max } else { 256 };
        let times = 1 + random.below(most / piece.len().max(1));
        insert(bytes, end, &piece.repeat(times));
    }
}

fn flip_bit(random: &mut SeededRandom, bytes: &mut [u8]) {
    let (at, bit) = (random.below(bytes.len()), random.below(8));
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << bit;
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let at = at.min(bytes.len());
    bytes.splice(at..at, piece.iter().copied());
}

fn some_range(random: &mut SeededRandom, len: usize) -> Range<usize> {
    let start = random.below(len + 1);
    // Mostly short ones: a long range leaves little to parse.
    let most = if random.below(4) == 0 { len - start } else { (len - start).min(16) };
    start..start + random.below(most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_another_gives_others() {
        let inputs = |seed| -> Vec<Vec<u8>> {
            let mut random = SeededRandom::new(seed);
            let others = [b"{\"method\": \"ping\"}".to_vec()];
            let mutator = InputMutator { bytes_max: 1_000 };
            (0..100).map(|_| mutator.mutate(&mut random, b"some sample text", &others)).collect()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }

    #[test]
    fn no_input_is_longer_than_the_limit_and_an_empty_one_can_be_changed() {
        let mut random = SeededRandom::new(7);
        let mut longest = Vec::new();
        for _ in 0..2_000 {
            longest = InputMutator { bytes_max: 5_000 }.mutate(&mut random, &longest, &[]);
            assert!(longest.len() <= 5_000);
        }
    }
}

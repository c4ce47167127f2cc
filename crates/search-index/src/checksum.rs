//! A fast digest that notices damage. Not a secret and not a signature.
//!
//! Four lanes of eight bytes each. Every step of a lane can be undone, so a change confined to one
//! word always changes the result; other damage goes unnoticed once in 2^64.

const PRIMES: [u64; 4] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x27d4_eb2f_1656_67c5];

/// The digest of one piece of bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Checksum::default();
    sum.update(bytes);
    sum.finish()
}

/// A digest of several pieces, one after another; where one ends matters.
#[derive(Debug, Clone)]
pub(crate) struct Checksum {
    lanes: [u64; 4],
}

impl Default for Checksum {
    fn default() -> Self {
        Self { lanes: PRIMES }
    }
}

impl Checksum {
    /// Takes in a piece.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<32>();
        for block in blocks {
            self.block(block);
        }
        let mut last = [0; 32];
        last[..rest.len()].copy_from_slice(rest);
        self.block(&last);
        self.lanes[0] = step(self.lanes[0], bytes.len() as u64, PRIMES[1]);
    }

    /// The digest of all pieces.
    pub(crate) fn finish(&self) -> u64 {
        let folded = self.lanes.iter().fold(0, |sum: u64, &lane| step(sum, lane, PRIMES[2]));
        folded ^ folded >> 29
    }

    #[inline]
    fn block(&mut self, block: &[u8; 32]) {
        let (words, _) = block.as_chunks::<8>();
        for ((lane, word), prime) in self.lanes.iter_mut().zip(words).zip(PRIMES) {
            *lane = step(*lane, u64::from_le_bytes(*word), prime);
        }
    }
}

#[inline]
fn step(lane: u64, word: u64, prime: u64) -> u64 {
    (lane ^ word).wrapping_mul(prime).rotate_left(31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_lost_byte_is_noticed() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = checksum(&bytes);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert_ne!(checksum(&damaged), whole);
            }
            assert_ne!(checksum(&bytes[..at]), whole);
        }
        assert_ne!(checksum(&[0; 31]), checksum(&[0; 32]));
    }

    #[test]
    fn where_a_piece_ends_matters() {
        let of = |pieces: [&str; 2]| {
            let mut sum = Checksum::default();
            pieces.iter().for_each(|piece| sum.update(piece.as_bytes()));
            sum.finish()
        };
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
        assert_ne!(of(["", "a"]), of(["a", ""]));
    }
}

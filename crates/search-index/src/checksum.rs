//! Fast non-cryptographic checksum that detects accidental damage, in the style of xxHash64: four
//! independent accumulators over blocks of 32 bytes. Every step of an accumulator is a bijection,
//! so a change confined to one word always changes the result; other damage goes undetected with a
//! probability of about 2^-64. Snapshots store its results: the arithmetic must not change.

// The primes of xxHash64; odd factors keep the multiplication invertible.
const PRIMES: [u64; 4] =
    [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x27d4_eb2f_1656_67c5];

/// Returns the checksum of one byte slice.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Checksum::default();
    sum.update(bytes);
    sum.finish()
}

/// Incremental checksum over several byte slices; the boundaries between them count.
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
    /// Adds a slice.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<32>();
        for block in blocks {
            self.mix_block(block);
        }
        // The last block is padded with zeros; the length that follows keeps padded and real zeros
        // apart.
        let mut last = [0; 32];
        last[..rest.len()].copy_from_slice(rest);
        self.mix_block(&last);
        self.lanes[0] = mix(self.lanes[0], bytes.len() as u64, PRIMES[1]);
    }

    /// Returns the checksum of all slices added so far.
    pub(crate) fn finish(&self) -> u64 {
        let folded = self.lanes.iter().fold(0, |sum: u64, &lane| mix(sum, lane, PRIMES[2]));
        folded ^ folded >> 29
    }

    #[inline]
    fn mix_block(&mut self, block: &[u8; 32]) {
        let (words, _) = block.as_chunks::<8>();
        for ((lane, word), prime) in self.lanes.iter_mut().zip(words).zip(PRIMES) {
            *lane = mix(*lane, u64::from_le_bytes(*word), prime);
        }
    }
}

#[inline]
fn mix(lane: u64, word: u64, prime: u64) -> u64 {
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
    fn the_boundary_between_pieces_matters() {
        let digest = |pieces: [&str; 2]| {
            let mut sum = Checksum::default();
            pieces.iter().for_each(|piece| sum.update(piece.as_bytes()));
            sum.finish()
        };
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        assert_ne!(digest(["", "a"]), digest(["a", ""]));
    }
}

//! Random rotation that spreads the energy of a vector evenly over all dimensions, so that the
//! signs alone carry most of its direction. Three rounds of random sign flips and a fast
//! Walsh-Hadamard transform (Ailon and Chazelle, 2009; Andoni et al., 2015) replace a random matrix
//! in O(n log n).

/// Seed of the sign flips. Sign bits of different seeds cannot be compared, so changing it changes
/// the snapshot format.
const SEED: u64 = 0x7175_6970_755f_7631;
const ROUNDS: usize = 3;

/// The rotation for vectors of one dimensionality.
#[derive(Debug, Clone)]
pub(super) struct RandomRotation {
    /// Dimensions padded to a power of two of at least 64.
    padded_dimensions: usize,
    /// 1 or -1 per dimension and round.
    signs: Vec<f32>,
}

impl RandomRotation {
    pub(super) fn new(dimensions: usize) -> Self {
        let size = if dimensions == 0 { 0 } else { dimensions.next_power_of_two().max(64) };
        let mut state = SEED;
        let signs =
            (0..size * ROUNDS).map(|_| if split_mix(&mut state) >> 63 == 0 { 1.0 } else { -1.0 });
        Self { padded_dimensions: size, signs: signs.collect() }
    }

    /// Returns the number of 64-bit words for the signs of one vector.
    pub(super) fn words(&self) -> usize {
        self.padded_dimensions / 64
    }

    /// Pads a vector with zeros and rotates it. The norm grows by a constant factor, which does not
    /// matter for signs.
    pub(super) fn rotate(&self, vector: impl Iterator<Item = f32>) -> Vec<f32> {
        let mut values = vec![0.0; self.padded_dimensions];
        for (value, input) in values.iter_mut().zip(vector) {
            *value = input;
        }
        for signs in self.signs.chunks_exact(self.padded_dimensions.max(1)) {
            values.iter_mut().zip(signs).for_each(|(value, sign)| *value *= sign);
            walsh_hadamard(&mut values);
        }
        values
    }
}

/// Packs a predicate over the values into one bit each, 64 per word.
pub(super) fn pack_bits(values: &[f32], passes: impl Fn(f32) -> bool) -> impl Iterator<Item = u64> {
    let word = move |chunk: &[f32]| {
        chunk.iter().rev().fold(0, |word, &value| word << 1 | u64::from(passes(value)))
    };
    values.chunks_exact(64).map(word)
}

/// Fast Walsh-Hadamard transform in place, unscaled: only signs and proportions are needed.
fn walsh_hadamard(values: &mut [f32]) {
    // The first three steps at once: their pairs are so close together that loops over them would
    // take longer than all the other steps.
    values.as_chunks_mut().0.iter_mut().for_each(transform_eight);
    let mut half = 8;
    while half < values.len() {
        for pair in values.chunks_exact_mut(half * 2) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left + *right, *left - *right);
            }
        }
        half *= 2;
    }
}

/// Walsh-Hadamard transform of eight values.
fn transform_eight(values: &mut [f32; 8]) {
    let [a, b, c, d, e, f, g, h] = *values;
    let (a, b, c, d, e, f, g, h) = (a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h);
    let (a, b, c, d, e, f, g, h) = (a + c, b + d, a - c, b - d, e + g, f + h, e - g, f - h);
    *values = [a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h];
}

/// Next number of the SplitMix64 generator (Steele et al., 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(vector: &[f32]) -> Vec<u64> {
        pack_bits(&RandomRotation::new(vector.len()).rotate(vector.iter().copied()), |value| {
            value < 0.0
        })
        .collect()
    }

    fn distance(one: &[f32], other: &[f32]) -> u32 {
        signs(one).iter().zip(signs(other)).map(|(one, other)| (one ^ other).count_ones()).sum()
    }

    #[test]
    fn the_distance_of_signs_follows_the_angle() {
        let mut axis = vec![0.0; 256];
        axis[3] = 1.0;
        let mut near = axis.clone();
        near[7] = 0.3;
        let mut across = vec![0.0; 256];
        across[9] = 1.0;
        let opposite: Vec<f32> = axis.iter().map(|value| -value).collect();
        assert_eq!(distance(&axis, &axis), 0);
        assert!(distance(&axis, &near) < 60, "17 degrees of 180 would be 24 bits of 256");
        assert!((90..166).contains(&distance(&axis, &across)));
        assert!(distance(&axis, &opposite) > 200);
    }

    #[test]
    fn the_transform_is_that_of_its_definition() {
        let mut values: Vec<f32> = (0..64).map(|n| ((n * 37) % 19) as f32).collect();
        // Row and column have a negative sign where they share an odd number of bits.
        let sign =
            |row: usize, column: usize| [1.0, -1.0][(row & column).count_ones() as usize % 2];
        let sum =
            |row| values.iter().enumerate().map(|(column, value)| sign(row, column) * value).sum();
        let expected: Vec<f32> = (0..64).map(sum).collect();
        walsh_hadamard(&mut values);
        assert_eq!(values, expected);
    }

    #[test]
    fn odd_sizes_are_padded() {
        assert_eq!(signs(&[1.0; 384]).len(), 8);
        assert_eq!(signs(&[1.0; 3]).len(), 1);
        assert_eq!(signs(&[]).len(), 0);
    }
}

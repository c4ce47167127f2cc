//! Query for the sign-bit prefilter, with asymmetric distance: stored vectors have one bit per
//! dimension, but the query keeps its magnitudes in three bits. Where the signs differ, the
//! magnitude of the query is added instead of 1. That finds the true neighbours among half as many
//! candidates as a plain Hamming distance does.

use super::rotation::{RandomRotation, pack_bits};

/// Number of bits per magnitude.
pub(super) const BIT_PLANES: usize = 3;
const LEVEL_MAX: u8 = (1 << BIT_PLANES) - 1;

/// Signs and quantised magnitudes of a rotated query.
#[derive(Debug, Clone)]
pub(super) struct BinaryQuery {
    pub(super) signs: Vec<u64>,
    /// Bit planes of the magnitudes, lowest bit first, so that a distance is a few ANDs and
    /// popcounts.
    pub(super) bit_planes: [Vec<u64>; BIT_PLANES],
}

impl BinaryQuery {
    pub(super) fn new(values: impl ExactSizeIterator<Item = f32>) -> Self {
        let rotated = RandomRotation::new(values.len()).rotate(values);
        // Few values exceed 2.5 times the root mean square; the levels are better spent below it.
        let square: f32 = rotated.iter().map(|value| value * value).sum();
        let clip = 2.5 * (square / rotated.len().max(1) as f32).sqrt();
        let level =
            |value: f32| ((value.abs() / clip * f32::from(LEVEL_MAX)).round() as u8).min(LEVEL_MAX);
        let plane =
            |nth: usize| pack_bits(&rotated, |value| level(value) >> nth & 1 == 1).collect();
        Self {
            signs: pack_bits(&rotated, |value| value < 0.0).collect(),
            bit_planes: std::array::from_fn(plane),
        }
    }

    /// Returns an upper bound of the distance.
    pub(super) fn distance_max(&self) -> usize {
        self.signs.len() * 64 * usize::from(LEVEL_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_value_counts_more_than_a_small_one() {
        let query = BinaryQuery::new([1.0, 0.0, 0.0, 0.0].into_iter());
        assert_eq!(query.signs.len(), 1);
        assert_eq!(query.distance_max(), 64 * 7);
        let even = query
            .bit_planes
            .iter()
            .zip(0..)
            .map(|(plane, nth)| plane[0].count_ones() << nth)
            .sum::<u32>();
        assert!(even >= 64, "the rotation spreads one value over all dimensions");
        let zero = BinaryQuery::new([0.0; 4].into_iter());
        assert!(zero.bit_planes.iter().all(|plane| plane == &[0]));
    }
}

//! A query held against sign bits. The stored vectors keep one bit a number, but the query is at
//! hand in full: where the signs differ, it counts how much the query cares, in eight steps. That
//! finds the true neighbours among half as many candidates as counting differing bits does.

use super::rotation::{Rotation, bits};

/// How many bits a step is told in.
pub(super) const PLANES: usize = 3;
const STEP_MAX: u8 = (1 << PLANES) - 1;

/// A rotated query: its signs, and how much it cares about each.
#[derive(Debug, Clone)]
pub(super) struct SignQuery {
    pub(super) signs: Vec<u64>,
    /// One bit of every number's step, the lowest first.
    pub(super) planes: [Vec<u64>; PLANES],
}

impl SignQuery {
    pub(super) fn new(values: impl ExactSizeIterator<Item = f32>) -> Self {
        let rotated = Rotation::new(values.len()).rotated(values);
        // Few numbers lie beyond two and a half times the usual size; steps are better spent below
        // it.
        let square: f32 = rotated.iter().map(|value| value * value).sum();
        let size = 2.5 * (square / rotated.len().max(1) as f32).sqrt();
        let step =
            |value: f32| ((value.abs() / size * f32::from(STEP_MAX)).round() as u8).min(STEP_MAX);
        let plane = |nth: usize| bits(&rotated, |value| step(value) >> nth & 1 == 1).collect();
        Self {
            signs: bits(&rotated, |value| value < 0.0).collect(),
            planes: std::array::from_fn(plane),
        }
    }

    /// The difference nothing can exceed.
    pub(super) fn difference_max(&self) -> usize {
        self.signs.len() * 64 * usize::from(STEP_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_number_counts_more_than_a_small_one() {
        let query = SignQuery::new([1.0, 0.0, 0.0, 0.0].into_iter());
        assert_eq!(query.signs.len(), 1);
        assert_eq!(query.difference_max(), 64 * 7);
        let even = query
            .planes
            .iter()
            .zip(0..)
            .map(|(plane, nth)| plane[0].count_ones() << nth)
            .sum::<u32>();
        assert!(even >= 64, "the rotation spreads one number over all of them");
        let nothing = SignQuery::new([0.0; 4].into_iter());
        assert!(nothing.planes.iter().all(|plane| plane == &[0]));
    }
}

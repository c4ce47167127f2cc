//! Dynamic quantisation of activations: each row as unsigned bytes between its own minimum and
//! maximum, the input of the integer kernels.

use std::ops::Range;

use super::aligned::AlignedRows;
use super::elementwise::{WideRow, min_max};
use super::kernel::Lanes;
use super::layout::WIDTH;

/// Highest level.
const LEVEL_MAX: f32 = 255.0;
/// 2²³: adding it to a small non-negative number leaves the rounded number in the low mantissa
/// bits.
const ROUND_MAGIC: f32 = 8_388_608.0;

/// Quantised rows of a batch, each with its scale and zero point.
pub(super) struct QuantisedRows {
    rows: AlignedRows<u8, WIDTH>,
    factors: Vec<(f32, f32)>,
}

impl QuantisedRows {
    /// Allocates this many rows.
    pub fn new(rows: usize) -> Self {
        Self { rows: AlignedRows::new(rows), factors: vec![(0.0, 0.0); rows] }
    }

    /// Quantises one row.
    #[inline(always)]
    pub fn set_row<L: Lanes>(&mut self, lanes: L, at: usize, row: &WideRow<L>) {
        self.factors[at] = quantise(lanes, row, &mut self.rows.get_mut()[at]);
    }

    /// Returns the levels of a range of rows.
    #[inline(always)]
    pub fn rows(&self, range: Range<usize>) -> &[[u8; WIDTH]] {
        &self.rows.get()[range]
    }

    /// Returns the scale of each row of a range and its value at level zero.
    #[inline(always)]
    pub fn factors(&self, range: Range<usize>) -> &[(f32, f32)] {
        &self.factors[range]
    }
}

#[inline(always)]
fn quantise<L: Lanes>(lanes: L, row: &WideRow<L>, levels: &mut [u8; WIDTH]) -> (f32, f32) {
    let (low, high) = min_max(lanes, row);
    let range = high - low;
    // Two divisions side by side, and not one after the other.
    let (scale, inverse) = (range / LEVEL_MAX, if range > 0.0 { LEVEL_MAX / range } else { 0.0 });
    let inverse = lanes.splat(inverse);
    let (wide_low, magic) = (lanes.splat(low), lanes.splat(ROUND_MAGIC));
    for (value, levels) in row.iter().zip(levels.as_chunks_mut().0) {
        let level = lanes.mul_add(lanes.sub(*value, wide_low), inverse, magic);
        lanes.store_low_bytes(level, levels);
    }
    (scale, low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::elementwise::load_row;
    use crate::bundled::kernel::PortableLanes;

    fn round_trip(row: [f32; WIDTH]) -> (f32, [f32; WIDTH]) {
        let mut levels = QuantisedRows::new(1);
        levels.set_row(PortableLanes, 0, &load_row(PortableLanes, &row));
        let (scale, low) = levels.factors(0..1)[0];
        (scale, levels.rows(0..1)[0].map(|level| f32::from(level) * scale + low))
    }

    #[test]
    fn quantisation_is_off_by_at_most_half_a_level() {
        let row = std::array::from_fn(|at| ((at * 37 % 256) as f32 - 40.0) * 0.013);
        let (scale, back) = round_trip(row);
        assert!(row.iter().zip(back).all(|(value, back)| (value - back).abs() <= scale * 0.501));
    }

    #[test]
    fn a_constant_row_round_trips_exactly() {
        assert_eq!(round_trip([-1.25; WIDTH]).1, [-1.25; WIDTH]);
    }
}

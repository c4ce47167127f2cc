//! Rows of numbers as unsigned bytes between the row's own lowest and highest number: what the
//! integer kernels take.

use std::ops::Range;

use super::kernel::Isa;
use super::lanes::extremes;
use super::layout::WIDTH;

/// The highest level.
const TOP: f32 = 255.0;
/// Added to a number below 2²², it leaves the number, rounded, in the low bits of the sum.
const ROUNDER: f32 = 8_388_608.0;

/// The rows of a batch, each with the factors that make numbers of its levels again.
pub(super) struct Levels {
    rows: Vec<[u8; WIDTH]>,
    factors: Vec<(f32, f32)>,
}

impl Levels {
    /// Room for so many rows.
    pub fn new(rows: usize) -> Self {
        Self { rows: vec![[0; WIDTH]; rows], factors: vec![(0.0, 0.0); rows] }
    }

    /// Takes one row anew.
    #[inline(always)]
    pub fn take<I: Isa>(&mut self, isa: I, at: usize, row: &[f32; WIDTH]) {
        self.factors[at] = quantise(isa, row, &mut self.rows[at]);
    }

    /// The levels of some rows.
    #[inline(always)]
    pub fn rows(&self, range: Range<usize>) -> &[[u8; WIDTH]] {
        &self.rows[range]
    }

    /// What one level of this row is worth, and the number at level zero.
    #[inline(always)]
    pub fn factors(&self, row: usize) -> (f32, f32) {
        self.factors[row]
    }
}

#[inline(always)]
fn quantise<I: Isa>(isa: I, row: &[f32; WIDTH], levels: &mut [u8; WIDTH]) -> (f32, f32) {
    let (low, high) = extremes(isa, row);
    let scale = (high - low) / TOP;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    for at in 0..WIDTH {
        levels[at] = ((row[at] - low) * inverse + ROUNDER).to_bits() as u8;
    }
    (scale, low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::kernel::Portable;

    fn there_and_back(row: [f32; WIDTH]) -> (f32, [f32; WIDTH]) {
        let mut levels = Levels::new(1);
        levels.take(Portable, 0, &row);
        let (scale, low) = levels.factors(0);
        (scale, levels.rows(0..1)[0].map(|level| f32::from(level) * scale + low))
    }

    #[test]
    fn numbers_come_back_within_half_a_level() {
        let row = std::array::from_fn(|at| ((at * 37 % 256) as f32 - 40.0) * 0.013);
        let (scale, back) = there_and_back(row);
        assert!(row.iter().zip(back).all(|(value, back)| (value - back).abs() <= scale * 0.501));
    }

    #[test]
    fn a_constant_row_comes_back_as_it_was() {
        assert_eq!(there_and_back([-1.25; WIDTH]).1, [-1.25; WIDTH]);
    }
}

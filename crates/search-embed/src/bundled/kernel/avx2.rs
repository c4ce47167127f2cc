//! Kernel for processors with AVX2 and FMA but without an integer dot product (since about 2013).
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::lanes::avx2::Avx2Lanes;
use super::words::{PAIRS, PART_ROWS, WordPanel, WordRow, panel_to_words, rows_to_words};
use super::{Isa, TileSums};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::{COLUMNS, WIDTH};
use crate::bundled::weights::Panel;

pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 6, 1>(Avx2(Avx2Lanes::new()), pass);
}

/// Number of columns whose sums are held at once: half a panel, two vectors per row.
pub(super) const HALF: usize = COLUMNS / 2;

#[derive(Clone, Copy)]
struct Avx2(Avx2Lanes);

impl Isa for Avx2 {
    // Twelve of the sixteen registers hold sums, two per row.
    const ROWS: usize = 6;
    const PART_ROWS: usize = PART_ROWS;
    const SCRATCH: WordPanel = [[[0; 2]; COLUMNS]; PAIRS];
    type Scratch = WordPanel;
    type PreparedPanel = WordPanel;
    type PreparedRow = WordRow;
    type Lanes = Avx2Lanes;

    #[inline(always)]
    fn lanes(self) -> Avx2Lanes {
        self.0
    }

    #[inline(always)]
    fn prepare_panel<'a>(self, panel: &'static Panel, scratch: &'a mut WordPanel) -> &'a WordPanel {
        panel_to_words(panel, scratch)
    }

    #[inline(always)]
    fn prepare_rows<'a>(
        self,
        rows: &'a [[u8; WIDTH]],
        scratch: &'a mut Vec<WordRow>,
    ) -> &'a [WordRow] {
        rows_to_words(rows, scratch)
    }

    #[inline(always)]
    fn multiply_tile(self, rows: &[WordRow], weights: &WordPanel, sums: &mut TileSums) {
        // SAFETY: `self` proves that the processor supports the set.
        unsafe {
            match rows.len() {
                1 => multiply_rows::<1>(rows, weights, sums),
                2 => multiply_rows::<2>(rows, weights, sums),
                3 => multiply_rows::<3>(rows, weights, sums),
                4 => multiply_rows::<4>(rows, weights, sums),
                5 => multiply_rows::<5>(rows, weights, sums),
                _ => multiply_rows::<6>(rows, weights, sums),
            }
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx2")]
fn multiply_rows<const ROWS: usize>(rows: &[WordRow], panel: &WordPanel, sums: &mut TileSums) {
    let rows: &[WordRow; ROWS] = &rows.as_chunks().0[0];
    for half in 0..COLUMNS / HALF {
        let mut accumulators = [[_mm256_setzero_si256(); 2]; ROWS];
        for (pair, columns) in panel.iter().enumerate() {
            let columns = &columns.as_chunks::<HALF>().0[half];
            // SAFETY: a pair of half the columns is exactly two vectors.
            let weights = unsafe {
                [
                    _mm256_loadu_si256(columns.as_ptr().cast()),
                    _mm256_loadu_si256(columns[8..].as_ptr().cast()),
                ]
            };
            for (accumulators, row) in accumulators.iter_mut().zip(rows) {
                let levels = _mm256_set1_epi32(row[pair]);
                for at in 0..2 {
                    let products = _mm256_madd_epi16(levels, weights[at]);
                    accumulators[at] = _mm256_add_epi32(accumulators[at], products);
                }
            }
        }
        for (sums, accumulators) in sums.iter_mut().zip(accumulators) {
            let sums = &mut sums.as_chunks_mut::<HALF>().0[half];
            // SAFETY: half a row of sums is exactly two vectors.
            unsafe {
                _mm256_storeu_si256(sums.as_mut_ptr().cast(), accumulators[0]);
                _mm256_storeu_si256(sums[8..].as_mut_ptr().cast(), accumulators[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_the_processor_has_the_instructions() {
        if is_supported() {
            // SAFETY: detected.
            let isa = Avx2(unsafe { Avx2Lanes::new() });
            super::super::tests::check_exact_sums(isa);
        }
    }
}

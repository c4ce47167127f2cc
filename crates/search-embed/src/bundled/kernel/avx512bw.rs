//! Kernel for processors with AVX-512 but without its integer dot product (servers and desktops of
//! 2017 to 2019). Everything but the product is the code of the kernel with it.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::lanes::avx512::Avx512Lanes;
use super::words::{PAIRS, PART_ROWS, WordPanel, WordRow, panel_to_words, rows_to_words};
use super::{Isa, TileSums};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::{COLUMNS, WIDTH};
use crate::bundled::weights::Panel;

pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 6, 2>(Avx512Bw(Avx512Lanes::new()), pass);
}

#[derive(Clone, Copy)]
struct Avx512Bw(Avx512Lanes);

impl Isa for Avx512Bw {
    // 24 of the 32 registers hold sums, two per row.
    const ROWS: usize = 12;
    const PART_ROWS: usize = PART_ROWS;
    const SCRATCH: WordPanel = [[[0; 2]; COLUMNS]; PAIRS];
    type Scratch = WordPanel;
    type PreparedPanel = WordPanel;
    type PreparedRow = WordRow;
    type Lanes = Avx512Lanes;

    #[inline(always)]
    fn lanes(self) -> Avx512Lanes {
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
                6 => multiply_rows::<6>(rows, weights, sums),
                7 => multiply_rows::<7>(rows, weights, sums),
                8 => multiply_rows::<8>(rows, weights, sums),
                9 => multiply_rows::<9>(rows, weights, sums),
                10 => multiply_rows::<10>(rows, weights, sums),
                11 => multiply_rows::<11>(rows, weights, sums),
                _ => multiply_rows::<12>(rows, weights, sums),
            }
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
fn multiply_rows<const ROWS: usize>(rows: &[WordRow], panel: &WordPanel, sums: &mut TileSums) {
    let rows: &[WordRow; ROWS] = &rows.as_chunks().0[0];
    let mut accumulators = [[_mm512_setzero_si512(); 2]; ROWS];
    for (pair, columns) in panel.iter().enumerate() {
        // SAFETY: a pair of the panel is exactly two vectors.
        let weights = unsafe {
            [
                _mm512_loadu_si512(columns.as_ptr().cast()),
                _mm512_loadu_si512(columns[16..].as_ptr().cast()),
            ]
        };
        for (accumulators, row) in accumulators.iter_mut().zip(rows) {
            let levels = _mm512_set1_epi32(row[pair]);
            for at in 0..2 {
                let products = _mm512_madd_epi16(levels, weights[at]);
                accumulators[at] = _mm512_add_epi32(accumulators[at], products);
            }
        }
    }
    for (sums, accumulators) in sums.iter_mut().zip(accumulators) {
        // SAFETY: a row of sums is exactly two vectors.
        unsafe {
            _mm512_storeu_si512(sums.as_mut_ptr().cast(), accumulators[0]);
            _mm512_storeu_si512(sums[16..].as_mut_ptr().cast(), accumulators[1]);
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
            let isa = Avx512Bw(unsafe { Avx512Lanes::new() });
            super::super::tests::check_exact_sums(isa);
        }
    }
}

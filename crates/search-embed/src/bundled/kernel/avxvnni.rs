//! Kernel for processors with AVX2 and a 256-bit integer dot product (AVX-VNNI): laptops and
//! desktops since 2021 without AVX-512. Everything but the product is the AVX2 code.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::avx2::{self, HALF};
use super::lanes::avx2::Avx2Lanes;
use super::{Isa, TileSums};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::{COLUMNS, QUAD, WIDTH};
use crate::bundled::weights::Panel;

pub(super) fn is_supported() -> bool {
    avx2::is_supported() && is_x86_feature_detected!("avxvnni")
}

#[target_feature(enable = "avx2,avxvnni,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 6, 1>(AvxVnni(Avx2Lanes::new()), pass);
}

#[derive(Clone, Copy)]
struct AvxVnni(Avx2Lanes);

impl Isa for AvxVnni {
    const ROWS: usize = 6;
    const SCRATCH: () = ();
    type Scratch = ();
    type PreparedPanel = Panel;
    type PreparedRow = [u8; WIDTH];
    type Lanes = Avx2Lanes;

    #[inline(always)]
    fn lanes(self) -> Avx2Lanes {
        self.0
    }

    #[inline(always)]
    fn prepare_panel<'a>(self, panel: &'static Panel, (): &'a mut ()) -> &'a Panel {
        panel
    }

    #[inline(always)]
    fn prepare_rows<'a>(
        self,
        rows: &'a [[u8; WIDTH]],
        _: &'a mut Vec<[u8; WIDTH]>,
    ) -> &'a [[u8; WIDTH]] {
        rows
    }

    #[inline(always)]
    fn multiply_tile(self, rows: &[[u8; WIDTH]], weights: &Panel, sums: &mut TileSums) {
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
#[target_feature(enable = "avx2,avxvnni")]
fn multiply_rows<const ROWS: usize>(rows: &[[u8; WIDTH]], panel: &Panel, sums: &mut TileSums) {
    let rows: &[[u8; WIDTH]; ROWS] = &rows.as_chunks().0[0];
    for half in 0..COLUMNS / HALF {
        let mut accumulators = [[_mm256_setzero_si256(); 2]; ROWS];
        for (quad, columns) in
            panel.as_chunks::<{ HALF * QUAD }>().0.iter().skip(half).step_by(2).enumerate()
        {
            // SAFETY: a quad of half the columns is exactly two vectors.
            let weights = unsafe {
                [
                    _mm256_loadu_si256(columns.as_ptr().cast()),
                    _mm256_loadu_si256(columns[32..].as_ptr().cast()),
                ]
            };
            for (accumulators, row) in accumulators.iter_mut().zip(rows) {
                let levels = _mm256_set1_epi32(i32::from_le_bytes(row.as_chunks::<QUAD>().0[quad]));
                accumulators[0] = _mm256_dpbusd_avx_epi32(accumulators[0], levels, weights[0]);
                accumulators[1] = _mm256_dpbusd_avx_epi32(accumulators[1], levels, weights[1]);
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
            let isa = AvxVnni(unsafe { Avx2Lanes::new() });
            super::super::tests::check_exact_sums(isa);
        }
    }
}

//! Kernel for processors with AVX-512 and its integer dot product (VNNI): servers since 2019, Zen 4
//! and later.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::lanes::avx512::Avx512Lanes;
use super::{Isa, TileSums};
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::{COLUMNS, QUAD, WIDTH};
use crate::bundled::weights::Panel;

pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 6, 2>(Avx512(Avx512Lanes::new()), pass);
}

#[derive(Clone, Copy)]
struct Avx512(Avx512Lanes);

impl Isa for Avx512 {
    // 24 of the 32 registers hold sums, two per row.
    const ROWS: usize = 12;
    const SCRATCH: () = ();
    type Scratch = ();
    type PreparedPanel = Panel;
    type PreparedRow = [u8; WIDTH];
    type Lanes = Avx512Lanes;

    #[inline(always)]
    fn lanes(self) -> Avx512Lanes {
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
#[target_feature(enable = "avx512f,avx512vnni")]
fn multiply_rows<const ROWS: usize>(rows: &[[u8; WIDTH]], panel: &Panel, sums: &mut TileSums) {
    let rows: &[[u8; WIDTH]; ROWS] = &rows.as_chunks().0[0];
    let mut accumulators = [[_mm512_setzero_si512(); 2]; ROWS];
    for (quad, columns) in panel.as_chunks::<{ COLUMNS * QUAD }>().0.iter().enumerate() {
        // SAFETY: a quad of the panel is exactly two vectors.
        let weights = unsafe {
            [
                _mm512_loadu_si512(columns.as_ptr().cast()),
                _mm512_loadu_si512(columns[64..].as_ptr().cast()),
            ]
        };
        for (accumulators, row) in accumulators.iter_mut().zip(rows) {
            let levels = _mm512_set1_epi32(i32::from_le_bytes(row.as_chunks::<QUAD>().0[quad]));
            accumulators[0] = _mm512_dpbusd_epi32(accumulators[0], levels, weights[0]);
            accumulators[1] = _mm512_dpbusd_epi32(accumulators[1], levels, weights[1]);
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
            let isa = Avx512(unsafe { Avx512Lanes::new() });
            super::super::tests::check_exact_sums(isa);
        }
    }
}

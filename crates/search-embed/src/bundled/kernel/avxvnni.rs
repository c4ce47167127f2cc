//! Kernel for processors with AVX2 and a 256-bit integer dot product (AVX-VNNI): laptops and
//! desktops since 2021 without AVX-512. Everything but the product is the AVX2 code.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::avx2::{self, Avx2};
use super::{Isa, Room, Sums};
use crate::bundled::forward::{self, Pass};
use crate::bundled::lanes::Lanes;
use crate::bundled::layout::{COLUMNS, QUAD, WIDTH};
use crate::bundled::weights::Panel;

/// Number of columns whose sums are held at once: half a panel, two vectors per row.
const HALF: usize = COLUMNS / 2;

pub(super) fn detected() -> bool {
    avx2::detected() && is_x86_feature_detected!("avxvnni")
}

#[target_feature(enable = "avx2,avxvnni,fma")]
pub(super) fn run(pass: &mut Pass) {
    forward::run::<_, 4>(AvxVnni(Avx2::included()), pass);
}

#[derive(Clone, Copy)]
struct AvxVnni(Avx2);

impl Isa for AvxVnni {
    const ROWS: usize = 6;
    type Weights = Panel;
    type Wide = <Avx2 as Isa>::Wide;

    #[inline(always)]
    fn weights<'a>(self, panel: &'static Panel, _: &'a mut Room) -> &'a Panel {
        panel
    }

    #[inline(always)]
    fn tile(self, rows: &[[u8; WIDTH]], weights: &Panel, sums: &mut Sums) {
        // SAFETY: `self` proves that the processor supports the set.
        unsafe {
            match rows.len() {
                1 => exactly::<1>(rows, weights, sums),
                2 => exactly::<2>(rows, weights, sums),
                3 => exactly::<3>(rows, weights, sums),
                4 => exactly::<4>(rows, weights, sums),
                5 => exactly::<5>(rows, weights, sums),
                _ => exactly::<6>(rows, weights, sums),
            }
        }
    }

    #[inline(always)]
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        self.0.mul_add(a, b, c)
    }

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> Self::Wide {
        self.0.load(lanes)
    }

    #[inline(always)]
    fn store(self, wide: Self::Wide, lanes: &mut Lanes) {
        self.0.store(wide, lanes);
    }

    #[inline(always)]
    fn add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        self.0.add(a, b)
    }

    #[inline(always)]
    fn lower(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        self.0.lower(a, b)
    }

    #[inline(always)]
    fn higher(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        self.0.higher(a, b)
    }

    #[inline(always)]
    fn add_product(self, sum: Self::Wide, wide: Self::Wide, factor: f32) -> Self::Wide {
        self.0.add_product(sum, wide, factor)
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,avxvnni")]
fn exactly<const ROWS: usize>(rows: &[[u8; WIDTH]], panel: &Panel, sums: &mut Sums) {
    let rows: &[[u8; WIDTH]; ROWS] = &rows.as_chunks().0[0];
    for half in 0..COLUMNS / HALF {
        let mut held = [[_mm256_setzero_si256(); 2]; ROWS];
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
            for (held, row) in held.iter_mut().zip(rows) {
                let levels = _mm256_set1_epi32(i32::from_le_bytes(row.as_chunks::<QUAD>().0[quad]));
                held[0] = _mm256_dpbusd_avx_epi32(held[0], levels, weights[0]);
                held[1] = _mm256_dpbusd_avx_epi32(held[1], levels, weights[1]);
            }
        }
        for (sums, held) in sums.iter_mut().zip(held) {
            let sums = &mut sums.as_chunks_mut::<HALF>().0[half];
            // SAFETY: half a row of sums is exactly two vectors.
            unsafe {
                _mm256_storeu_ps(sums.as_mut_ptr(), _mm256_cvtepi32_ps(held[0]));
                _mm256_storeu_ps(sums[8..].as_mut_ptr(), _mm256_cvtepi32_ps(held[1]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_the_processor_has_the_instructions() {
        if detected() {
            // SAFETY: detected.
            let isa = AvxVnni(unsafe { Avx2::included() });
            super::super::tests::check_sums(isa);
        }
    }
}

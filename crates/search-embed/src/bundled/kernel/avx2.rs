//! Kernel for processors with AVX2 and FMA but without an integer dot product (since about 2013).
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::float::{self, Weights};
use super::{Isa, Room, Sums};
use crate::bundled::forward::{self, Pass};
use crate::bundled::lanes::Lanes;
use crate::bundled::layout::WIDTH;
use crate::bundled::weights::Panel;

pub(super) fn detected() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run(pass: &mut Pass) {
    forward::run::<_, 4>(Avx2(()), pass);
}

#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Proof of support for instruction sets that include this one.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn included() -> Self {
        Self(())
    }
}

impl Isa for Avx2 {
    // Twelve of the sixteen registers hold sums, two per row.
    const ROWS: usize = 6;
    type Weights = Weights;
    type Wide = [__m256; 2];

    #[inline(always)]
    fn weights<'a>(self, panel: &'static Panel, scratch: &'a mut Room) -> &'a Weights {
        float::widen(panel, scratch)
    }

    #[inline(always)]
    fn tile(self, rows: &[[u8; WIDTH]], weights: &Weights, sums: &mut Sums) {
        // SAFETY: `self` proves that the processor supports the set.
        unsafe {
            match rows.len() {
                1 => exactly::<1>(self, rows, weights, sums),
                2 => exactly::<2>(self, rows, weights, sums),
                3 => exactly::<3>(self, rows, weights, sums),
                4 => exactly::<4>(self, rows, weights, sums),
                5 => exactly::<5>(self, rows, weights, sums),
                _ => exactly::<6>(self, rows, weights, sums),
            }
        }
    }

    #[inline(always)]
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> Self::Wide {
        // SAFETY: `self` proves AVX; the lanes are exactly two vectors.
        unsafe { [_mm256_loadu_ps(lanes.as_ptr()), _mm256_loadu_ps(lanes[8..].as_ptr())] }
    }

    #[inline(always)]
    fn store(self, wide: Self::Wide, lanes: &mut Lanes) {
        // SAFETY: as in `load`.
        unsafe {
            _mm256_storeu_ps(lanes.as_mut_ptr(), wide[0]);
            _mm256_storeu_ps(lanes[8..].as_mut_ptr(), wide[1]);
        }
    }

    #[inline(always)]
    fn add(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn lower(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_min_ps(a[0], b[0]), _mm256_min_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn higher(self, a: Self::Wide, b: Self::Wide) -> Self::Wide {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn add_product(self, sum: Self::Wide, wide: Self::Wide, factor: f32) -> Self::Wide {
        // SAFETY: `self` proves AVX and FMA.
        unsafe {
            let factor = _mm256_set1_ps(factor);
            [_mm256_fmadd_ps(wide[0], factor, sum[0]), _mm256_fmadd_ps(wide[1], factor, sum[1])]
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn exactly<const ROWS: usize>(isa: Avx2, rows: &[[u8; WIDTH]], weights: &Weights, sums: &mut Sums) {
    float::tile::<_, ROWS>(isa, rows, weights, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_the_processor_has_the_instructions() {
        if detected() {
            super::super::tests::check_sums(Avx2(()));
        }
    }
}

//! Kernel for processors with AVX2 and FMA but without an integer dot product (since about 2013).
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::float::{self, FloatPanel};
use super::{Isa, PanelScratch, TileSums};
use crate::bundled::elementwise::LaneArray;
use crate::bundled::forward::{self, ForwardPass};
use crate::bundled::layout::WIDTH;
use crate::bundled::weights::Panel;

pub(super) fn is_supported() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn run(pass: &mut ForwardPass) {
    forward::run::<_, 4>(Avx2(()), pass);
}

#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// Proof of support for instruction sets that include this one.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn from_superset() -> Self {
        Self(())
    }
}

impl Isa for Avx2 {
    // Twelve of the sixteen registers hold sums, two per row.
    const ROWS: usize = 6;
    type PreparedPanel = FloatPanel;
    type F32x16 = [__m256; 2];

    #[inline(always)]
    fn prepare_panel<'a>(
        self,
        panel: &'static Panel,
        scratch: &'a mut PanelScratch,
    ) -> &'a FloatPanel {
        float::panel_to_floats(panel, scratch)
    }

    #[inline(always)]
    fn multiply_tile(self, rows: &[[u8; WIDTH]], weights: &FloatPanel, sums: &mut TileSums) {
        // SAFETY: `self` proves that the processor supports the set.
        unsafe {
            match rows.len() {
                1 => multiply_rows::<1>(self, rows, weights, sums),
                2 => multiply_rows::<2>(self, rows, weights, sums),
                3 => multiply_rows::<3>(self, rows, weights, sums),
                4 => multiply_rows::<4>(self, rows, weights, sums),
                5 => multiply_rows::<5>(self, rows, weights, sums),
                _ => multiply_rows::<6>(self, rows, weights, sums),
            }
        }
    }

    #[inline(always)]
    fn mul_add(self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn load(self, lanes: &LaneArray) -> Self::F32x16 {
        // SAFETY: `self` proves AVX; the lanes are exactly two vectors.
        unsafe { [_mm256_loadu_ps(lanes.as_ptr()), _mm256_loadu_ps(lanes[8..].as_ptr())] }
    }

    #[inline(always)]
    fn store(self, wide: Self::F32x16, lanes: &mut LaneArray) {
        // SAFETY: as in `load`.
        unsafe {
            _mm256_storeu_ps(lanes.as_mut_ptr(), wide[0]);
            _mm256_storeu_ps(lanes[8..].as_mut_ptr(), wide[1]);
        }
    }

    #[inline(always)]
    fn add(self, a: Self::F32x16, b: Self::F32x16) -> Self::F32x16 {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn min(self, a: Self::F32x16, b: Self::F32x16) -> Self::F32x16 {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_min_ps(a[0], b[0]), _mm256_min_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn max(self, a: Self::F32x16, b: Self::F32x16) -> Self::F32x16 {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn mul_add_scalar(self, sum: Self::F32x16, wide: Self::F32x16, factor: f32) -> Self::F32x16 {
        // SAFETY: `self` proves AVX and FMA.
        unsafe {
            let factor = _mm256_set1_ps(factor);
            [_mm256_fmadd_ps(wide[0], factor, sum[0]), _mm256_fmadd_ps(wide[1], factor, sum[1])]
        }
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn multiply_rows<const ROWS: usize>(
    isa: Avx2,
    rows: &[[u8; WIDTH]],
    weights: &FloatPanel,
    sums: &mut TileSums,
) {
    float::multiply_rows::<_, ROWS>(isa, rows, weights, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_where_the_processor_has_the_instructions() {
        if is_supported() {
            super::super::tests::check_exact_sums(Avx2(()));
        }
    }
}

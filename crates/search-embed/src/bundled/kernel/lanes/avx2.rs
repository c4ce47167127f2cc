//! Lanes of AVX2 and FMA: two vectors of eight.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::{LANES, LaneArray, Lanes};

/// Proof of AVX2 and FMA.
#[derive(Clone, Copy)]
pub(in crate::bundled) struct Avx2Lanes(());

impl Avx2Lanes {
    #[target_feature(enable = "avx2,fma")]
    pub fn new() -> Self {
        Self(())
    }
}

/// Defines operations that are one instruction for each vector.
macro_rules! instructions {
    ($($name:ident($($operand:ident),+) = $intrinsic:ident;)+) => {$(
        #[inline(always)]
        fn $name(self, $($operand: Self::Wide),+) -> Self::Wide {
            // SAFETY: `self` proves AVX2 and FMA.
            unsafe { [$intrinsic($($operand[0]),+), $intrinsic($($operand[1]),+)] }
        }
    )+};
}

impl Lanes for Avx2Lanes {
    type Wide = [__m256; 2];

    instructions! {
        add(a, b) = _mm256_add_ps;
        sub(a, b) = _mm256_sub_ps;
        mul(a, b) = _mm256_mul_ps;
        min(a, b) = _mm256_min_ps;
        max(a, b) = _mm256_max_ps;
        mul_add(a, b, c) = _mm256_fmadd_ps;
        scale_by_power(wide, power) = scale_half;
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Self::Wide {
        // SAFETY: `self` proves AVX.
        unsafe { [_mm256_set1_ps(value); 2] }
    }

    #[inline(always)]
    fn load(self, lanes: &LaneArray) -> Self::Wide {
        // SAFETY: `self` proves AVX; the lanes are exactly two vectors.
        unsafe { [_mm256_loadu_ps(lanes.as_ptr()), _mm256_loadu_ps(lanes[8..].as_ptr())] }
    }

    #[inline(always)]
    fn load_integers(self, lanes: &[i32; LANES]) -> Self::Wide {
        // SAFETY: as in `load`.
        unsafe {
            [
                _mm256_cvtepi32_ps(_mm256_loadu_si256(lanes.as_ptr().cast())),
                _mm256_cvtepi32_ps(_mm256_loadu_si256(lanes[8..].as_ptr().cast())),
            ]
        }
    }

    #[inline(always)]
    fn store(self, wide: Self::Wide, lanes: &mut LaneArray) {
        // SAFETY: as in `load`.
        unsafe {
            _mm256_storeu_ps(lanes.as_mut_ptr(), wide[0]);
            _mm256_storeu_ps(lanes[8..].as_mut_ptr(), wide[1]);
        }
    }

    #[inline(always)]
    fn store_low_bytes(self, wide: Self::Wide, bytes: &mut [u8; LANES]) {
        // SAFETY: `self` proves AVX2; the bytes are exactly one vector of 128 bits.
        unsafe {
            let mask = _mm256_set1_epi32(0xff);
            let low = _mm256_and_si256(_mm256_castps_si256(wide[0]), mask);
            let high = _mm256_and_si256(_mm256_castps_si256(wide[1]), mask);
            // Packing works on each half of the vectors by itself, which leaves the quarters in the
            // order 0, 2, 1, 3.
            let pairs = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
            let (low, high) = (_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm_packus_epi16(low, high));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn scale_half(half: __m256, power: __m256) -> __m256 {
    let exponent = _mm256_slli_epi32::<23>(_mm256_castps_si256(power));
    _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(half), exponent))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_conversions, check_operations};
    use super::*;

    #[test]
    fn operations_are_those_on_single_floats_where_the_processor_has_the_instructions() {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            check_operations(Avx2Lanes(()));
            check_conversions(Avx2Lanes(()));
        }
    }
}

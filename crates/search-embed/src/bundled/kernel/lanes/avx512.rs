//! Lanes of AVX-512: one vector.
#![expect(
    unsafe_code,
    reason = "vector instructions are unsafe to call where the processor may lack them"
)]

use std::arch::x86_64::*;

use super::{LANES, LaneArray, Lanes};

/// Proof of AVX-512 F.
#[derive(Clone, Copy)]
pub(in crate::bundled) struct Avx512Lanes(());

impl Avx512Lanes {
    #[target_feature(enable = "avx512f")]
    pub fn new() -> Self {
        Self(())
    }
}

/// Defines operations that are one instruction.
macro_rules! instructions {
    ($($name:ident($($operand:ident: $from:ty),+) -> $to:ty = $intrinsic:ident;)+) => {$(
        #[inline(always)]
        fn $name(self, $($operand: $from),+) -> $to {
            // SAFETY: `self` proves AVX-512.
            unsafe { $intrinsic($($operand),+) }
        }
    )+};
}

impl Lanes for Avx512Lanes {
    type Wide = __m512;

    instructions! {
        splat(value: f32) -> __m512 = _mm512_set1_ps;
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps;
        sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps;
        mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps;
        min(a: __m512, b: __m512) -> __m512 = _mm512_min_ps;
        max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps;
        mul_add(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps;
        sum(wide: __m512) -> f32 = _mm512_reduce_add_ps;
        highest(wide: __m512) -> f32 = _mm512_reduce_max_ps;
    }

    #[inline(always)]
    fn load(self, lanes: &LaneArray) -> __m512 {
        // SAFETY: `self` proves AVX-512; the lanes are exactly one vector.
        unsafe { _mm512_loadu_ps(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn load_integers(self, lanes: &[i32; LANES]) -> __m512 {
        // SAFETY: as in `load`.
        unsafe { _mm512_cvtepi32_ps(_mm512_loadu_si512(lanes.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, wide: __m512, lanes: &mut LaneArray) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), wide) }
    }

    #[inline(always)]
    fn store_low_bytes(self, wide: __m512, bytes: &mut [u8; LANES]) {
        // SAFETY: `self` proves AVX-512; the bytes are exactly one vector of 128 bits.
        unsafe {
            let low = _mm512_cvtepi32_epi8(_mm512_castps_si512(wide));
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), low);
        }
    }

    #[inline(always)]
    fn scale_by_power(self, wide: __m512, power: __m512) -> __m512 {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let exponent = _mm512_slli_epi32::<23>(_mm512_castps_si512(power));
            _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(wide), exponent))
        }
    }

    #[inline(always)]
    fn transpose(self, rows: [&LaneArray; LANES], columns: &mut [LaneArray; LANES]) {
        let mut wide = [self.splat(0.0); LANES];
        for at in 0..LANES {
            wide[at] = self.load(rows[at]);
        }
        // Each step moves the highest bit of the number of a row to the lowest of the lane, and
        // that of the lane to the lowest of the row, so that four exchange rows and lanes.
        for _ in 0..LANES.ilog2() {
            let before = wide;
            for at in 0..LANES / 2 {
                let [low, high] = self.interleave(before[at], before[at + LANES / 2]);
                (wide[2 * at], wide[2 * at + 1]) = (low, high);
            }
        }
        for at in 0..LANES {
            self.store(wide[at], &mut columns[at]);
        }
    }
}

impl Avx512Lanes {
    /// Returns the lanes of both in turn: those of the lower halves, then those of the upper ones.
    #[inline(always)]
    fn interleave(self, a: __m512, b: __m512) -> [__m512; 2] {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
            [_mm512_permutex2var_ps(a, low, b), _mm512_permutex2var_ps(a, high, b)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_conversions, check_operations};
    use super::*;

    #[test]
    fn operations_are_those_on_single_floats_where_the_processor_has_the_instructions() {
        if is_x86_feature_detected!("avx512f") {
            check_operations(Avx512Lanes(()));
            check_conversions(Avx512Lanes(()));
        }
    }
}

//! The inner loops with the instructions of newer x86 processors. Each form checks for its own before it is given
//! out, and reads only whole steps that lie inside its slices; what is left over is done one by one.
#![expect(
    unsafe_code,
    reason = "vector loads take pointers, and a form may only be called where it is supported"
)]

use super::{Differences, Products};
use std::arch::x86_64::*;

/// The best form of the product this machine has, if any is better than the portable one.
pub(super) fn best_products() -> Option<Products> {
    all_products().into_iter().next()
}

/// The best form of the difference this machine has, if any is better than the portable one.
pub(super) fn best_differences() -> Option<Differences> {
    all_differences().into_iter().next()
}

/// Every form of the product this machine has, best first.
pub(super) fn all_products() -> Vec<Products> {
    let mut forms: Vec<Products> = Vec::new();
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
        // SAFETY: both features were just found.
        forms.push(|query, rows, out| unsafe { products_vnni(query, rows, out) });
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was just found.
        forms.push(|query, rows, out| unsafe { products_avx2(query, rows, out) });
    }
    forms
}

/// Every form of the difference this machine has, best first.
pub(super) fn all_differences() -> Vec<Differences> {
    let mut forms: Vec<Differences> = Vec::new();
    if is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512vpopcntdq") {
        // SAFETY: both features were just found.
        forms.push(|query, rows, out| unsafe { differences_avx512(query, rows, out) });
    }
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the feature was just found.
        forms.push(|query, rows, out| unsafe { differences_popcnt(query, rows, out) });
    }
    forms
}

/// The instruction multiplies unsigned by signed bytes. Flipping a code's top bit adds 128 to it, which adds
/// 128 times the query's sum to every product, and that is taken off at the end.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products_vnni(query: &[i8], rows: &[i8], out: &mut [i32]) {
    const STEP: usize = 64;
    let steps = query.len() / STEP;
    let (whole, rest) = query.split_at(steps * STEP);
    let surplus: i32 = whole.iter().map(|&code| 128 * i32::from(code)).sum();
    let flip = _mm512_set1_epi8(i8::MIN);
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let mut sums = _mm512_setzero_si512();
        for step in 0..steps {
            // SAFETY: `step * STEP + STEP <= steps * STEP`, which is within both the query and the row.
            let (one, other) = unsafe {
                let one = query.as_ptr().add(step * STEP).cast();
                let other = row.as_ptr().add(step * STEP).cast();
                (_mm512_loadu_si512(one), _mm512_loadu_si512(other))
            };
            sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(other, flip), one);
        }
        *out = _mm512_reduce_add_epi32(sums) - surplus + product(rest, &row[whole.len()..]);
    }
}

#[target_feature(enable = "avx2")]
fn products_avx2(query: &[i8], rows: &[i8], out: &mut [i32]) {
    const STEP: usize = 16;
    let steps = query.len() / STEP;
    let (whole, rest) = query.split_at(steps * STEP);
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let mut sums = _mm256_setzero_si256();
        for step in 0..steps {
            // SAFETY: `step * STEP + STEP <= steps * STEP`, which is within both the query and the row.
            let (one, other) = unsafe {
                let one = query.as_ptr().add(step * STEP).cast();
                let other = row.as_ptr().add(step * STEP).cast();
                (_mm_loadu_si128(one), _mm_loadu_si128(other))
            };
            let pairs = _mm256_madd_epi16(_mm256_cvtepi8_epi16(one), _mm256_cvtepi8_epi16(other));
            sums = _mm256_add_epi32(sums, pairs);
        }
        *out = sum_of_eight(sums) + product(rest, &row[whole.len()..]);
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq")]
fn differences_avx512(query: &[u64], rows: &[u64], out: &mut [u16]) {
    const STEP: usize = 4;
    let steps = query.len() / STEP;
    let (whole, rest) = query.split_at(steps * STEP);
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let mut sums = _mm256_setzero_si256();
        for step in 0..steps {
            // SAFETY: `step * STEP + STEP <= steps * STEP`, which is within both the query and the row.
            let (one, other) = unsafe {
                let one = query.as_ptr().add(step * STEP).cast();
                let other = row.as_ptr().add(step * STEP).cast();
                (_mm256_loadu_si256(one), _mm256_loadu_si256(other))
            };
            sums = _mm256_add_epi64(sums, _mm256_popcnt_epi64(_mm256_xor_si256(one, other)));
        }
        *out = sum_of_eight(sums) as u16 + difference(rest, &row[whole.len()..]);
    }
}

#[target_feature(enable = "popcnt")]
fn differences_popcnt(query: &[u64], rows: &[u64], out: &mut [u16]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        *out = difference(query, row);
    }
}

/// The sum of eight numbers of 32 bits (or of four of 64 whose upper halves are zero).
#[target_feature(enable = "avx2")]
fn sum_of_eight(numbers: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
    _mm_cvtsi128_si32(one)
}

#[inline]
fn product(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(&one, &other)| i32::from(one) * i32::from(other)).sum()
}

#[inline]
fn difference(one: &[u64], other: &[u64]) -> u16 {
    one.iter().zip(other).map(|(one, other)| (one ^ other).count_ones() as u16).sum()
}

//! The inner loops with AVX2, AVX-512 and POPCNT. A kernel is only handed out after its
//! instructions were detected. It processes whole vectors; the remainder is done element by
//! element.
#![expect(
    unsafe_code,
    reason = "vector loads take pointers, and a kernel may only run where it is supported"
)]

use super::{DotProductsFn, WeightedHammingFn, weighted_hamming_of_row};
use crate::vectors::binary_query::BinaryQuery;
use std::arch::x86_64::*;

/// Returns the fastest dot-product kernel, if any is faster than the portable one.
pub(super) fn best_dot_products() -> Option<DotProductsFn> {
    all_dot_products().into_iter().next()
}

/// Returns the fastest weighted-Hamming kernel, if any is faster than the portable one.
pub(super) fn best_weighted_hamming() -> Option<WeightedHammingFn> {
    all_weighted_hamming().into_iter().next()
}

/// Returns every dot-product kernel that this processor supports, fastest first.
pub(super) fn all_dot_products() -> Vec<DotProductsFn> {
    let mut kernels: Vec<DotProductsFn> = Vec::new();
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
        // SAFETY: both features were just detected.
        kernels.push(|query, rows, out| unsafe { dot_products_vnni(query, rows, out) });
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was just detected.
        kernels.push(|query, rows, out| unsafe { dot_products_avx2(query, rows, out) });
    }
    kernels
}

/// Returns every weighted-Hamming kernel that this processor supports, fastest first.
pub(super) fn all_weighted_hamming() -> Vec<WeightedHammingFn> {
    let mut kernels: Vec<WeightedHammingFn> = Vec::new();
    let has_avx512 =
        is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512vpopcntdq");
    if has_avx512 && is_x86_feature_detected!("popcnt") {
        // SAFETY: the features were just detected.
        kernels.push(|query, rows, out| unsafe { weighted_hamming_avx512(query, rows, out) });
    }
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the feature was just detected.
        kernels.push(|query, rows, out| unsafe { weighted_hamming_popcnt(query, rows, out) });
    }
    kernels
}

/// Dot products with VPDPBUSD, which multiplies unsigned by signed bytes. Flipping the top bit of a
/// code adds 128 to it, which adds 128 times the query to the product; that surplus is accumulated
/// separately and subtracted at the end.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dot_products_vnni(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let (chunks, rest) = query.as_chunks::<64>();
    let flip = _mm512_set1_epi8(i8::MIN);
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let (row_chunks, row_rest) = row.as_chunks::<64>();
        let (mut sums, mut surplus) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (one, other) in chunks.iter().zip(row_chunks) {
            // SAFETY: each chunk is 64 bytes long, which is what is read.
            let (one, other) = unsafe {
                (_mm512_loadu_si512(one.as_ptr().cast()), _mm512_loadu_si512(other.as_ptr().cast()))
            };
            sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(other, flip), one);
            surplus = _mm512_dpbusd_epi32(surplus, flip, one);
        }
        *out =
            _mm512_reduce_add_epi32(_mm512_sub_epi32(sums, surplus)) + dot_product(rest, row_rest);
    }
}

#[target_feature(enable = "avx2")]
fn dot_products_avx2(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let (chunks, rest) = query.as_chunks::<16>();
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        let (row_chunks, row_rest) = row.as_chunks::<16>();
        let mut sums = _mm256_setzero_si256();
        for (one, other) in chunks.iter().zip(row_chunks) {
            // SAFETY: each chunk is 16 bytes long, which is what is read.
            let (one, other) = unsafe {
                (_mm_loadu_si128(one.as_ptr().cast()), _mm_loadu_si128(other.as_ptr().cast()))
            };
            // Widened to 16 bits first: VPMADDUBSW would saturate.
            let pairs = _mm256_madd_epi16(_mm256_cvtepi8_epi16(one), _mm256_cvtepi8_epi16(other));
            sums = _mm256_add_epi32(sums, pairs);
        }
        *out = horizontal_sum(sums) + dot_product(rest, row_rest);
    }
}

/// Weighted Hamming distances of four rows at a time, two per register. The counts of the rows are
/// shifted into different 16-bit fields of the same lanes, so that one horizontal sum yields all
/// four.
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq,popcnt")]
fn weighted_hamming_avx512(query: &BinaryQuery, rows: &[u64], out: &mut [u16]) {
    let width = query.signs.len().max(1);
    if !width.is_multiple_of(4) {
        return weighted_hamming_popcnt(query, rows, out);
    }
    let (fours, rest) = out.as_chunks_mut::<4>();
    let (rows, last_rows) = rows.split_at(fours.len() * 4 * width);
    for (rows, out) in rows.chunks_exact(4 * width).zip(fours) {
        let (first, second) = rows.split_at(2 * width);
        let (first, second) = (two_rows_avx512(query, first), two_rows_avx512(query, second));
        let all = _mm512_add_epi64(first, _mm512_slli_epi64::<32>(second));
        let (even, odd) = (_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
        let four = _mm256_add_epi64(even, _mm256_slli_epi64::<16>(odd));
        let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
        let one = _mm_add_epi64(two, _mm_unpackhi_epi64(two, two));
        let packed = _mm_cvtsi128_si64(one) as u64;
        *out = [packed as u16, (packed >> 16) as u16, (packed >> 32) as u16, (packed >> 48) as u16];
    }
    weighted_hamming_popcnt(query, last_rows, rest);
}

/// Returns the weighted Hamming distances of two rows, each spread over four 64-bit lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq,popcnt")]
fn two_rows_avx512(query: &BinaryQuery, rows: &[u64]) -> __m512i {
    let (one, other) = rows.split_at(query.signs.len());
    let (signs, [low, middle, high]) = (query.signs.as_chunks::<4>().0, &query.bit_planes);
    let planes =
        low.as_chunks::<4>().0.iter().zip(middle.as_chunks::<4>().0).zip(high.as_chunks::<4>().0);
    let chunks = one.as_chunks::<4>().0.iter().zip(other.as_chunks::<4>().0);
    let mut sums = _mm512_setzero_si512();
    for ((sign, ((low, middle), high)), (one, other)) in signs.iter().zip(planes).zip(chunks) {
        let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load_256(one)), load_256(other));
        let differing = _mm512_xor_si512(broadcast_pair(sign), both);
        let low = _mm512_popcnt_epi64(_mm512_and_si512(differing, broadcast_pair(low)));
        let middle = _mm512_popcnt_epi64(_mm512_and_si512(differing, broadcast_pair(middle)));
        let high = _mm512_popcnt_epi64(_mm512_and_si512(differing, broadcast_pair(high)));
        let doubled = _mm512_add_epi64(middle, _mm512_slli_epi64::<1>(high));
        sums = _mm512_add_epi64(sums, _mm512_add_epi64(low, _mm512_slli_epi64::<1>(doubled)));
    }
    sums
}

#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast_pair(words: &[u64; 4]) -> __m512i {
    _mm512_broadcast_i64x4(load_256(words))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_256(words: &[u64; 4]) -> __m256i {
    // SAFETY: four words are what is read.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[target_feature(enable = "popcnt")]
fn weighted_hamming_popcnt(query: &BinaryQuery, rows: &[u64], out: &mut [u16]) {
    for (row, out) in rows.chunks_exact(query.signs.len().max(1)).zip(out) {
        *out = weighted_hamming_of_row(query, row);
    }
}

/// Returns the sum of eight 32-bit lanes.
#[target_feature(enable = "avx2")]
fn horizontal_sum(numbers: __m256i) -> i32 {
    let four =
        _mm_add_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256::<1>(numbers));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two));
    _mm_cvtsi128_si32(one)
}

#[inline]
fn dot_product(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(&one, &other)| i32::from(one) * i32::from(other)).sum()
}

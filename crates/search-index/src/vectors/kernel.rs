//! The two inner loops of vector search: int8 dot products and weighted Hamming distances. The best
//! implementation for the processor is chosen once at run time; the portable one works everywhere.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::binary_query::BinaryQuery;
use std::sync::OnceLock;

/// Writes the dot product of the query with each row.
pub(super) fn dot_products(query: &[i8], rows: &[i8], out: &mut [i32]) {
    debug_assert_eq!(rows.len(), query.len() * out.len());
    (kernels().dot_products)(query, rows, out);
}

/// Writes for each row the sum of the query's magnitudes over the dimensions in which the signs
/// differ.
pub(super) fn weighted_hamming(query: &BinaryQuery, rows: &[u64], out: &mut [u16]) {
    debug_assert_eq!(rows.len(), query.signs.len() * out.len());
    (kernels().weighted_hamming)(query, rows, out);
}

type DotProductsFn = fn(&[i8], &[i8], &mut [i32]);
type WeightedHammingFn = fn(&BinaryQuery, &[u64], &mut [u16]);

/// Implementations chosen for this processor.
struct DistanceKernels {
    dot_products: DotProductsFn,
    weighted_hamming: WeightedHammingFn,
}

fn kernels() -> &'static DistanceKernels {
    static KERNEL: OnceLock<DistanceKernels> = OnceLock::new();
    KERNEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        return DistanceKernels {
            dot_products: x86::best_dot_products().unwrap_or(portable_dot_products),
            weighted_hamming: x86::best_weighted_hamming().unwrap_or(portable_weighted_hamming),
        };
        #[cfg(not(target_arch = "x86_64"))]
        DistanceKernels {
            dot_products: portable_dot_products,
            weighted_hamming: portable_weighted_hamming,
        }
    })
}

fn portable_dot_products(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        *out = query.iter().zip(row).map(|(&one, &other)| i32::from(one) * i32::from(other)).sum();
    }
}

fn portable_weighted_hamming(query: &BinaryQuery, rows: &[u64], out: &mut [u16]) {
    for (row, out) in rows.chunks_exact(query.signs.len().max(1)).zip(out) {
        *out = weighted_hamming_of_row(query, row);
    }
}

#[inline(always)]
fn weighted_hamming_of_row(query: &BinaryQuery, row: &[u64]) -> u16 {
    let [low, middle, high] = &query.bit_planes;
    let words = query.signs.iter().zip(low).zip(middle).zip(high);
    let differences = words.zip(row).map(|((((sign, low), middle), high), word)| {
        // The magnitudes are in bit planes of weight 1, 2 and 4.
        let differing = sign ^ word;
        let count = |plane: &u64| (differing & plane).count_ones();
        count(low) + 2 * count(middle) + 4 * count(high)
    });
    differences.sum::<u32>() as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_dot_product_kernel_agrees(
            len in 1_usize..300,
            rows in 1_usize..4,
            seed in prop::collection::vec(any::<i8>(), 1_200),
        ) {
            let (query, rest) = seed.split_at(len);
            let rows = rows.min(rest.len() / len);
            let rows = &rest[..rows * len];
            let mut expected = vec![0; rows.len() / len];
            portable_dot_products(query, rows, &mut expected);
            for kernel in dot_product_kernels() {
                let mut found = vec![0; expected.len()];
                kernel(query, rows, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }

        #[test]
        fn every_weighted_hamming_kernel_agrees(
            len in 1_usize..12,
            rows in 1_usize..6,
            seed in prop::collection::vec(any::<u64>(), 120),
        ) {
            let (query, rest) = seed.split_at(4 * len);
            let part = |nth: usize| query[nth * len..(nth + 1) * len].to_vec();
            let query = BinaryQuery { signs: part(0), bit_planes: [part(1), part(2), part(3)] };
            let rows = &rest[..rows * len];
            let mut expected = vec![0; rows.len() / len];
            portable_weighted_hamming(&query, rows, &mut expected);
            for kernel in weighted_hamming_kernels() {
                let mut found = vec![0; expected.len()];
                kernel(&query, rows, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        for kernel in dot_product_kernels() {
            let mut out = [0];
            kernel(&[-128; 1024], &[-128; 1024], &mut out);
            assert_eq!(out, [1024 * 128 * 128]);
            kernel(&[-128; 1024], &[127; 1024], &mut out);
            assert_eq!(out, [-1024 * 128 * 127]);
        }
    }

    fn dot_product_kernels() -> Vec<DotProductsFn> {
        #[cfg(target_arch = "x86_64")]
        return x86::all_dot_products();
        #[cfg(not(target_arch = "x86_64"))]
        vec![portable_dot_products]
    }

    fn weighted_hamming_kernels() -> Vec<WeightedHammingFn> {
        #[cfg(target_arch = "x86_64")]
        return x86::all_weighted_hamming();
        #[cfg(not(target_arch = "x86_64"))]
        vec![portable_weighted_hamming]
    }
}

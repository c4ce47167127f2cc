//! The two inner loops of vector search: int8 dot products and weighted Hamming distances. The best
//! implementation for the processor is chosen once at run time; the portable one works everywhere.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::signs::SignQuery;
use std::sync::OnceLock;

/// Writes the dot product of the query with each row.
pub(super) fn products(query: &[i8], rows: &[i8], out: &mut [i32]) {
    debug_assert_eq!(rows.len(), query.len() * out.len());
    (kernel().products)(query, rows, out);
}

/// Writes for each row the sum of the query's magnitudes over the dimensions in which the signs
/// differ.
pub(super) fn differences(query: &SignQuery, rows: &[u64], out: &mut [u16]) {
    debug_assert_eq!(rows.len(), query.signs.len() * out.len());
    (kernel().differences)(query, rows, out);
}

type Products = fn(&[i8], &[i8], &mut [i32]);
type Differences = fn(&SignQuery, &[u64], &mut [u16]);

/// Implementations chosen for this processor.
struct Kernel {
    products: Products,
    differences: Differences,
}

fn kernel() -> &'static Kernel {
    static KERNEL: OnceLock<Kernel> = OnceLock::new();
    KERNEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        return Kernel {
            products: x86::best_products().unwrap_or(portable_products),
            differences: x86::best_differences().unwrap_or(portable_differences),
        };
        #[cfg(not(target_arch = "x86_64"))]
        Kernel { products: portable_products, differences: portable_differences }
    })
}

fn portable_products(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        *out = query.iter().zip(row).map(|(&one, &other)| i32::from(one) * i32::from(other)).sum();
    }
}

fn portable_differences(query: &SignQuery, rows: &[u64], out: &mut [u16]) {
    for (row, out) in rows.chunks_exact(query.signs.len().max(1)).zip(out) {
        *out = difference(query, row);
    }
}

#[inline(always)]
fn difference(query: &SignQuery, row: &[u64]) -> u16 {
    let [low, middle, high] = &query.planes;
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
        fn every_form_of_the_product_agrees(
            len in 1_usize..300,
            rows in 1_usize..4,
            seed in prop::collection::vec(any::<i8>(), 1_200),
        ) {
            let (query, rest) = seed.split_at(len);
            let rows = rows.min(rest.len() / len);
            let rows = &rest[..rows * len];
            let mut expected = vec![0; rows.len() / len];
            portable_products(query, rows, &mut expected);
            for kernel in forms_of_products() {
                let mut found = vec![0; expected.len()];
                kernel(query, rows, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }

        #[test]
        fn every_form_of_the_difference_agrees(
            len in 1_usize..12,
            rows in 1_usize..6,
            seed in prop::collection::vec(any::<u64>(), 120),
        ) {
            let (query, rest) = seed.split_at(4 * len);
            let part = |nth: usize| query[nth * len..(nth + 1) * len].to_vec();
            let query = SignQuery { signs: part(0), planes: [part(1), part(2), part(3)] };
            let rows = &rest[..rows * len];
            let mut expected = vec![0; rows.len() / len];
            portable_differences(&query, rows, &mut expected);
            for kernel in forms_of_differences() {
                let mut found = vec![0; expected.len()];
                kernel(&query, rows, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        for kernel in forms_of_products() {
            let mut out = [0];
            kernel(&[-128; 1024], &[-128; 1024], &mut out);
            assert_eq!(out, [1024 * 128 * 128]);
            kernel(&[-128; 1024], &[127; 1024], &mut out);
            assert_eq!(out, [-1024 * 128 * 127]);
        }
    }

    fn forms_of_products() -> Vec<Products> {
        #[cfg(target_arch = "x86_64")]
        return x86::all_products();
        #[cfg(not(target_arch = "x86_64"))]
        vec![portable_products]
    }

    fn forms_of_differences() -> Vec<Differences> {
        #[cfg(target_arch = "x86_64")]
        return x86::all_differences();
        #[cfg(not(target_arch = "x86_64"))]
        vec![portable_differences]
    }
}

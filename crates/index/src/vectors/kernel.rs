//! The two inner loops of a vector search, in the best form the machine has: products of signed bytes, and
//! differing bits. Chosen once at run time; the portable form is correct everywhere.

#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// Writes the product of the query with each row of its length.
pub(super) fn products(query: &[i8], rows: &[i8], out: &mut [i32]) {
    debug_assert_eq!(rows.len(), query.len() * out.len());
    (kernel().products)(query, rows, out);
}

/// Writes in how many bits the query differs from each row of its length.
pub(super) fn differences(query: &[u64], rows: &[u64], out: &mut [u16]) {
    debug_assert_eq!(rows.len(), query.len() * out.len());
    (kernel().differences)(query, rows, out);
}

type Products = fn(&[i8], &[i8], &mut [i32]);
type Differences = fn(&[u64], &[u64], &mut [u16]);

/// The forms in use.
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

fn portable_differences(query: &[u64], rows: &[u64], out: &mut [u16]) {
    for (row, out) in rows.chunks_exact(query.len().max(1)).zip(out) {
        *out = query.iter().zip(row).map(|(one, other)| (one ^ other).count_ones() as u16).sum();
    }
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
            for form in forms_of_products() {
                let mut found = vec![0; expected.len()];
                form(query, rows, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }

        #[test]
        fn every_form_of_the_difference_agrees(
            len in 1_usize..12,
            rows in 1_usize..5,
            seed in prop::collection::vec(any::<u64>(), 72),
        ) {
            let (query, rest) = seed.split_at(len);
            let rows = &rest[..rows * len];
            let mut expected = vec![0; rows.len() / len];
            portable_differences(query, rows, &mut expected);
            for form in forms_of_differences() {
                let mut found = vec![0; expected.len()];
                form(query, rows, &mut found);
                prop_assert_eq!(&found, &expected);
            }
        }
    }

    #[test]
    fn the_extremes_do_not_overflow() {
        for form in forms_of_products() {
            let mut out = [0];
            form(&[-128; 1024], &[-128; 1024], &mut out);
            assert_eq!(out, [1024 * 128 * 128]);
            form(&[-128; 1024], &[127; 1024], &mut out);
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

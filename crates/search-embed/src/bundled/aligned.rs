//! Memory that starts at a cache line. The widest vectors are a line long, so that a buffer that
//! starts elsewhere would have each of them in two lines, which takes twice as long.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Rows of `N` numbers, each a whole number of cache lines.
pub(super) struct AlignedRows<T, const N: usize> {
    numbers: Vec<T>,
    /// First number that starts a line. The vector never grows, so that it stays where it is.
    first: usize,
    rows: usize,
}

impl<T: Copy + Default, const N: usize> AlignedRows<T, N> {
    /// Allocates this many rows.
    pub fn new(rows: usize) -> Self {
        let numbers = vec![T::default(); rows * N + LINE / size_of::<T>()];
        Self { first: numbers.as_ptr().align_offset(LINE), numbers, rows }
    }

    /// Returns the rows.
    #[inline(always)]
    pub fn get(&self) -> &[[T; N]] {
        &self.numbers[self.first..].as_chunks().0[..self.rows]
    }

    /// Returns the rows to write to.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut [[T; N]] {
        &mut self.numbers[self.first..].as_chunks_mut().0[..self.rows]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_at_a_cache_line() {
        for rows in [0, 1, 7] {
            let mut aligned = AlignedRows::<u8, 256>::new(rows);
            assert_eq!(aligned.get().len(), rows);
            assert!(aligned.get_mut().as_ptr().addr().is_multiple_of(LINE));
        }
    }
}

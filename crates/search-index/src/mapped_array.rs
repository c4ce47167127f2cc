//! An array whose first items may lie in a snapshot file that is mapped into memory. They take no
//! memory of the process until they are read, all processes share them, and the system may take
//! them back. A changed item is copied with its page; further items go to ordinary memory.

use crate::block_checksums::BlockChecks;
use bytemuck::Pod;
use memmap2::MmapMut;
use std::ops::{Index, IndexMut};

/// Items in a file, followed by items in memory.
#[derive(Debug)]
pub(crate) struct MappedArray<T> {
    /// First items. The mapping is private: changes never reach the file.
    mapping: Option<MmapMut>,
    /// Checks of the mapped items; `None` if all were checked already.
    checks: Option<BlockChecks>,
    owned: Vec<T>,
}

impl<T> Default for MappedArray<T> {
    fn default() -> Self {
        Self { mapping: None, checks: None, owned: Vec::new() }
    }
}

impl<T: Pod> Clone for MappedArray<T> {
    fn clone(&self) -> Self {
        self.check_all();
        Self::from(self.parts().concat())
    }
}

impl<T> From<Vec<T>> for MappedArray<T> {
    fn from(owned: Vec<T>) -> Self {
        Self { owned, ..Self::default() }
    }
}

impl<T: Pod> MappedArray<T> {
    /// Takes mapped bytes as an array; `None` if their length or alignment does not fit.
    pub(crate) fn from_mapping(mapping: MmapMut) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(&mapping).ok()?;
        Some(Self { mapping: Some(mapping), ..Self::default() })
    }

    /// Takes mapped bytes that are checked where they are read.
    pub(crate) fn with_checks(self, checks: BlockChecks) -> Self {
        Self { checks: Some(checks), ..self }
    }

    /// Checks all mapped items that were not checked yet.
    pub(crate) fn check_all(&self) {
        self.check(0, self.mapped().len());
    }

    pub(crate) fn len(&self) -> usize {
        self.mapped().len() + self.owned.len()
    }

    /// Returns the mapped items and the others.
    pub(crate) fn parts(&self) -> [&[T]; 2] {
        [self.mapped(), &self.owned]
    }

    /// Returns `len` items from `start`, which were added together.
    pub(crate) fn slice(&self, start: usize, len: usize) -> &[T] {
        self.check(start, len);
        self.unchecked_slice(start, len)
    }

    /// Returns the same as [`Self::slice`], or `None` if it is damaged.
    pub(crate) fn intact_slice(&self, start: usize, len: usize) -> Option<&[T]> {
        self.check(start, len).then(|| self.unchecked_slice(start, len))
    }

    /// Returns the same as [`Self::slice`] without checking it, to be prefetched.
    pub(crate) fn unchecked_slice(&self, start: usize, len: usize) -> &[T] {
        let mapped = self.mapped();
        match start.checked_sub(mapped.len()) {
            Some(start) => &self.owned[start..start + len],
            None => &mapped[start..start + len],
        }
    }

    /// Returns `len` items from `start`, which were added together, for changing them.
    pub(crate) fn slice_mut(&mut self, start: usize, len: usize) -> &mut [T] {
        // Checked before it changes; it would not match its checksum afterwards.
        self.check(start, len);
        match start.checked_sub(self.mapped().len()) {
            Some(start) => &mut self.owned[start..start + len],
            None => &mut self.mapped_mut()[start..start + len],
        }
    }

    /// Iterates over all items for changing them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.check_all();
        let Self { mapping, owned, .. } = self;
        let mapped = mapping.as_mut().map_or(&mut [][..], |bytes| bytemuck::cast_slice_mut(bytes));
        mapped.iter_mut().chain(owned)
    }

    /// Iterates over all items of an array that was checked as a whole.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let [mapped, owned] = self.parts();
        mapped.iter().chain(owned)
    }

    /// Returns an item of an array that was checked as a whole, if there is one.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        let mapped = self.mapped();
        mapped.get(at).or_else(|| self.owned.get(at.checked_sub(mapped.len())?))
    }

    pub(crate) fn push(&mut self, item: T) {
        self.owned.push(item);
    }

    pub(crate) fn extend_from_slice(&mut self, items: &[T]) {
        self.owned.extend_from_slice(items);
    }

    /// Appends copies of an item until there are this many, if there are fewer.
    pub(crate) fn extend_to(&mut self, len: usize, item: T) {
        let more = len.saturating_sub(self.len());
        self.owned.resize(self.owned.len() + more, item);
    }

    /// Appends `more` items that are zero. Grows by an eighth instead of doubling where the memory
    /// is too small.
    pub(crate) fn extend_zeroed(&mut self, more: usize) {
        if self.owned.len() + more > self.owned.capacity() {
            self.owned.reserve_exact(more.max(self.len() / 8));
        }
        self.owned.resize(self.owned.len() + more, T::zeroed());
    }

    /// Returns the bytes of all items and of the memory kept for further ones.
    pub(crate) fn size_bytes(&self) -> usize {
        (self.mapped().len() + self.owned.capacity()) * size_of::<T>()
    }

    /// Checks the mapped ones of these items, and returns false if one is damaged.
    #[inline]
    fn check(&self, start: usize, len: usize) -> bool {
        let (Some(checks), Some(bytes)) = (&self.checks, &self.mapping) else { return true };
        let byte = |item: usize| bytes.len().min(item * size_of::<T>());
        checks.check(bytes, byte(start)..byte(start + len))
    }

    fn mapped(&self) -> &[T] {
        // Cannot panic: the length and the alignment were checked when the bytes were taken.
        self.mapping.as_ref().map_or(&[], |bytes| bytemuck::cast_slice(bytes))
    }

    fn mapped_mut(&mut self) -> &mut [T] {
        self.mapping.as_mut().map_or(&mut [], |bytes| bytemuck::cast_slice_mut(bytes))
    }
}

/// Items of an array that was checked as a whole.
impl<T: Pod> Index<usize> for MappedArray<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        let mapped = self.mapped();
        match at.checked_sub(mapped.len()) {
            Some(at) => &self.owned[at],
            None => &mapped[at],
        }
    }
}

impl<T: Pod> IndexMut<usize> for MappedArray<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.slice_mut(at, 1)[0]
    }
}

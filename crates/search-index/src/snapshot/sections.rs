//! Sections of a snapshot: an array of plain numbers as a length in bytes, the raw memory of the
//! array, padding to a multiple of eight bytes, so that it can be mapped, and a checksum (XXH3),
//! which detects accidental damage and no more. Arrays of which a search reads little have a
//! section of checksums instead, one for each block.

use super::{MappedUse, SnapshotError, SnapshotSource};
use crate::block_checksums::{BlockChecks, BlockConditions, DamageMark, block_checksums};
use crate::mapped_array::MappedArray;
use bytemuck::Pod;
use std::io::{self, Write};
use xxhash_rust::xxh3::Xxh3;

/// Largest alignment of the numbers in a section.
const ALIGNMENT: usize = 8;

pub(crate) struct SectionWriter<W> {
    out: W,
}

impl<W: Write> SectionWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out }
    }

    /// Writes raw bytes without length and checksum.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    /// Writes one array as a section.
    pub(crate) fn section<T: Pod>(&mut self, items: &[T]) -> io::Result<()> {
        self.section_of_parts(&[items])
    }

    /// Writes one array as a section.
    pub(crate) fn array<T: Pod>(&mut self, items: &MappedArray<T>) -> io::Result<()> {
        self.section_of_parts(&items.parts())
    }

    /// Writes one array that is checked by block, and the section of its checksums.
    pub(super) fn blocks<T: Pod>(&mut self, items: &MappedArray<T>) -> io::Result<()> {
        let parts = items.parts().map(bytemuck::cast_slice::<T, u8>);
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.out.write_all(&(length as u64).to_le_bytes())?;
        parts.iter().try_for_each(|part| self.out.write_all(part))?;
        self.out.write_all(&[0; ALIGNMENT][..padding_after(length)])?;
        self.section(&block_checksums(parts))
    }

    fn section_of_parts<T: Pod>(&mut self, parts: &[&[T]]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| size_of_val(*part)).sum();
        self.out.write_all(&(length as u64).to_le_bytes())?;
        let mut checksum = Xxh3::new();
        let padding = &[0; ALIGNMENT][..padding_after(length)];
        for bytes in parts.iter().map(|part| bytemuck::cast_slice(part)).chain([padding]) {
            checksum.update(bytes);
            self.out.write_all(bytes)?;
        }
        self.out.write_all(&checksum.digest().to_le_bytes())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads sections. A stated length is checked against the bytes that remain before anything is
/// allocated, so that a damaged file cannot request arbitrary amounts of memory.
pub(crate) struct SectionReader<R> {
    input: R,
    remaining: u64,
}

impl<R: SnapshotSource> SectionReader<R> {
    pub(super) fn new(input: R, length: u64) -> Self {
        Self { input, remaining: length }
    }

    /// Reads raw bytes without length and checksum.
    pub(super) fn raw<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads one array directly into its final memory.
    pub(crate) fn section<T: Pod>(&mut self) -> Result<Vec<T>, SnapshotError> {
        let length = self.length::<T>()?;
        self.items(length)
    }

    /// Reads one array, or maps it where the input is a file and the array is large.
    pub(crate) fn array<T: Pod>(&mut self) -> Result<MappedArray<T>, SnapshotError> {
        let length = self.length::<T>()?;
        let Some(mapping) = self.input.map(length, MappedUse::Whole).map_err(SnapshotError::Io)?
        else {
            return self.items(length).map(MappedArray::from);
        };
        let items = MappedArray::from_mapping(mapping).ok_or(SnapshotError::Damaged)?;
        self.remaining -= length as u64;
        self.check_end(&items.parts())?;
        Ok(items)
    }

    /// Reads one array that is checked by block: now if it is read, later where it is mapped. With
    /// a bound it is an array of numbers below it.
    pub(super) fn blocks<T: Pod>(
        &mut self,
        damage: &DamageMark,
        bound: Option<usize>,
    ) -> Result<MappedArray<T>, SnapshotError> {
        let length = self.length::<T>()?;
        let mapping = self.input.map(length, MappedUse::Scattered).map_err(SnapshotError::Io)?;
        let Some(mapping) = mapping else {
            let items: Vec<T> = self.unchecked_items(length)?;
            let conditions = self.conditions(length, bound)?;
            let holds = conditions.hold_everywhere(bytemuck::cast_slice(&items));
            return if holds { Ok(items.into()) } else { Err(SnapshotError::Damaged) };
        };
        let items = MappedArray::from_mapping(mapping).ok_or(SnapshotError::Damaged)?;
        self.remaining -= length as u64;
        Ok(items.with_checks(BlockChecks::new(self.conditions(length, bound)?, damage.clone())))
    }

    /// Reads the checksums of an array of this length.
    fn conditions(
        &mut self,
        length: usize,
        bound: Option<usize>,
    ) -> Result<BlockConditions, SnapshotError> {
        self.padding(length)?;
        let conditions = BlockConditions { checksums: self.section()?, bound };
        if conditions.fit(length) { Ok(conditions) } else { Err(SnapshotError::Damaged) }
    }

    fn items<T: Pod>(&mut self, length: usize) -> Result<Vec<T>, SnapshotError> {
        let items = self.unchecked_items(length)?;
        self.check_end(&[&items])?;
        Ok(items)
    }

    fn unchecked_items<T: Pod>(&mut self, length: usize) -> Result<Vec<T>, SnapshotError> {
        let mut items = vec![T::zeroed(); length / size_of::<T>()];
        self.read_exact(bytemuck::cast_slice_mut(&mut items))?;
        Ok(items)
    }

    /// Reads the padding after an array, which is zero.
    fn padding(&mut self, length: usize) -> Result<(), SnapshotError> {
        let mut padding = [0; ALIGNMENT];
        self.read_exact(&mut padding[..padding_after(length)])?;
        if padding == [0; ALIGNMENT] { Ok(()) } else { Err(SnapshotError::Damaged) }
    }

    /// Reads the length of the next section in bytes, which is not more than the bytes that remain.
    fn length<T: Pod>(&mut self) -> Result<usize, SnapshotError> {
        let length = u64::from_le_bytes(self.raw()?);
        if length > self.remaining || length % size_of::<T>() as u64 != 0 {
            return Err(SnapshotError::Damaged);
        }
        usize::try_from(length).map_err(|_| SnapshotError::Damaged)
    }

    /// Reads padding and checksum, and checks that the items are those that were written.
    fn check_end<T: Pod>(&mut self, parts: &[&[T]]) -> Result<(), SnapshotError> {
        let length: usize = parts.iter().map(|part| size_of_val(*part)).sum();
        self.padding(length)?;
        let mut checksum = Xxh3::new();
        parts.iter().for_each(|part| checksum.update(bytemuck::cast_slice(part)));
        checksum.update(&[0; ALIGNMENT][..padding_after(length)]);
        let is_intact = u64::from_le_bytes(self.raw()?) == checksum.digest();
        if is_intact { Ok(()) } else { Err(SnapshotError::Damaged) }
    }

    /// Checks that all bytes were consumed.
    pub(super) fn expect_end(self) -> Result<(), SnapshotError> {
        if self.remaining == 0 { Ok(()) } else { Err(SnapshotError::Damaged) }
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), SnapshotError> {
        let length = bytes.len() as u64;
        self.remaining = self.remaining.checked_sub(length).ok_or(SnapshotError::Damaged)?;
        // A file that is shorter than stated is damaged; only other failures are I/O errors.
        self.input.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => SnapshotError::Damaged,
            _ => SnapshotError::Io(error),
        })
    }
}

/// Returns the number of bytes after an array of this length, up to the next aligned one.
fn padding_after(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT) - length
}

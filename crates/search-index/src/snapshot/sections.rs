//! Sections of a snapshot: an array of plain numbers as a length in bytes, the raw memory of the
//! array and a checksum (XXH3), which detects accidental damage and no more.

use super::SnapshotError;
use bytemuck::Pod;
use std::io::{self, Read, Write};
use xxhash_rust::xxh3::xxh3_64;

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
        let bytes: &[u8] = bytemuck::cast_slice(items);
        self.out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.out.write_all(bytes)?;
        self.out.write_all(&xxh3_64(bytes).to_le_bytes())
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

impl<R: Read> SectionReader<R> {
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
        let length = u64::from_le_bytes(self.raw()?);
        if length > self.remaining || length % size_of::<T>() as u64 != 0 {
            return Err(SnapshotError::Damaged);
        }
        let count = usize::try_from(length).map_err(|_| SnapshotError::Damaged)? / size_of::<T>();
        let mut items = vec![T::zeroed(); count];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut items);
        self.read_exact(bytes)?;
        let sum = xxh3_64(bytes);
        if u64::from_le_bytes(self.raw()?) == sum { Ok(items) } else { Err(SnapshotError::Damaged) }
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

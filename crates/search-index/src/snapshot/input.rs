//! Sources of a snapshot: any stream of bytes, or one whose large arrays are mapped instead of
//! read.

use memmap2::MmapMut;
use std::io::{self, Read};

/// Use of a mapped array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappedUse {
    /// All of it is read at once, to be checked.
    Whole,
    /// Parts of it are read when they are needed.
    Scattered,
}

/// A source of a snapshot that may be able to map its bytes into memory.
pub trait SnapshotSource: Read {
    /// Maps the next `bytes` bytes privately and moves behind them; `None` where they are to be
    /// read. The bytes must stay as they are while they are mapped.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn map(&mut self, bytes: usize, mapped_use: MappedUse) -> io::Result<Option<MmapMut>>;
}

/// Bytes that can only be read.
pub(super) struct StreamSource<R>(pub R);

impl<R: Read> Read for StreamSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read> SnapshotSource for StreamSource<R> {
    fn map(&mut self, _: usize, _: MappedUse) -> io::Result<Option<MmapMut>> {
        Ok(None)
    }
}

//! Reads a view from a stored snapshot: a file, whose large arrays are mapped, or segments of a
//! database, which are read and checked as a whole.

use index::{MappedUse, SnapshotError, SnapshotKey, SnapshotSource, View};
use memmap2::{MmapMut, MmapOptions};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use store::SnapshotContent;

/// Size in bytes from which an array is mapped. Below it a page more or less does not matter, and
/// what is read once cannot fail later.
const MAPPED_BYTES_MIN: usize = 32 << 10;

/// Reads a view, if the snapshot matches the key and is intact.
pub(super) fn read(content: SnapshotContent, key: &SnapshotKey) -> Result<View, SnapshotError> {
    let length = content.len().map_err(SnapshotError::Io)?;
    match content {
        SnapshotContent::File(file) => View::open_snapshot(MappedFile(file), length, key),
        SnapshotContent::Segments(all) => View::read_snapshot(SegmentReader::new(all), length, key),
    }
}

/// A snapshot file whose large arrays are mapped.
struct MappedFile(File);

impl Read for MappedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl SnapshotSource for MappedFile {
    fn map(&mut self, bytes: usize, mapped_use: MappedUse) -> io::Result<Option<MmapMut>> {
        // On Windows a mapped file could not be replaced by the next snapshot.
        if bytes < MAPPED_BYTES_MIN || cfg!(not(unix)) {
            return Ok(None);
        }
        let at = self.0.stream_position()?;
        let mut options = MmapOptions::new();
        #[expect(unsafe_code, reason = "a mapping has no safe constructor")]
        // SAFETY: a snapshot is never changed in place, only replaced by a rename or removed, both
        // of which leave the mapped file as it is.
        let mapping = unsafe { options.offset(at).len(bytes).map_copy(&self.0)? };
        // Only advice: without it, or on an older system, the pages come one fault at a time.
        #[cfg(target_os = "linux")]
        if mapped_use == MappedUse::Whole {
            let _ = mapping.advise(memmap2::Advice::PopulateRead);
        }
        self.0.seek(SeekFrom::Current(bytes as i64))?;
        Ok(Some(mapping))
    }
}

/// Reads segments one after the other, and frees each that was read.
struct SegmentReader {
    rest: std::vec::IntoIter<Vec<u8>>,
    current: io::Cursor<Vec<u8>>,
}

impl SegmentReader {
    fn new(segments: Vec<Vec<u8>>) -> Self {
        Self { rest: segments.into_iter(), current: io::Cursor::default() }
    }
}

impl Read for SegmentReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.current.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            match self.rest.next() {
                Some(next) => self.current = io::Cursor::new(next),
                None => return Ok(0),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_read_as_one_whatever_their_lengths() {
        let segments = vec![vec![1, 2, 3], Vec::new(), vec![4], vec![5, 6]];
        let mut all = Vec::new();
        SegmentReader::new(segments).read_to_end(&mut all).unwrap();
        assert_eq!(all, [1, 2, 3, 4, 5, 6]);
    }
}

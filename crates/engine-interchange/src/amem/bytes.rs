//! Bounds-checked access to the bytes of a file: every offset and count is checked before use.

use super::error::AmemError;

/// The bytes of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileBytes<'b>(pub &'b [u8]);

impl<'b> FileBytes<'b> {
    /// Returns `count` records of `size` bytes starting at an offset, without allocating.
    pub fn records(
        self,
        offset: u64,
        count: u64,
        size: usize,
        what: &'static str,
    ) -> Result<std::slice::ChunksExact<'b, u8>, AmemError> {
        let bytes = count.checked_mul(size as u64).ok_or(AmemError::Truncated(what))?;
        Ok(self.slice(offset, bytes, what)?.chunks_exact(size))
    }

    /// Returns `length` bytes starting at an offset.
    pub fn slice(
        self,
        offset: u64,
        length: u64,
        what: &'static str,
    ) -> Result<&'b [u8], AmemError> {
        let end = offset.checked_add(length).ok_or(AmemError::Truncated(what))?;
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| self.0.get(start..end)).ok_or(AmemError::Truncated(what))
    }
}

/// Reader of the fields of one record, in order. Records have a fixed length that was checked
/// before, so no field is missing.
#[derive(Debug)]
pub(super) struct FieldReader<'b> {
    rest: &'b [u8],
}

impl<'b> FieldReader<'b> {
    pub fn new(record: &'b [u8]) -> Self {
        Self { rest: record }
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.rest.split_first_chunk::<N>() {
            Some((field, left)) => {
                self.rest = left;
                *field
            }
            None => [0; N],
        }
    }

    /// Skips unused bytes.
    pub fn skip<const N: usize>(&mut self) {
        let _: [u8; N] = self.take();
    }

    pub fn u8(&mut self) -> u8 {
        let [byte] = self.take();
        byte
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    pub fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }
}

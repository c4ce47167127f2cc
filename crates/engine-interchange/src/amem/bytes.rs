//! A look at bytes that never goes past their end: every offset and count is checked before it is
//! used.

use super::fault::AmemError;

/// Bytes of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'b>(pub &'b [u8]);

impl<'b> Bytes<'b> {
    /// `count` records of `size` bytes from an offset on; nothing is allocated for them.
    pub fn table(
        self,
        offset: u64,
        count: u64,
        size: usize,
        what: &'static str,
    ) -> Result<std::slice::ChunksExact<'b, u8>, AmemError> {
        let bytes = count.checked_mul(size as u64).ok_or(AmemError::CutOff(what))?;
        Ok(self.part(offset, bytes, what)?.chunks_exact(size))
    }

    /// So many bytes from an offset on.
    pub fn part(self, offset: u64, length: u64, what: &'static str) -> Result<&'b [u8], AmemError> {
        let end = offset.checked_add(length).ok_or(AmemError::CutOff(what))?;
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| self.0.get(start..end)).ok_or(AmemError::CutOff(what))
    }
}

/// Reads the fields of a record one after another. A record has its full length, so every field is
/// there.
#[derive(Debug)]
pub(super) struct Fields<'b> {
    left: &'b [u8],
}

impl<'b> Fields<'b> {
    /// The fields of a record.
    pub fn of(record: &'b [u8]) -> Self {
        Self { left: record }
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.left.split_first_chunk::<N>() {
            Some((field, left)) => {
                self.left = left;
                *field
            }
            None => [0; N],
        }
    }

    /// Passes over bytes that say nothing.
    pub fn skip<const N: usize>(&mut self) {
        let _: [u8; N] = self.take();
    }

    /// One byte.
    pub fn u8(&mut self) -> u8 {
        let [byte] = self.take();
        byte
    }

    /// Four bytes as a number.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// Eight bytes as a number.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// Four bytes as a fraction.
    pub fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take())
    }
}

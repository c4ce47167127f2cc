//! Vectors of memories, in a table of their own so that reading a text reads no vectors.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use model::{MemoryId, StoredVectors};
use store::ChangeResult;

/// Maximum size of the vectors of one memory in bytes; the longest text needs a fraction of it.
const WINDOWS_BYTES_MAX: usize = 1024 * 1024;

impl BatchContext<'_, '_> {
    pub(super) fn set_vector(
        &mut self,
        memory: MemoryId,
        vector: &StoredVectors,
    ) -> ApplyResult<ChangeResult> {
        self.touch(memory)?;
        self.put_vector(memory, vector)?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn put_vector(
        &mut self,
        memory: MemoryId,
        vector: &StoredVectors,
    ) -> ApplyResult<()> {
        const SQL: &str = "INSERT INTO vectors (memory, model, windows) VALUES (?1, ?2, ?3)
             ON CONFLICT (memory) DO UPDATE SET model = excluded.model, windows = excluded.windows";
        check_vector(vector)?;
        let model = self.counters.model(self.conn, &vector.model)?;
        self.execute(SQL, (memory.0, model, &vector.data))?;
        Ok(())
    }
}

/// Refuses vectors that are too large or not a whole number of windows.
pub(super) fn check_vector(vector: &StoredVectors) -> ApplyResult<()> {
    // A window is quantized: a scale as f32, then one byte per dimension.
    let window = size_of::<f32>() + vector.model.dimensions;
    let complete = vector.model.dimensions > 0 && vector.data.len().is_multiple_of(window);
    if complete && vector.data.len() <= WINDOWS_BYTES_MAX {
        return Ok(());
    }
    let (bytes, dimensions) = (vector.data.len(), vector.model.dimensions);
    Err(ApplyError::invalid(format!("{bytes} bytes are not vectors of {dimensions} dimensions")))
}

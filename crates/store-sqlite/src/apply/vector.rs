//! The vectors of memories, kept apart so that reading a text reads no vector.

use super::{Applied, Applying};
use crate::fault::Fault;
use model::{MemoryId, StoredVector};
use store::Made;

/// Largest vectors of one memory, in bytes; a text of the longest kind needs a fraction of it.
const WINDOWS_BYTES_MAX: usize = 1024 * 1024;

impl Applying<'_, '_> {
    pub(super) fn set_vector(&mut self, memory: MemoryId, vector: &StoredVector) -> Applied<Made> {
        self.touch(memory)?;
        self.put_vector(memory, vector)?;
        Ok(Made::Nothing)
    }

    pub(super) fn put_vector(&mut self, memory: MemoryId, vector: &StoredVector) -> Applied<()> {
        const SQL: &str = "INSERT INTO vectors (memory, model, windows) VALUES (?1, ?2, ?3)
             ON CONFLICT (memory) DO UPDATE SET model = excluded.model, windows = excluded.windows";
        check_vector(vector)?;
        let model = self.ledger.model(self.conn, &vector.model)?;
        self.run(SQL, (memory.0, model, &vector.windows))?;
        Ok(())
    }
}

/// Refuses vectors that are not a whole number of windows: a scale, then a byte a dimension.
pub(super) fn check_vector(vector: &StoredVector) -> Applied<()> {
    let window = size_of::<f32>() + vector.model.dimensions;
    let whole = vector.model.dimensions > 0 && vector.windows.len().is_multiple_of(window);
    if whole && vector.windows.len() <= WINDOWS_BYTES_MAX {
        return Ok(());
    }
    let (bytes, dimensions) = (vector.windows.len(), vector.model.dimensions);
    Err(Fault::invalid(format!("{bytes} bytes are no vectors of {dimensions} dimensions")))
}

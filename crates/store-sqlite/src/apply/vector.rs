//! Vectors of memories, in a table of their own so that reading a text reads no vectors.

use super::{ApplyResult, BatchContext};
use model::{MemoryId, StoredVectors};
use store::ChangeResult;
use store::rules::checks;

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
        checks::check_vector(vector)?;
        let model = self.counters.model(self.conn, &vector.model)?;
        self.execute(SQL, (memory.0, model, &vector.data))?;
        Ok(())
    }
}

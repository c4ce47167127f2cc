//! Vectors of memories, in a table of their own so that reading a text reads no vectors.

use super::{ApplyOutcome, BatchTransaction};
use model::{MemoryId, StoredVectors};
use store::ChangeResult;
use store::rules::checks;

impl BatchTransaction<'_> {
    pub(super) fn set_vector(
        &mut self,
        memory: MemoryId,
        vector: &StoredVectors,
    ) -> ApplyOutcome<ChangeResult> {
        self.touch(memory)?;
        self.put_vector(memory, vector)?;
        Ok(ChangeResult::Done)
    }

    pub(super) fn put_vector(
        &mut self,
        memory: MemoryId,
        vector: &StoredVectors,
    ) -> ApplyOutcome<()> {
        const SQL: &str = "INSERT INTO vectors (owner, memory, model, windows) VALUES ($1, $2, $3,
             $4)
             ON CONFLICT (owner, memory) DO UPDATE SET model = excluded.model,
                windows = excluded.windows";
        checks::check_vector(vector)?;
        let model = self.counters.model(self.conn, &vector.model)?;
        self.send(SQL, (memory.0, model, &vector.data))?;
        Ok(())
    }
}

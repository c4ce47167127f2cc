//! Remaking a derived memory: another text in the same row, so that links and sessions still refer
//! to it. Nothing that was read from the old text stays.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use model::{ContentHash, MemoryId, StoredVectors, Trust, limits};
use store::ChangeResult;
use store::rules::{ReceiptBuilder, text_key};

impl BatchTransaction<'_> {
    pub(super) fn remake_memory(
        &mut self,
        memory: MemoryId,
        text: &str,
        trust: Trust,
        vector: Option<&StoredVectors>,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "UPDATE memories SET text = $3, text_key = $4, trust = $5, \
            summary = NULL, updated_at = $6 WHERE owner = $1 AND id = $2";
        if text.trim().is_empty() {
            return Err(ChangeError::invalid("the text of a memory is empty"));
        }
        limits::bytes("text", text, limits::TEXT_BYTES)?;
        self.touch(memory)?;
        self.remove_readings(memory)?;
        let key = text_key(ContentHash::of_text(text));
        self.send(SQL, (memory.0, text, key, trust.0, self.at.0))?;
        if let Some(vector) = vector {
            self.put_vector(memory, vector)?;
        }
        Ok(ChangeResult::Remade(memory))
    }

    /// Removes what was read from the text of a memory.
    fn remove_readings(&self, memory: MemoryId) -> ApplyOutcome<()> {
        let mut receipt = ReceiptBuilder::default();
        self.collect_orphan_candidates(memory, &mut receipt)?;
        self.remove_relations(memory, &mut receipt)?;
        for sql in READINGS {
            self.send(sql, [memory.0])?;
        }
        self.remove_from_merges(&[memory])?;
        self.remove_orphaned_entities(&mut receipt)
    }
}

/// The statements that delete what was read from the text of one memory.
const READINGS: [&str; 4] = [
    "DELETE FROM vectors WHERE owner = $1 AND memory = $2",
    "DELETE FROM mentions WHERE owner = $1 AND memory = $2",
    "DELETE FROM observations WHERE owner = $1 AND memory = $2",
    "DELETE FROM reviews WHERE owner = $1 AND (subject = $2 OR against = $2)",
];

//! Remaking a derived memory: another text in the same row, so that links and sessions still refer
//! to it. Nothing that was read from the old text stays.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::text_key;
use model::{ContentHash, MemoryId, StoredVectors, Trust, limits};
use store::ChangeResult;
use store::rules::ReceiptBuilder;

impl BatchContext<'_, '_> {
    pub(super) fn remake_memory(
        &mut self,
        memory: MemoryId,
        text: &str,
        trust: Trust,
        vector: Option<&StoredVectors>,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str = "UPDATE memories SET text = ?2, text_key = ?3, trust = ?4, \
            summary = NULL, updated_at = ?5 WHERE id = ?1";
        if text.trim().is_empty() {
            return Err(ApplyError::invalid("the text of a memory is empty"));
        }
        limits::bytes("text", text, limits::TEXT_BYTES)?;
        self.touch(memory)?;
        self.remove_readings(memory)?;
        let key = text_key(ContentHash::of_text(text));
        self.execute(SQL, (memory.0, text, key, trust.0, self.at.0))?;
        if let Some(vector) = vector {
            self.put_vector(memory, vector)?;
        }
        Ok(ChangeResult::Remade(memory))
    }

    /// Removes what was read from the text of a memory.
    fn remove_readings(&self, memory: MemoryId) -> ApplyResult<()> {
        let mut receipt = ReceiptBuilder::default();
        self.collect_orphan_candidates(memory, &mut receipt)?;
        self.remove_relations(memory, &mut receipt)?;
        for sql in READINGS {
            self.execute(sql, [memory.0])?;
        }
        self.remove_from_merges(&[memory])?;
        self.remove_orphaned_entities(&mut receipt)
    }
}

/// The statements that delete what was read from the text of one memory.
const READINGS: [&str; 4] = [
    "DELETE FROM vectors WHERE memory = ?1",
    "DELETE FROM mentions WHERE memory = ?1",
    "DELETE FROM observations WHERE memory = ?1",
    "DELETE FROM reviews WHERE subject = ?1 OR against = ?1",
];

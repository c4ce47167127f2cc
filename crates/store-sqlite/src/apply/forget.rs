//! Forgetting: removes memories and everything that refers to them, and leaves a tombstone of each
//! with its id and the hash of its text. Nothing readable remains. The receipt counts the removed
//! rows by table.

use super::{ApplyResult, BatchContext};
use model::{ContentHash, EntityId, MemoryId};
use rusqlite::OptionalExtension;
use store::ChangeResult;
use store::rules::ReceiptBuilder;

impl BatchContext<'_, '_> {
    pub(super) fn forget(&mut self, memories: &[MemoryId]) -> ApplyResult<ChangeResult> {
        let mut receipt = ReceiptBuilder::default();
        for memory in memories {
            if let Some(hash) = self.hash_of(*memory)? {
                self.forget_one(*memory, hash, &mut receipt)?;
            }
        }
        // After all memories: an entity is orphaned only when none of them mentions it any more.
        self.remove_orphaned_entities(&mut receipt)?;
        receipt.add("merges", self.remove_from_merges(memories)?);
        if !receipt.memories.is_empty() {
            // Any of them may repeat what is forgotten. Not in the receipt, which counts what was
            // stored of these memories.
            self.drop_recent_questions()?;
        }
        self.links_out.clear();
        Ok(ChangeResult::Forgotten(receipt.build()))
    }

    fn hash_of(&self, memory: MemoryId) -> ApplyResult<Option<ContentHash>> {
        const SQL: &str = "SELECT text FROM memories WHERE id = ?1";
        let mut statement = self.conn.prepare_cached(SQL)?;
        let hash = |row: &rusqlite::Row<'_>| Ok(ContentHash::of_text(row.get_ref(0)?.as_str()?));
        Ok(statement.query_row([memory.0], hash).optional()?)
    }

    fn forget_one(
        &mut self,
        memory: MemoryId,
        hash: ContentHash,
        receipt: &mut ReceiptBuilder,
    ) -> ApplyResult<()> {
        const BURY: &str = "INSERT INTO tombstones (memory, hash, seq, at) VALUES (?1, ?2, ?3, ?4)";
        self.execute(BURY, (memory.0, hash.0, self.seq.0, self.at.0))?;
        // Before the deletions below, which remove the references to the entities.
        self.collect_orphan_candidates(memory, receipt)?;
        self.remove_links(memory, receipt)?;
        receipt.add("records", self.remove_rows_stated_by(memory)?);
        self.remove_relations(memory, receipt)?;
        for (place, sql) in DELETIONS {
            receipt.add(place, self.execute(sql, [memory.0])?);
        }
        self.touched.remove(&memory);
        receipt.memories.push(memory);
        Ok(())
    }

    /// Collects the entities that may be orphaned by forgetting a memory.
    pub(super) fn collect_orphan_candidates(
        &self,
        memory: MemoryId,
        receipt: &mut ReceiptBuilder,
    ) -> ApplyResult<()> {
        const SQL: &str = "SELECT entity FROM mentions WHERE memory = ?1
             UNION SELECT entity FROM observations WHERE memory = ?1
             UNION SELECT r.source FROM relations r \
                JOIN relation_memories s ON s.relation = r.id WHERE s.memory = ?1
             UNION SELECT r.target FROM relations r \
                JOIN relation_memories s ON s.relation = r.id WHERE s.memory = ?1";
        let mut statement = self.conn.prepare_cached(SQL)?;
        let entities = statement.query_map([memory.0], |row| row.get(0).map(EntityId))?;
        entities.into_iter().try_for_each(|entity| {
            receipt.orphan_candidates.insert(entity?);
            Ok(())
        })
    }

    fn remove_links(&self, memory: MemoryId, receipt: &mut ReceiptBuilder) -> ApplyResult<()> {
        // A memory that linked to this one loses a link, which search indexes must read again.
        const TOUCH: &str =
            "UPDATE memories SET seq = ?2 WHERE id IN (SELECT source FROM links WHERE target = ?1)";
        self.execute(TOUCH, (memory.0, self.seq.0))?;
        let outgoing = self.execute("DELETE FROM links WHERE source = ?1", [memory.0])?;
        let incoming = self.execute("DELETE FROM links WHERE target = ?1", [memory.0])?;
        receipt.add("links", outgoing + incoming);
        Ok(())
    }

    /// Removes the relations that only this memory states.
    pub(super) fn remove_relations(
        &self,
        memory: MemoryId,
        receipt: &mut ReceiptBuilder,
    ) -> ApplyResult<()> {
        const DROP: &str = "DELETE FROM relations WHERE unattached = 0
             AND id IN (SELECT relation FROM relation_memories WHERE memory = ?1)
             AND NOT EXISTS (SELECT 1 FROM relation_memories s \
                WHERE s.relation = relations.id AND s.memory <> ?1)";
        const UNSAY: &str = "DELETE FROM relation_memories WHERE memory = ?1";
        const MOVE: &str = "UPDATE relations
             SET memory = (SELECT s.memory FROM relation_memories s
                JOIN memories m ON m.id = s.memory WHERE s.relation = relations.id
                ORDER BY m.status, s.memory LIMIT 1)
             WHERE memory = ?1";
        receipt.add("relations", self.execute(DROP, [memory.0])?);
        self.execute(UNSAY, [memory.0])?;
        self.execute(MOVE, [memory.0])?;
        Ok(())
    }

    pub(super) fn remove_orphaned_entities(&self, receipt: &mut ReceiptBuilder) -> ApplyResult<()> {
        const SQL: &str = "DELETE FROM entities WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM mentions WHERE entity = ?1)
             AND NOT EXISTS (SELECT 1 FROM observations WHERE entity = ?1)
             AND NOT EXISTS (SELECT 1 FROM relations WHERE source = ?1)
             AND NOT EXISTS (SELECT 1 FROM relations WHERE target = ?1)";
        let entities = std::mem::take(&mut receipt.orphan_candidates);
        for entity in entities {
            receipt.add("entities", self.execute(SQL, [entity.0])?);
        }
        Ok(())
    }
}

/// The statements that delete rows of one memory, by the name in the receipt. The memory itself
/// comes last, because of the foreign keys.
const DELETIONS: [(&str, &str); 9] = [
    ("vectors", "DELETE FROM vectors WHERE memory = ?1"),
    ("uses", "DELETE FROM uses WHERE memory = ?1"),
    ("shown", "DELETE FROM shown WHERE memory = ?1"),
    ("mentions", "DELETE FROM mentions WHERE memory = ?1"),
    ("observations", "DELETE FROM observations WHERE memory = ?1"),
    ("reviews", "DELETE FROM reviews WHERE subject = ?1 OR against = ?1"),
    ("flags", "DELETE FROM flags WHERE memory = ?1"),
    ("episodes", "UPDATE sessions SET episode = NULL WHERE episode = ?1"),
    ("memories", "DELETE FROM memories WHERE id = ?1"),
];

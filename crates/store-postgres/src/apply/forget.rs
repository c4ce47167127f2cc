//! Forgetting: removes memories and everything that refers to them, and leaves a tombstone of each
//! with its id and the hash of its text. Nothing readable remains. The receipt counts the removed
//! rows by table.

use super::{ApplyOutcome, BatchTransaction};
use crate::stored_row::StoredRow;
use model::{ContentHash, EntityId, MemoryId};
use store::ChangeResult;
use store::rules::ReceiptBuilder;

impl BatchTransaction<'_> {
    pub(super) fn forget(&mut self, memories: &[MemoryId]) -> ApplyOutcome<ChangeResult> {
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

    fn hash_of(&self, memory: MemoryId) -> ApplyOutcome<Option<ContentHash>> {
        const SQL: &str = "SELECT text FROM memories WHERE owner = $1 AND id = $2";
        let hash = |row: &StoredRow| Ok(ContentHash::of_text(row.str(0)?));
        Ok(self.conn.first(SQL, [memory.0], hash)?)
    }

    fn forget_one(
        &mut self,
        memory: MemoryId,
        hash: ContentHash,
        receipt: &mut ReceiptBuilder,
    ) -> ApplyOutcome<()> {
        const BURY: &str = "INSERT INTO tombstones (owner, memory, hash, seq, at) VALUES ($1, $2,
             $3, $4, $5)";
        self.send(BURY, (memory.0, hash.0, self.seq.0, self.at.0))?;
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
    ) -> ApplyOutcome<()> {
        const SQL: &str = "SELECT entity FROM mentions WHERE owner = $1 AND memory = $2
             UNION SELECT entity FROM observations WHERE owner = $1 AND memory = $2
             UNION SELECT r.source FROM relations r
                JOIN relation_memories s ON s.owner = r.owner AND s.relation = r.id
                WHERE r.owner = $1 AND s.owner = $1 AND s.memory = $2
             UNION SELECT r.target FROM relations r
                JOIN relation_memories s ON s.owner = r.owner AND s.relation = r.id
                WHERE r.owner = $1 AND s.owner = $1 AND s.memory = $2";
        let entities = self.conn.all(SQL, [memory.0], |row| row.get(0).map(EntityId))?;
        receipt.orphan_candidates.extend(entities);
        Ok(())
    }

    fn remove_links(&self, memory: MemoryId, receipt: &mut ReceiptBuilder) -> ApplyOutcome<()> {
        // A memory that linked to this one loses a link, which search indexes must read again.
        const TOUCH: &str =
            "UPDATE memories SET seq = $3 WHERE owner = $1 AND id IN (SELECT source FROM links
                 WHERE owner = $1 AND target = $2)";
        self.send(TOUCH, (memory.0, self.seq.0))?;
        let outgoing =
            self.execute("DELETE FROM links WHERE owner = $1 AND source = $2", [memory.0])?;
        let incoming =
            self.execute("DELETE FROM links WHERE owner = $1 AND target = $2", [memory.0])?;
        receipt.add("links", outgoing + incoming);
        Ok(())
    }

    /// Removes the relations that only this memory states.
    pub(super) fn remove_relations(
        &self,
        memory: MemoryId,
        receipt: &mut ReceiptBuilder,
    ) -> ApplyOutcome<()> {
        const DROP: &str = "DELETE FROM relations WHERE owner = $1 AND unattached = 0
             AND id IN (SELECT relation FROM relation_memories WHERE owner = $1 AND memory = $2)
             AND NOT EXISTS (SELECT 1 FROM relation_memories s
                WHERE s.owner = $1 AND s.relation = relations.id AND s.memory <> $2)";
        const UNSAY: &str = "DELETE FROM relation_memories WHERE owner = $1 AND memory = $2";
        const MOVE: &str = "UPDATE relations
             SET memory = (SELECT s.memory FROM relation_memories s
                JOIN memories m ON m.owner = s.owner AND m.id = s.memory
                WHERE s.owner = $1 AND m.owner = $1 AND s.relation = relations.id
                ORDER BY m.status, s.memory LIMIT 1)
             WHERE owner = $1 AND memory = $2";
        receipt.add("relations", self.execute(DROP, [memory.0])?);
        self.send(UNSAY, [memory.0])?;
        self.send(MOVE, [memory.0])?;
        Ok(())
    }

    pub(super) fn remove_orphaned_entities(
        &self,
        receipt: &mut ReceiptBuilder,
    ) -> ApplyOutcome<()> {
        const SQL: &str = "DELETE FROM entities WHERE owner = $1 AND id = $2
             AND NOT EXISTS (SELECT 1 FROM mentions WHERE owner = $1 AND entity = $2)
             AND NOT EXISTS (SELECT 1 FROM observations WHERE owner = $1 AND entity = $2)
             AND NOT EXISTS (SELECT 1 FROM relations WHERE owner = $1 AND source = $2)
             AND NOT EXISTS (SELECT 1 FROM relations WHERE owner = $1 AND target = $2)";
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
    ("vectors", "DELETE FROM vectors WHERE owner = $1 AND memory = $2"),
    ("uses", "DELETE FROM uses WHERE owner = $1 AND memory = $2"),
    ("shown", "DELETE FROM shown WHERE owner = $1 AND memory = $2"),
    ("mentions", "DELETE FROM mentions WHERE owner = $1 AND memory = $2"),
    ("observations", "DELETE FROM observations WHERE owner = $1 AND memory = $2"),
    ("reviews", "DELETE FROM reviews WHERE owner = $1 AND (subject = $2 OR against = $2)"),
    ("flags", "DELETE FROM flags WHERE owner = $1 AND memory = $2"),
    ("episodes", "UPDATE sessions SET episode = NULL WHERE owner = $1 AND episode = $2"),
    ("memories", "DELETE FROM memories WHERE owner = $1 AND id = $2"),
];

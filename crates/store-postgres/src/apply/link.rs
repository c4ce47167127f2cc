//! Links between memories. A change to a link counts as a change of the memory it starts at.

use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use model::{LinkKind, MemoryId, limits};
use store::{ChangeResult, Ref};

impl BatchTransaction<'_> {
    pub(super) fn link(
        &mut self,
        source: Ref<MemoryId>,
        target: Ref<MemoryId>,
        kind: LinkKind,
        weight: f32,
    ) -> ApplyOutcome<ChangeResult> {
        let (source, target) = (self.resolve_memory(source)?, self.resolve_memory(target)?);
        limits::range("weight", f64::from(weight), 0.0, 1.0)?;
        if source == target {
            return Err(ChangeError::invalid(format!(
                "memory {source} cannot be linked to itself"
            )));
        }
        self.touch(source)?;
        self.require_memory(target)?;
        self.put_link(source, target, kind, weight)?;
        Ok(ChangeResult::Done)
    }

    /// Writes a link between two existing memories, or changes the weight of an existing link.
    pub(super) fn put_link(
        &mut self,
        source: MemoryId,
        target: MemoryId,
        kind: LinkKind,
        weight: f32,
    ) -> ApplyOutcome<()> {
        const REWEIGH: &str =
            "UPDATE links SET weight = $5 WHERE owner = $1 AND source = $2 AND kind = $3 AND
                 target = $4";
        const ADD: &str = "INSERT INTO links (owner, source, kind, target, weight, created_at) \
            VALUES ($1, $2, $3, $4, $5, $6)";
        // Update first: a link that exists does not count against the limit.
        if self.execute(REWEIGH, (source.0, kind as u8, target.0, weight))? > 0 {
            return Ok(());
        }
        self.refuse_cycle(source, target, kind)?;
        let count = self.links_out(source)? + 1;
        limits::count("links out of a memory", count, limits::LINKS_OUT)?;
        self.send(ADD, (source.0, kind as u8, target.0, weight, self.at.0))?;
        self.links_out.insert(source, count);
        Ok(())
    }

    pub(super) fn unlink(
        &mut self,
        source: MemoryId,
        target: MemoryId,
        kind: LinkKind,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "DELETE FROM links WHERE owner = $1 AND source = $2 AND kind = $3 AND
             target = $4";
        self.touch(source)?;
        if self.execute(SQL, (source.0, kind as u8, target.0))? == 0 {
            return Err(ChangeError::not_found(
                "link",
                format!("{source} {} {target}", kind.name()),
            ));
        }
        self.links_out.remove(&source);
        Ok(ChangeResult::Done)
    }

    /// Fails when there is no such memory. Unlike `touch`, does not change its sequence number.
    pub(super) fn require_memory(&self, memory: MemoryId) -> ApplyOutcome<()> {
        const SQL: &str = "SELECT 1::bigint FROM memories WHERE owner = $1 AND id = $2";
        if self.touched.contains(&memory) {
            return Ok(());
        }
        let found = self.conn.first(SQL, [memory.0], |_| Ok(()))?;
        found.ok_or_else(|| ChangeError::not_found("memory", memory))
    }

    /// Returns the number of links out of a memory.
    pub(super) fn links_out(&self, source: MemoryId) -> ApplyOutcome<usize> {
        const SQL: &str = "SELECT count(*) FROM links WHERE owner = $1 AND source = $2";
        // Counting for every link would be quadratic: a batch may add thousands to one memory.
        if let Some(count) = self.links_out.get(&source) {
            return Ok(*count);
        }
        Ok(self.conn.one(SQL, [source.0], |row| row.get(0))?)
    }
}

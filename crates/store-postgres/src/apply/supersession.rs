//! Supersession: a memory replaces an older one. The links of supersession contain no cycle, and
//! an active memory is replaced only while something current takes its place.

use super::{ApplyOutcome, BatchTransaction};
use crate::sql_value::IntoParameters;
use model::{LinkKind, MemoryId, Status};
use store::rules::codes;
use store::{ChangeResult, Conflict, Ref, WriteError};

/// Starts a query over a memory and everything that replaced it, directly or through others.
// UNION without ALL ends even where the links contain a cycle.
macro_rules! among_successors {
    ($rest:literal) => {
        concat!(
            "WITH RECURSIVE successors (id) AS (SELECT $2::bigint UNION
                SELECT links.source FROM links JOIN successors ON links.target = successors.id
                WHERE links.owner = $1 AND links.kind = $3) ",
            $rest
        )
    };
}

impl BatchTransaction<'_> {
    pub(super) fn supersede(
        &mut self,
        old: MemoryId,
        new: Ref<MemoryId>,
    ) -> ApplyOutcome<ChangeResult> {
        let new = self.resolve_memory(new)?;
        self.touch(old)?;
        if old == new {
            return Ok(ChangeResult::Done);
        }
        // Both are touched, because the index shows the link and the new status.
        self.touch(new)?;
        self.put_link(new, old, LinkKind::Supersedes, 1.0)?;
        self.require_successor(old, new)?;
        self.write_status(old, Status::Superseded)?;
        Ok(ChangeResult::Done)
    }

    /// Fails when a link would close a cycle of supersession.
    pub(super) fn refuse_cycle(
        &self,
        source: MemoryId,
        target: MemoryId,
        kind: LinkKind,
    ) -> ApplyOutcome<()> {
        const SQL: &str =
            among_successors!("SELECT EXISTS (SELECT 1 FROM successors WHERE id = $4)");
        let (new, old) = (source, target);
        if kind == LinkKind::Supersedes && self.holds(SQL, (new.0, kind as u8, old.0))? {
            return Err(WriteError::Conflict(Conflict::SupersessionCycle { old, new }).into());
        }
        Ok(())
    }

    /// Fails when an active memory would be replaced and nothing current would take its place.
    fn require_successor(&self, old: MemoryId, new: MemoryId) -> ApplyOutcome<()> {
        const ACTIVE: &str = "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND id = $2
             AND status = $3)";
        const SQL: &str = among_successors!(
            "SELECT EXISTS (SELECT 1 FROM successors JOIN memories USING (id)
                WHERE memories.owner = $1 AND status = $4)"
        );
        let (kind, active) = (LinkKind::Supersedes as u8, codes::ACTIVE);
        let ends = self.holds(ACTIVE, (old.0, active))?;
        if ends && !self.holds(SQL, (new.0, kind, active))? {
            return Err(WriteError::Conflict(Conflict::NoCurrentSuccessor { old, new }).into());
        }
        Ok(())
    }

    /// Returns the answer of a statement that selects one truth value.
    fn holds<'v>(&self, sql: &'static str, params: impl IntoParameters<'v>) -> ApplyOutcome<bool> {
        Ok(self.conn.one(sql, params, |row| row.get(0))?)
    }
}

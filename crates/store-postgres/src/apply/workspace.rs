//! Workspaces and their contexts.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use model::{ContextRole, ContextSource, WorkspaceId, limits};
use store::ChangeResult;

impl BatchTransaction<'_> {
    pub(super) fn create_workspace(&mut self, name: &str) -> ApplyOutcome<ChangeResult> {
        if name.trim().is_empty() {
            return Err(ChangeError::invalid("the workspace's name is empty"));
        }
        limits::chars("workspace", name, limits::NAME_CHARS)?;
        const SQL: &str = "INSERT INTO workspaces (owner, id, name) VALUES ($1, $2, $3)";
        let id = self.counters.numbers().next(NumberedItem::Workspace);
        self.send(SQL, (id, name))?;
        Ok(ChangeResult::Workspace(WorkspaceId(id)))
    }

    pub(super) fn add_context(
        &mut self,
        workspace: WorkspaceId,
        source: &ContextSource,
        role: ContextRole,
        label: &str,
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "INSERT INTO contexts (owner, workspace, number, source_kind, source, role, label)
                           VALUES ($1, $2, $3, $4, $5, $6, $7)";
        limits::chars("label", label, limits::NAME_CHARS)?;
        let number = self.next_context(workspace)?;
        let (kind, source) = match source {
            ContextSource::Owner(owner) => ("owner", owner.as_str()),
            ContextSource::File(path) => ("file", path.as_str()),
        };
        limits::chars("file", source, limits::REASON_CHARS)?;
        self.send(SQL, (workspace.0, number, kind, source, role.name(), label))?;
        Ok(ChangeResult::Context(number))
    }

    fn next_context(&self, workspace: WorkspaceId) -> ApplyOutcome<u32> {
        // One statement for both: no row means that the workspace does not exist.
        const SQL: &str = "SELECT (SELECT coalesce(max(number), 0) + 1 FROM contexts
                WHERE owner = $1 AND workspace = $2)
             FROM workspaces WHERE owner = $1 AND id = $2";
        let number = self.conn.first(SQL, [workspace.0], |row| row.get(0))?;
        number.ok_or_else(|| ChangeError::not_found("workspace", workspace))
    }
}

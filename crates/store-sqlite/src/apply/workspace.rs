//! Workspaces and their contexts.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use model::{ContextRole, ContextSource, WorkspaceId, limits};
use rusqlite::OptionalExtension;
use store::ChangeResult;

impl BatchContext<'_, '_> {
    pub(super) fn create_workspace(&mut self, name: &str) -> ApplyResult<ChangeResult> {
        if name.trim().is_empty() {
            return Err(ApplyError::invalid("the workspace's name is empty"));
        }
        limits::chars("workspace", name, limits::NAME_CHARS)?;
        self.execute("INSERT INTO workspaces (name) VALUES (?1)", [name])?;
        Ok(ChangeResult::Workspace(WorkspaceId(self.last_inserted_id())))
    }

    pub(super) fn add_context(
        &mut self,
        workspace: WorkspaceId,
        source: &ContextSource,
        role: ContextRole,
        label: &str,
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str =
            "INSERT INTO contexts (workspace, number, source_kind, source, role, label)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        limits::chars("label", label, limits::NAME_CHARS)?;
        let number = self.next_context(workspace)?;
        let (kind, source) = match source {
            ContextSource::Owner(owner) => ("owner", owner.as_str()),
            ContextSource::File(path) => ("file", path.as_str()),
        };
        limits::chars("file", source, limits::REASON_CHARS)?;
        self.execute(SQL, (workspace.0, number, kind, source, role.name(), label))?;
        Ok(ChangeResult::Context(number))
    }

    fn next_context(&self, workspace: WorkspaceId) -> ApplyResult<u32> {
        // One statement for both: no row means that the workspace does not exist.
        const SQL: &str =
            "SELECT (SELECT coalesce(max(number), 0) + 1 FROM contexts WHERE workspace = ?1)
                           FROM workspaces WHERE id = ?1";
        let number =
            self.conn.prepare_cached(SQL)?.query_row([workspace.0], |row| row.get(0)).optional()?;
        number.ok_or_else(|| ApplyError::not_found("workspace", workspace))
    }
}

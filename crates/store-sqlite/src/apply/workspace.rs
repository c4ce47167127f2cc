//! Workspaces and their contexts.

use super::{Applied, Applying};
use crate::fault::Fault;
use model::{ContextRole, ContextSource, WorkspaceId, limits};
use rusqlite::OptionalExtension;
use store::Made;

impl Applying<'_, '_> {
    pub(super) fn create_workspace(&mut self, name: &str) -> Applied<Made> {
        if name.trim().is_empty() {
            return Err(Fault::invalid("the workspace's name is empty"));
        }
        limits::chars("workspace", name, limits::NAME_CHARS)?;
        self.run("INSERT INTO workspaces (name) VALUES (?1)", [name])?;
        Ok(Made::Workspace(WorkspaceId(self.inserted())))
    }

    pub(super) fn add_context(
        &mut self,
        workspace: WorkspaceId,
        source: &ContextSource,
        role: ContextRole,
        label: &str,
    ) -> Applied<Made> {
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
        self.run(SQL, (workspace.0, number, kind, source, role.name(), label))?;
        Ok(Made::Context(number))
    }

    fn next_context(&self, workspace: WorkspaceId) -> Applied<u32> {
        // One statement for both: no row means that the workspace does not exist.
        const SQL: &str =
            "SELECT (SELECT coalesce(max(number), 0) + 1 FROM contexts WHERE workspace = ?1)
                           FROM workspaces WHERE id = ?1";
        let number =
            self.conn.prepare_cached(SQL)?.query_row([workspace.0], |row| row.get(0)).optional()?;
        number.ok_or_else(|| Fault::not_found("workspace", workspace))
    }
}

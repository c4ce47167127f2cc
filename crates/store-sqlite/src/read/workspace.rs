//! Workspaces and their contexts.

use super::all;
use crate::error::conversion_error;
use crate::row;
use model::{ContextRole, ContextSource, OwnerId, Workspace, WorkspaceContext, WorkspaceId};
use rusqlite::{Connection, Row};

/// Returns the workspaces, ordered by id.
pub(crate) fn list(conn: &Connection) -> rusqlite::Result<Vec<Workspace>> {
    workspaces(conn, None)
}

/// Returns a workspace by its id.
pub(crate) fn by_id(conn: &Connection, id: WorkspaceId) -> rusqlite::Result<Option<Workspace>> {
    Ok(workspaces(conn, Some(id))?.pop())
}

fn workspaces(conn: &Connection, id: Option<WorkspaceId>) -> rusqlite::Result<Vec<Workspace>> {
    const SQL: &str = "SELECT id, name FROM workspaces WHERE ?1 IS NULL OR id = ?1 ORDER BY id";
    all(conn, SQL, [id.map(|id| id.0)], |row| {
        let id = WorkspaceId(row.get(0)?);
        Ok(Workspace { id, name: row.get(1)?, contexts: contexts(conn, id)? })
    })
}

fn contexts(conn: &Connection, workspace: WorkspaceId) -> rusqlite::Result<Vec<WorkspaceContext>> {
    const SQL: &str =
        "SELECT number, source_kind, source, role, label FROM contexts WHERE workspace = ?1
                       ORDER BY number";
    all(conn, SQL, [workspace.0], |row| {
        Ok(WorkspaceContext {
            number: row.get(0)?,
            source: source_from_row(row)?,
            role: row::parse_word(row, 3, ContextRole::parse)?,
            label: row.get(4)?,
        })
    })
}

fn source_from_row(row: &Row<'_>) -> rusqlite::Result<ContextSource> {
    let name: String = row.get(2)?;
    match row.get_ref(1)?.as_str()? {
        "file" => Ok(ContextSource::File(name)),
        _ => {
            let owner =
                OwnerId::new(&name).map_err(|error| conversion_error(2, error.to_string()))?;
            Ok(ContextSource::Owner(owner))
        }
    }
}

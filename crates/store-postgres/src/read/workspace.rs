//! Workspaces and their contexts.

use super::all;
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::stored_row::{StoredRow, conversion_error};
use model::{ContextRole, ContextSource, OwnerId, Workspace, WorkspaceContext, WorkspaceId};

/// Returns the workspaces, ordered by id.
pub(crate) fn list(conn: &OwnerTransaction) -> SqlResult<Vec<Workspace>> {
    workspaces(conn, None)
}

/// Returns a workspace by its id.
pub(crate) fn by_id(conn: &OwnerTransaction, id: WorkspaceId) -> SqlResult<Option<Workspace>> {
    Ok(workspaces(conn, Some(id))?.pop())
}

fn workspaces(conn: &OwnerTransaction, id: Option<WorkspaceId>) -> SqlResult<Vec<Workspace>> {
    const SQL: &str = "SELECT id, name FROM workspaces
         WHERE owner = $1 AND ($2::bigint IS NULL OR id = $2) ORDER BY id";
    all(conn, SQL, [id.map(|id| id.0)], |row| {
        let id = WorkspaceId(row.get(0)?);
        Ok(Workspace { id, name: row.get(1)?, contexts: contexts(conn, id)? })
    })
}

fn contexts(conn: &OwnerTransaction, workspace: WorkspaceId) -> SqlResult<Vec<WorkspaceContext>> {
    const SQL: &str = "SELECT number, source_kind, source, role, label FROM contexts
         WHERE owner = $1 AND workspace = $2 ORDER BY number";
    all(conn, SQL, [workspace.0], |row| {
        Ok(WorkspaceContext {
            number: row.get(0)?,
            source: source_from_row(row)?,
            role: row::parse_word(row, 3, ContextRole::parse)?,
            label: row.get(4)?,
        })
    })
}

fn source_from_row(row: &StoredRow) -> SqlResult<ContextSource> {
    let name: String = row.get(2)?;
    match row.str(1)? {
        "file" => Ok(ContextSource::File(name)),
        _ => {
            let owner =
                OwnerId::new(&name).map_err(|error| conversion_error(2, error.to_string()))?;
            Ok(ContextSource::Owner(owner))
        }
    }
}

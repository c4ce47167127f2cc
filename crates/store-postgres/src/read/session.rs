//! Sessions by id, by key and as a listing.

use super::{PagedQuery, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{Listing, MemoryId, Page, Session, SessionId};

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, key, project, agent, metadata, started_at, ended_at, episode \
             FROM sessions WHERE owner = $1 ",
            $rest
        )
    };
}

/// Returns a session by its id.
pub(crate) fn by_id(conn: &OwnerTransaction, id: SessionId) -> SqlResult<Option<Session>> {
    first(conn, columns!("AND id = $2"), [id.0], session_from_row)
}

/// Returns a session by its key.
pub(crate) fn by_key(conn: &OwnerTransaction, key: &str) -> SqlResult<Option<Session>> {
    first(conn, columns!("AND key = $2"), [key], session_from_row)
}

/// Returns a page of sessions, the most recently started first.
pub(crate) fn list(conn: &OwnerTransaction, page: Page) -> SqlResult<Listing<Session>> {
    let list = PagedQuery {
        count: "SELECT count(*) FROM sessions WHERE owner = $1",
        page: columns!("ORDER BY started_at DESC, id DESC LIMIT $2 OFFSET $3"),
    };
    list.read(conn, params![], page, session_from_row)
}

fn session_from_row(row: &StoredRow) -> SqlResult<Session> {
    Ok(Session {
        id: SessionId(row.get(0)?),
        key: row.get(1)?,
        project: row.get(2)?,
        agent: row::agent(row, 3)?,
        metadata: row.map(4)?,
        started_at: row::moment(row, 5)?,
        ended_at: row::optional_moment(row, 6)?,
        episode: row.get::<Option<i64>>(7)?.map(MemoryId),
    })
}

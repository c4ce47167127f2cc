//! Sessions by id, by key and as a listing.

use super::{ListQuery, first};
use crate::{json, row};
use model::{Listing, MemoryId, Page, Session, SessionId};
use rusqlite::{Connection, Row};

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, key, project, agent, metadata, started_at, ended_at, episode \
             FROM sessions ",
            $rest
        )
    };
}

/// Returns a session by its id.
pub(crate) fn by_id(conn: &Connection, id: SessionId) -> rusqlite::Result<Option<Session>> {
    first(conn, columns!("WHERE id = ?1"), [id.0], session_from_row)
}

/// Returns a session by its key.
pub(crate) fn by_key(conn: &Connection, key: &str) -> rusqlite::Result<Option<Session>> {
    first(conn, columns!("WHERE key = ?1"), [key], session_from_row)
}

/// Returns a page of sessions, the most recently started first.
pub(crate) fn list(conn: &Connection, page: Page) -> rusqlite::Result<Listing<Session>> {
    let list = ListQuery {
        count: "SELECT count(*) FROM sessions",
        page: columns!("ORDER BY started_at DESC, id DESC LIMIT ?1 OFFSET ?2"),
    };
    list.read(conn, &[], page, session_from_row)
}

fn session_from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: SessionId(row.get(0)?),
        key: row.get(1)?,
        project: row.get(2)?,
        agent: row::agent(row, 3)?,
        metadata: json::read_map(row, 4)?,
        started_at: row::moment(row, 5)?,
        ended_at: row::optional_moment(row, 6)?,
        episode: row.get::<_, Option<i64>>(7)?.map(MemoryId),
    })
}

//! Review items and flags of memories.

use super::{ListQuery, all, first};
use crate::{json, row};
use model::{
    Flag, FlagId, JsonMap, Listing, MemoryId, Page, Resolution, ReviewId, ReviewItem, ReviewKind,
    ReviewState,
};
use rusqlite::{Connection, Row};
use store::ReviewQuery;

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, subject, against, reason, details, raised_by, raised_at,
                resolution, resolved_by, resolved_at FROM reviews ",
            $rest
        )
    };
}

/// Returns a review item by its id.
pub(crate) fn by_id(conn: &Connection, id: ReviewId) -> rusqlite::Result<Option<ReviewItem>> {
    first(conn, columns!("WHERE id = ?1"), [id.0], item_from_row)
}

/// Returns a page of the review items that match, newest first.
pub(crate) fn list(
    conn: &Connection,
    query: &ReviewQuery,
    page: Page,
) -> rusqlite::Result<Listing<ReviewItem>> {
    macro_rules! matching {
        ($memories:literal) => {
            concat!(
                "WHERE (NOT ?1 OR resolution IS NULL) AND (?2 IS NULL OR kind = ?2) AND ",
                $memories
            )
        };
    }
    macro_rules! listing {
        ($memories:literal) => {
            ListQuery {
                count: concat!("SELECT count(*) FROM reviews ", matching!($memories)),
                page: concat!(
                    columns!(""),
                    matching!($memories),
                    " ORDER BY raised_at DESC, id DESC LIMIT ?4 OFFSET ?5"
                ),
            }
        };
    }
    const ALL: ListQuery = listing!("?3 IS NULL");
    // A union, so that the index of each side is used: recall asks this about every result.
    const OF_MEMORIES: ListQuery = listing!(
        "id IN (SELECT id FROM reviews WHERE subject IN (SELECT value FROM json_each(?3))
         UNION SELECT id FROM reviews WHERE against IN (SELECT value FROM json_each(?3)))"
    );
    let kind = query.kind.map(|kind| kind.name());
    let memories = query.memories.as_ref();
    let list = if memories.is_some() { OF_MEMORIES } else { ALL };
    let memories = memories.map(|ids| json::numbers_text(ids.iter().map(|id| id.0)));
    list.read(conn, &[&query.open_only, &kind, &memories], page, item_from_row)
}

/// Returns the state that undoing the decision on an item restores.
pub(crate) fn undo_state(conn: &Connection, id: ReviewId) -> rusqlite::Result<JsonMap> {
    const SQL: &str = "SELECT before FROM reviews WHERE id = ?1";
    Ok(first(conn, SQL, [id.0], |row| json::read_map(row, 0))?.unwrap_or_default())
}

/// Returns the flags of a memory, newest first.
pub(crate) fn flags(conn: &Connection, memory: MemoryId) -> rusqlite::Result<Vec<Flag>> {
    const SQL: &str = "SELECT id, memory, reason, by, at, settled FROM flags WHERE memory = ?1 \
        ORDER BY at DESC, id DESC";
    all(conn, SQL, [memory.0], |row| {
        Ok(Flag {
            id: FlagId(row.get(0)?),
            memory: MemoryId(row.get(1)?),
            reason: row.get(2)?,
            by: row::agent(row, 3)?,
            at: row::moment(row, 4)?,
            settled: row.get(5)?,
        })
    })
}

fn item_from_row(row: &Row<'_>) -> rusqlite::Result<ReviewItem> {
    Ok(ReviewItem {
        id: ReviewId(row.get(0)?),
        kind: row::parse_word(row, 1, ReviewKind::parse)?,
        subject: row.get::<_, Option<i64>>(2)?.map(MemoryId),
        against: row.get::<_, Option<i64>>(3)?.map(MemoryId),
        reason: row.get(4)?,
        details: json::read_map(row, 5)?,
        raised_by: row::agent(row, 6)?,
        raised_at: row::moment(row, 7)?,
        state: state_from_row(row)?,
    })
}

fn state_from_row(row: &Row<'_>) -> rusqlite::Result<ReviewState> {
    if row.get_ref(8)?.as_str_or_null()?.is_none() {
        return Ok(ReviewState::Open);
    }
    Ok(ReviewState::Resolved {
        resolution: row::parse_word(row, 8, Resolution::parse)?,
        by: row::agent(row, 9)?,
        at: row::moment(row, 10)?,
    })
}

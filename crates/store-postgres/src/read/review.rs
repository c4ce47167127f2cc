//! Review items and flags of memories.

use super::{PagedQuery, all, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{
    Flag, FlagId, JsonMap, Listing, MemoryId, Page, Resolution, ReviewId, ReviewItem, ReviewKind,
    ReviewState,
};
use store::ReviewQuery;

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, subject, against, reason, details, raised_by, raised_at,
                resolution, resolved_by, resolved_at
             FROM reviews WHERE owner = $1 ",
            $rest
        )
    };
}

/// Returns a review item by its id.
pub(crate) fn by_id(conn: &OwnerTransaction, id: ReviewId) -> SqlResult<Option<ReviewItem>> {
    first(conn, columns!("AND id = $2"), [id.0], item_from_row)
}

/// Returns a page of the review items that match, newest first.
pub(crate) fn list(
    conn: &OwnerTransaction,
    query: &ReviewQuery,
    page: Page,
) -> SqlResult<Listing<ReviewItem>> {
    macro_rules! matching {
        ($memories:literal) => {
            concat!(
                " AND ($2::bigint = 0 OR resolution IS NULL) AND ($3::text IS NULL OR kind = $3)
                 AND ",
                $memories
            )
        };
    }
    macro_rules! listing {
        ($memories:literal) => {
            PagedQuery {
                count: concat!(
                    "SELECT count(*) FROM reviews WHERE owner = $1",
                    matching!($memories)
                ),
                page: concat!(
                    columns!(""),
                    matching!($memories),
                    " ORDER BY raised_at DESC, id DESC LIMIT $5 OFFSET $6"
                ),
            }
        };
    }
    const ALL: PagedQuery = listing!("$4::bigint[] IS NULL");
    // A union, so that the index of each side is used: recall asks this about every result.
    const OF_MEMORIES: PagedQuery = listing!(
        "id IN (SELECT id FROM reviews WHERE owner = $1 AND subject = ANY($4)
            UNION SELECT id FROM reviews WHERE owner = $1 AND against = ANY($4))"
    );
    let list = if query.memories.is_some() { OF_MEMORIES } else { ALL };
    let memories = query.memories.as_ref();
    let memories = memories.map(|ids| ids.iter().map(|id| id.0).collect::<Vec<i64>>());
    let filters = params![query.open_only, query.kind.map(|kind| kind.name()), memories];
    list.read(conn, filters, page, item_from_row)
}

/// Returns the state that undoing the decision on an item restores.
pub(crate) fn undo_state(conn: &OwnerTransaction, id: ReviewId) -> SqlResult<JsonMap> {
    const SQL: &str = "SELECT before FROM reviews WHERE owner = $1 AND id = $2";
    Ok(first(conn, SQL, [id.0], |row| row.map(0))?.unwrap_or_default())
}

/// Returns the flags of a memory, newest first.
pub(crate) fn flags(conn: &OwnerTransaction, memory: MemoryId) -> SqlResult<Vec<Flag>> {
    const SQL: &str = "SELECT id, memory, reason, by, at, settled FROM flags
         WHERE owner = $1 AND memory = $2 ORDER BY at DESC, id DESC";
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

fn item_from_row(row: &StoredRow) -> SqlResult<ReviewItem> {
    Ok(ReviewItem {
        id: ReviewId(row.get(0)?),
        kind: row::parse_word(row, 1, ReviewKind::parse)?,
        subject: row.get::<Option<i64>>(2)?.map(MemoryId),
        against: row.get::<Option<i64>>(3)?.map(MemoryId),
        reason: row.get(4)?,
        details: row.map(5)?,
        raised_by: row::agent(row, 6)?,
        raised_at: row::moment(row, 7)?,
        state: state_from_row(row)?,
    })
}

fn state_from_row(row: &StoredRow) -> SqlResult<ReviewState> {
    if row.str_or_null(8)?.is_none() {
        return Ok(ReviewState::Open);
    }
    Ok(ReviewState::Resolved {
        resolution: row::parse_word(row, 8, Resolution::parse)?,
        by: row::agent(row, 9)?,
        at: row::moment(row, 10)?,
    })
}

//! The listing of memories by filters and order. All statements are fixed texts, put together by
//! macros at compile time.

use super::ListQuery;
use super::memory::by_ids;
use crate::{enum_codes, json};
use model::{Dialect, Listing, Memory, MemoryId, Page};
use rusqlite::{Connection, ToSql};
use store::{MemoryQuery, MemorySort};

/// The WHERE clause. A filter that is not set is NULL.
// The filters by sessions, and by kinds and statuses, are literals of their own instead of
// `?11 IS NULL OR …`: only so can SQLite use their indexes.
macro_rules! matching {
    ($indexed:literal) => {
        concat!(
            " FROM memories m
             WHERE (?1 IS NULL OR m.kind IN (SELECT value FROM json_each(?1)))
             AND (?2 IS NULL OR m.status IN (SELECT value FROM json_each(?2)))
             AND (?3 IS NULL OR m.project = ?3)
             AND (?4 IS NULL OR m.collection = ?4)
             AND (?5 IS NULL OR m.author IN (SELECT id FROM authors WHERE agent = ?5))
             AND (?13 IS NULL OR m.author IN (SELECT id FROM authors WHERE dialect = ?13))
             AND (?6 IS NULL OR EXISTS (SELECT 1 FROM json_each(m.tags) t
                  WHERE t.value IN (SELECT value FROM json_each(?6))))
             AND (?7 IS NULL OR m.created_at >= ?7)
             AND (?8 IS NULL OR m.created_at <= ?8)
             AND (?9 IS NULL OR m.confidence >= ?9)
             AND (?10 IS NULL OR m.confidence <= ?10)
             AND m.id > coalesce(?14, -9223372036854775808)
             AND (?12 IS NULL OR CASE
                  WHEN m.collection = 'profile' THEN ?12 ->> 'profile'
                  WHEN json_type(m.metadata, '$.record_table') = 'text'
                  THEN ",
            open!("m.metadata ->> 'record_table'", "tables"),
            " ELSE ",
            open!("m.collection", "collections"),
            " END)
             AND ",
            $indexed
        )
    };
}

/// The decision whether a name is readable: that of the longest rule that matches the name or a
/// prefix of it up to a `/`, or else the default.
macro_rules! open {
    ($name:literal, $rules:literal) => {
        concat!(
            "coalesce((SELECT r.value ->> 1 FROM json_each(?12, '$.",
            $rules,
            "') r WHERE ",
            $name,
            " = r.value ->> 0 OR substr(",
            $name,
            ", 1, length(r.value ->> 0) + 1) = (r.value ->> 0) || '/' LIMIT 1), ?12 ->> 'other_",
            $rules,
            "')"
        )
    };
}

macro_rules! list {
    ($indexed:literal, $order:literal) => {
        ListQuery {
            count: concat!("SELECT count(*)", matching!($indexed)),
            page: concat!(
                "SELECT m.id",
                matching!($indexed),
                " ORDER BY ",
                $order,
                " LIMIT ?15 OFFSET ?16"
            ),
        }
    };
}

/// The listings in one order: of any session, of given sessions, and of given kinds and statuses,
/// which the index `memories_counted` has for positive ids.
macro_rules! lists {
    ($order:literal) => {
        [
            list!("?11 IS NULL", $order),
            list!("m.session IN (SELECT value FROM json_each(?11))", $order),
            list!(
                "?11 IS NULL AND m.id > 0
                 AND m.status IN (SELECT value FROM json_each(?2))
                 AND m.kind IN (SELECT value FROM json_each(?1))",
                $order
            ),
        ]
    };
}

/// Returns a page of the memories that match.
pub(crate) fn memories(
    conn: &Connection,
    query: &MemoryQuery,
    page: Page,
) -> rusqlite::Result<Listing<Memory>> {
    let words = |list: Vec<&str>| (!list.is_empty()).then(|| json::list_text(&list));
    let numbers = |list: Vec<i64>| (!list.is_empty()).then(|| json::numbers_text(list.into_iter()));
    let kinds = words(query.kinds.iter().map(|kind| kind.as_str()).collect());
    let statuses = numbers(
        query.statuses.iter().map(|status| enum_codes::status_code(*status).into()).collect(),
    );
    let tags = words(query.tags.iter().map(String::as_str).collect());
    let sessions = numbers(query.sessions.iter().map(|session| session.0).collect());
    let agent = query.agent.as_ref().map(|agent| agent.as_str());
    let (from, until) = (query.created_from.map(|at| at.0), query.created_until.map(|at| at.0));
    let sources = json::source_filter(&query.sources);
    let dialect = query.dialect.map(Dialect::name);
    let after = query.after.map(|id| id.0);
    let filters: [&dyn ToSql; 14] = [
        &kinds,
        &statuses,
        &query.project,
        &query.collection,
        &agent,
        &tags,
        &from,
        &until,
        &query.confidence_min,
        &query.confidence_max,
        &sessions,
        &sources,
        &dialect,
        &after,
    ];
    // Only ids are sorted, because memories are large; those of the page are then read by id.
    let list = match (sessions.is_some(), kinds.is_some() && statuses.is_some()) {
        (true, _) => list_query(query.sort).1,
        (false, true) => list_query(query.sort).2,
        (false, false) => list_query(query.sort).0,
    };
    let ids = list.read(conn, &filters, page, |row| row.get(0).map(MemoryId))?;
    Ok(Listing { items: by_ids(conn, &ids.items)?, total: ids.total })
}

/// Returns the listings in an order: of any session, of given sessions, and of kinds and statuses.
fn list_query(sort: MemorySort) -> (ListQuery, ListQuery, ListQuery) {
    let [any, of_sessions, of_kinds] = match sort {
        MemorySort::Newest => lists!("m.created_at DESC, m.id DESC"),
        MemorySort::Oldest => lists!("m.created_at, m.id"),
        MemorySort::MostConfident => lists!("m.confidence DESC, m.id DESC"),
        MemorySort::MostUsed => {
            lists!("(SELECT count FROM uses WHERE memory = m.id) DESC NULLS LAST, m.id DESC")
        }
        MemorySort::MostImportant => lists!("m.priority, m.created_at DESC, m.id DESC"),
    };
    (any, of_sessions, of_kinds)
}

//! The listing of memories by filters and order. All statements are fixed texts, put together by
//! macros at compile time.

use super::PagedQuery;
use super::memory::by_ids;
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::{SqlValue, params};
use model::{Dialect, Listing, Memory, MemoryId, NameFilter, Page, SourceFilter};
use store::rules::codes;
use store::{MemoryQuery, MemorySort};

/// The WHERE clause. A filter that is not set is NULL.
macro_rules! matching {
    () => {
        concat!(
            " FROM memories m
             WHERE m.owner = $1
             AND ($2::text[] IS NULL OR m.kind = ANY($2))
             AND ($3::bigint[] IS NULL OR m.status = ANY($3))
             AND ($4::text IS NULL OR m.project = $4)
             AND ($5::text IS NULL OR m.collection = $5)
             AND ($6::text IS NULL OR m.author IN
                (SELECT id FROM authors WHERE owner = $1 AND agent = $6))
             AND ($7::text IS NULL OR m.author IN
                (SELECT id FROM authors WHERE owner = $1 AND dialect = $7))
             AND ($8::text[] IS NULL OR m.id IN
                (SELECT memory FROM memory_tags WHERE owner = $1 AND tag = ANY($8)))
             AND ($9::bigint IS NULL OR m.created_at >= $9)
             AND ($10::bigint IS NULL OR m.created_at <= $10)
             AND ($11::double precision IS NULL OR m.confidence >= $11)
             AND ($12::double precision IS NULL OR m.confidence <= $12)
             AND ($13::bigint[] IS NULL OR m.session = ANY($13))
             AND ($14::bigint IS NULL OR 1 = CASE
                WHEN m.collection = 'profile' THEN $14
                WHEN m.record_table IS NOT NULL THEN ",
            open!("m.record_table", "$15", "$16", "$17"),
            " ELSE ",
            open!("m.collection", "$18", "$19", "$20"),
            " END)
             AND ($21::bigint IS NULL OR m.id > $21)"
        )
    };
}

/// The decision whether a name is readable: that of the longest rule that matches the name or a
/// prefix of it up to a `/`, or else the default. The longest rules come first.
macro_rules! open {
    ($name:literal, $names:literal, $open:literal, $default:literal) => {
        concat!(
            "coalesce((SELECT r.open FROM unnest(",
            $names,
            "::text[], ",
            $open,
            "::bigint[]) WITH ORDINALITY AS r (name, open, place) WHERE ",
            $name,
            " = r.name OR substr(",
            $name,
            ", 1, length(r.name) + 1) = r.name || '/' ORDER BY r.place LIMIT 1), ",
            $default,
            "::bigint)"
        )
    };
}

macro_rules! list {
    ($order:literal) => {
        PagedQuery {
            count: concat!("SELECT count(*)", matching!()),
            page: concat!(
                "SELECT m.id",
                matching!(),
                " ORDER BY ",
                $order,
                " LIMIT $22 OFFSET
                 $23"
            ),
        }
    };
}

/// Returns a page of the memories that match.
pub(crate) fn memories(
    conn: &OwnerTransaction,
    query: &MemoryQuery,
    page: Page,
) -> SqlResult<Listing<Memory>> {
    // Only ids are sorted, because memories are large; those of the page are then read by id.
    let list = list_query(query.sort);
    let ids = list.read(conn, filters(query), page, |row| row.get(0).map(MemoryId))?;
    Ok(Listing { items: by_ids(conn, &ids.items)?, total: ids.total })
}

fn filters(query: &MemoryQuery) -> Vec<SqlValue<'_>> {
    let kinds = query.kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
    let statuses = query.statuses.iter().map(|status| codes::status_code(*status).into()).collect();
    let sessions = query.sessions.iter().map(|session| session.0).collect();
    let mut filters = params![
        unless_empty::<String>(kinds),
        unless_empty::<i64>(statuses),
        &query.project,
        &query.collection,
        query.agent.as_ref().map(|agent| agent.as_str()),
        query.dialect.map(Dialect::name),
        unless_empty(query.tags.clone()),
        query.created_from.map(|at| at.0),
        query.created_until.map(|at| at.0),
        query.confidence_min,
        query.confidence_max,
        unless_empty::<i64>(sessions)
    ];
    filters.extend(source_filters(&query.sources));
    filters.extend(params![query.after.map(|id| id.0)]);
    filters
}

fn unless_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Returns the readable sources as parameters; all are NULL when every source is readable.
fn source_filters(sources: &SourceFilter) -> Vec<SqlValue<'static>> {
    if sources.is_all() {
        return vec![SqlValue::Null; 7];
    }
    let mut values = params![sources.profile];
    values.extend(name_filters(&sources.tables));
    values.extend(name_filters(&sources.collections));
    values
}

fn name_filters(allowed: &NameFilter) -> Vec<SqlValue<'static>> {
    let (names, open): (Vec<String>, Vec<i64>) =
        allowed.rules().iter().map(|(name, open)| (name.clone(), i64::from(*open))).unzip();
    params![names, open, allowed.allows_others()]
}

fn list_query(sort: MemorySort) -> PagedQuery {
    match sort {
        MemorySort::Newest => list!("m.created_at DESC, m.id DESC"),
        MemorySort::Oldest => list!("m.created_at, m.id"),
        MemorySort::MostConfident => list!("m.confidence DESC, m.id DESC"),
        MemorySort::MostUsed => list!(
            "(SELECT count FROM uses WHERE owner = $1 AND memory = m.id) DESC NULLS LAST, m.id DESC"
        ),
        MemorySort::MostImportant => list!("m.priority, m.created_at DESC, m.id DESC"),
    }
}

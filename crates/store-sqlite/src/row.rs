//! Conversion of rows to types of `model`. Each function documents the columns it reads.

use crate::{enum_codes, error::conversion_error, json};
use model::{
    AccessStats, AgentName, AuditEvent, AuditId, Author, ContentHash, Dialect, Kind, Link, Memory,
    MemoryId, Moment, Origin, Provenance, Seq, SessionId, StoredVectors, Trust, VectorModel,
};
use rusqlite::Row;

/// The columns that [`memory`] reads, of memories `m`, authors `a` and uses `u`.
macro_rules! memory_columns {
    () => {
        "m.id, m.kind, m.title, m.text, m.summary, m.collection, m.session, m.project, m.tags, \
         m.applies_to, m.priority, m.confidence, m.metadata, m.origin, m.trust, m.created_at, \
         m.valid_from, m.valid_to, m.status, m.ended_at, m.open_flags, m.updated_at, u.count, \
         u.last, a.agent, a.client, a.dialect, a.tool"
    };
}

/// The FROM clause that goes with [`memory_columns`].
// CROSS JOIN fixes the join order in SQLite: without it the planner may start with the few authors
// and scan all of their memories.
macro_rules! memory_tables {
    () => {
        " FROM memories m CROSS JOIN authors a ON a.id = m.author \
         LEFT JOIN uses u ON u.memory = m.id "
    };
}

pub(crate) use {memory_columns, memory_tables};

/// Number of columns that [`memory`] reads.
pub(crate) const MEMORY_WIDTH: usize = 28;

/// Reads a memory.
pub(crate) fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let created_at = moment(row, 15)?;
    Ok(Memory {
        id: MemoryId(row.get(0)?),
        kind: kind(row, 1)?,
        title: row.get(2)?,
        text: row.get(3)?,
        summary: row.get(4)?,
        collection: row.get(5)?,
        session: row.get::<_, Option<i64>>(6)?.map(SessionId),
        project: row.get(7)?,
        tags: json::read_list(row, 8)?,
        applies_to: json::read_list(row, 9)?,
        priority: row.get(10)?,
        confidence: row.get(11)?,
        metadata: json::read_map(row, 12)?,
        provenance: Provenance {
            author: author(row, 24)?,
            origin: origin(row, 13)?,
            trust: Trust(row.get(14)?),
            at: created_at,
        },
        // NULL means "the same as created_at", which saves bytes in most rows; so below.
        valid_from: optional_moment(row, 16)?.unwrap_or(created_at),
        valid_to: optional_moment(row, 17)?,
        status: enum_codes::status(row.get(18)?)?,
        ended_at: optional_moment(row, 19)?,
        access: AccessStats {
            count: row.get::<_, Option<u32>>(22)?.unwrap_or(0),
            last: optional_moment(row, 23)?,
        },
        flags: row.get(20)?,
        updated_at: optional_moment(row, 21)?.unwrap_or(created_at),
    })
}

/// Reads an author from four columns at `first`: agent, client, dialect, tool.
pub(crate) fn author(row: &Row<'_>, first: usize) -> rusqlite::Result<Author> {
    let dialect = row.get_ref(first + 2)?.as_str()?;
    Ok(Author {
        agent: agent(row, first)?,
        client: row.get(first + 1)?,
        dialect: Dialect::parse(dialect)
            .ok_or_else(|| conversion_error(first + 2, format!("no dialect {dialect}")))?,
        tool: row.get(first + 3)?,
    })
}

/// Reads a link from the columns source, target, kind, weight, created_at.
pub(crate) fn link(row: &Row<'_>) -> rusqlite::Result<Link> {
    Ok(Link {
        source: MemoryId(row.get(0)?),
        target: MemoryId(row.get(1)?),
        kind: enum_codes::link_kind(row.get(2)?)?,
        weight: row.get(3)?,
        created_at: moment(row, 4)?,
    })
}

/// Reads vectors from three columns at `first`: model, dimensions, windows; `None` when the model
/// is NULL.
pub(crate) fn vector(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<StoredVectors>> {
    let Some(id) = row.get(first)? else { return Ok(None) };
    let model = VectorModel { id, dimensions: row.get::<_, u32>(first + 1)? as usize };
    Ok(Some(StoredVectors { model, data: row.get(first + 2)? }))
}

/// Reads an audit event from the columns id, seq, resource, outcome, at, duration_us, arguments,
/// note, followed by its author.
pub(crate) fn event(row: &Row<'_>) -> rusqlite::Result<AuditEvent> {
    Ok(AuditEvent {
        id: AuditId(row.get(0)?),
        seq: Seq(row.get(1)?),
        author: author(row, 8)?,
        resource: row.get(2)?,
        outcome: enum_codes::outcome(row.get(3)?)?,
        at: moment(row, 4)?,
        duration_us: row.get::<_, i64>(5)?.unsigned_abs(),
        arguments: ContentHash(row.get(6)?),
        note: row.get(7)?,
    })
}

/// Reads the name of an agent.
pub(crate) fn agent(row: &Row<'_>, column: usize) -> rusqlite::Result<AgentName> {
    Ok(AgentName::new(row.get_ref(column)?.as_str()?))
}

fn kind(row: &Row<'_>, column: usize) -> rusqlite::Result<Kind> {
    Kind::new(row.get_ref(column)?.as_str()?)
        .map_err(|failure| conversion_error(column, failure.message))
}

/// Reads an origin.
pub(crate) fn origin(row: &Row<'_>, column: usize) -> rusqlite::Result<Origin> {
    enum_codes::origin(row.get(column)?)
}

/// Reads a time.
pub(crate) fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Moment> {
    row.get(column).map(Moment)
}

/// Reads a time that may be NULL.
pub(crate) fn optional_moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Moment>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Moment))
}

/// Reads a word that must be one of a fixed set.
pub(crate) fn parse_word<T>(
    row: &Row<'_>,
    column: usize,
    parse: fn(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let name = row.get_ref(column)?.as_str()?;
    parse(name).ok_or_else(|| conversion_error(column, format!("unexpected value `{name}`")))
}

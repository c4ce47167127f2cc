//! Conversion of rows to types of `model`. Each function documents the columns it reads.

use crate::error::SqlResult;
use crate::stored_row::{StoredRow, conversion_error};
use model::{
    AccessStats, AgentName, AuditEvent, AuditId, Author, ContentHash, Dialect, Kind, Link, Memory,
    MemoryId, Moment, Origin, Provenance, Seq, SessionId, StoredVectors, Trust, VectorModel,
};
use store::rules::codes;

/// The columns that [`memory`] reads, of memories `m`, authors `a` and uses `u`.
macro_rules! memory_columns {
    () => {
        "m.id, m.kind, m.title, m.text, m.summary, m.collection, m.session, m.project, m.tags, \
         m.applies_to, m.priority, m.confidence, m.metadata, m.origin, m.trust, m.created_at, \
         m.valid_from, m.valid_to, m.status, m.ended_at, m.open_flags, m.updated_at, u.count, \
         u.last, a.agent, a.client, a.dialect, a.tool"
    };
}

/// The FROM and WHERE clauses that go with [`memory_columns`].
macro_rules! memory_tables {
    () => {
        " FROM memories m JOIN authors a ON a.owner = m.owner AND a.id = m.author
         LEFT JOIN uses u ON u.owner = $1 AND u.memory = m.id
         WHERE m.owner = $1 AND a.owner = $1 "
    };
}

pub(crate) use {memory_columns, memory_tables};

/// Number of columns that [`memory`] reads.
pub(crate) const MEMORY_WIDTH: usize = 28;

/// Reads a memory.
pub(crate) fn memory(row: &StoredRow) -> SqlResult<Memory> {
    let created_at = moment(row, 15)?;
    Ok(Memory {
        id: MemoryId(row.get(0)?),
        kind: kind(row, 1)?,
        title: row.get(2)?,
        text: row.get(3)?,
        summary: row.get(4)?,
        collection: row.get(5)?,
        session: row.get::<Option<i64>>(6)?.map(SessionId),
        project: row.get(7)?,
        tags: row.list(8)?,
        applies_to: row.list(9)?,
        priority: row.get(10)?,
        confidence: row.get(11)?,
        metadata: row.map(12)?,
        provenance: Provenance {
            author: author(row, 24)?,
            origin: origin(row, 13)?,
            trust: Trust(row.get(14)?),
            at: created_at,
        },
        // NULL means "the same as created_at", which saves bytes in most rows; so below.
        valid_from: optional_moment(row, 16)?.unwrap_or(created_at),
        valid_to: optional_moment(row, 17)?,
        status: status(row.get(18)?)?,
        ended_at: optional_moment(row, 19)?,
        access: AccessStats {
            count: row.get::<Option<u32>>(22)?.unwrap_or(0),
            last: optional_moment(row, 23)?,
        },
        flags: row.get(20)?,
        updated_at: optional_moment(row, 21)?.unwrap_or(created_at),
    })
}

/// Reads an author from four columns at `first`: agent, client, dialect, tool.
pub(crate) fn author(row: &StoredRow, first: usize) -> SqlResult<Author> {
    let dialect = row.str(first + 2)?;
    Ok(Author {
        agent: agent(row, first)?,
        client: row.get(first + 1)?,
        dialect: Dialect::parse(dialect)
            .ok_or_else(|| conversion_error(first + 2, format!("no dialect {dialect}")))?,
        tool: row.get(first + 3)?,
    })
}

/// Reads a link from the columns source, target, kind, weight, created_at.
pub(crate) fn link(row: &StoredRow) -> SqlResult<Link> {
    Ok(Link {
        source: MemoryId(row.get(0)?),
        target: MemoryId(row.get(1)?),
        kind: damage(2, codes::link_kind(row.get(2)?))?,
        weight: row.get(3)?,
        created_at: moment(row, 4)?,
    })
}

/// Reads vectors from three columns at `first`: model, dimensions, windows; `None` when the model
/// is NULL.
pub(crate) fn vector(row: &StoredRow, first: usize) -> SqlResult<Option<StoredVectors>> {
    let Some(id) = row.get(first)? else { return Ok(None) };
    let model = VectorModel { id, dimensions: row.get(first + 1)? };
    Ok(Some(StoredVectors { model, data: row.get(first + 2)? }))
}

/// Reads an audit event from the columns id, seq, resource, outcome, at, duration_us, arguments,
/// note, followed by its author.
pub(crate) fn event(row: &StoredRow) -> SqlResult<AuditEvent> {
    Ok(AuditEvent {
        id: AuditId(row.get(0)?),
        seq: Seq(row.get(1)?),
        author: author(row, 8)?,
        resource: row.get(2)?,
        outcome: damage(3, codes::outcome(row.get(3)?))?,
        at: moment(row, 4)?,
        duration_us: row.get::<i64>(5)?.unsigned_abs(),
        arguments: ContentHash(row.get(6)?),
        note: row.get(7)?,
    })
}

/// Returns the status of a code.
pub(crate) fn status(code: u8) -> SqlResult<model::Status> {
    damage(0, codes::status(code))
}

fn damage<T>(column: usize, decoded: Result<T, String>) -> SqlResult<T> {
    decoded.map_err(|problem| conversion_error(column, problem))
}

/// Reads the name of an agent.
pub(crate) fn agent(row: &StoredRow, column: usize) -> SqlResult<AgentName> {
    Ok(AgentName::new(row.str(column)?))
}

fn kind(row: &StoredRow, column: usize) -> SqlResult<Kind> {
    Kind::new(row.str(column)?).map_err(|failure| conversion_error(column, failure.message))
}

/// Reads an origin.
pub(crate) fn origin(row: &StoredRow, column: usize) -> SqlResult<Origin> {
    damage(column, codes::origin(row.get(column)?))
}

/// Reads a time.
pub(crate) fn moment(row: &StoredRow, column: usize) -> SqlResult<Moment> {
    row.get(column).map(Moment)
}

/// Reads a time that may be NULL.
pub(crate) fn optional_moment(row: &StoredRow, column: usize) -> SqlResult<Option<Moment>> {
    Ok(row.get::<Option<i64>>(column)?.map(Moment))
}

/// Reads a word that must be one of a fixed set.
pub(crate) fn parse_word<T>(
    row: &StoredRow,
    column: usize,
    parse: fn(&str) -> Option<T>,
) -> SqlResult<T> {
    let name = row.str(column)?;
    parse(name).ok_or_else(|| conversion_error(column, format!("unexpected value `{name}`")))
}

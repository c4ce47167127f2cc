//! Backups of one owner: a file of the same format as a memory on SQLite, so that it can be opened
//! and restored there. All tables are read in one transaction, so that the copy is of one moment.

use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::PostgresStore;
use crate::sql_value::SqlValue;
use crate::stored_row::{ColumnValue, StoredRow};
use model::OwnerId;
use std::path::Path;
use store::StoreError;
use store_sqlite::{CopiedValue, MemoryFileWriter};

/// Number of rows that are read at once.
const PAGE: i64 = 5_000;

/// Copies the memory of an owner to a file that must not exist yet.
pub(crate) async fn backup(
    store: &PostgresStore,
    owner: &OwnerId,
    to: &Path,
) -> Result<(), StoreError> {
    let to = to.to_owned();
    store.read(owner, move |conn| copy(conn, &to)).await?
}

/// Copies the memory of an owner in a transaction that is under way. The outer result is that of
/// the database, the inner one that of the file.
pub(crate) fn copy(conn: &OwnerTransaction, to: &Path) -> SqlResult<Result<(), StoreError>> {
    let mut file = match MemoryFileWriter::create(to) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    for BackupTable { name, columns, sql } in TABLES.iter().chain(&COUNTERS) {
        let mut offset = 0;
        loop {
            let page = vec![SqlValue::Integer(PAGE), SqlValue::Integer(offset)];
            let rows = conn.all(sql, page, row_values)?;
            let read = rows.len() as i64;
            if let Err(error) = file.insert(name, columns, rows) {
                return Ok(Err(error));
            }
            if read < PAGE {
                break;
            }
            offset += read;
        }
    }
    let last = last_ids(conn)?;
    Ok(file.set_last_ids(&last).and_then(|()| file.finish()))
}

fn row_values(row: &StoredRow) -> SqlResult<Vec<CopiedValue>> {
    let value = |column| {
        Ok(match row.cell(column)? {
            ColumnValue::Null | ColumnValue::Words(_) => CopiedValue::Null,
            ColumnValue::Integer(number) => CopiedValue::Integer(number),
            ColumnValue::Number(number) => CopiedValue::Real(number),
            ColumnValue::Text(text) => CopiedValue::Text(text.to_owned()),
            ColumnValue::Bytes(bytes) => CopiedValue::Blob(bytes.to_vec()),
        })
    };
    (0..row.len()).map(value).collect()
}

/// A table of the file, and the statement that reads its rows.
pub(crate) struct BackupTable {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static str,
    sql: &'static str,
}

/// A table that is the same in the file and in the database.
macro_rules! copied {
    ($name:literal, $columns:literal, $key:literal) => {
        BackupTable {
            name: $name,
            columns: $columns,
            sql: concat!(
                "SELECT ",
                $columns,
                " FROM ",
                $name,
                " WHERE owner = $1 ORDER BY ",
                $key,
                " LIMIT $2 OFFSET $3"
            ),
        }
    };
}

/// A table of the file whose rows are in the clock of the owner.
macro_rules! from_clock {
    ($name:literal, $columns:literal, $values:literal) => {
        BackupTable {
            name: $name,
            columns: $columns,
            sql: concat!("SELECT ", $values, " FROM clocks WHERE owner = $1 LIMIT $2 OFFSET $3"),
        }
    };
}

/// The tables of an owner, each after those that it refers to.
pub(crate) static TABLES: [BackupTable; 35] = [
    copied!("authors", "id, agent, client, dialect, tool", "id"),
    copied!("sessions", "id, key, project, agent, metadata, started_at, ended_at, episode", "id"),
    copied!(
        "memories",
        "id, seq, text_key, status, origin, trust, priority, confidence, open_flags, \
         author, created_at, updated_at, valid_from, valid_to, ended_at, session, kind, \
         collection, project, title, summary, tags, applies_to, metadata, text",
        "id"
    ),
    copied!("uses", "memory, count, last", "memory"),
    copied!("models", "id, name, dimensions", "id"),
    copied!("vectors", "memory, model, windows", "memory"),
    copied!("links", "source, kind, target, weight, created_at", "source, kind, target"),
    copied!("tombstones", "memory, hash, seq, at", "memory"),
    copied!(
        "entities",
        "id, folded, kind, name, properties, confidence, first_seen, last_seen",
        "id"
    ),
    copied!("aliases", "folded, kind, entity, name", "folded, kind, entity"),
    copied!("mentions", "memory, entity, kind, name, source, path", "memory, entity"),
    copied!("observations", "id, entity, text_key, memory, at, text", "id"),
    copied!(
        "relations",
        "id, source, target, kind, weight, confidence, memory, unattached, properties, \
         first_seen, last_seen",
        "id"
    ),
    copied!("merges", "entity, into_entity, number, at, kind, name, state", "entity"),
    copied!("relation_memories", "relation, memory", "relation, memory"),
    copied!(
        "tables",
        "id, name, description, columns, rows, last_record, created_at, updated_at",
        "id"
    ),
    copied!("records", "table_id, id, memory, created_at, updated_at, data, seq", "table_id, id"),
    copied!("record_versions", "table_id, record, memory, data", "table_id, record, memory"),
    copied!("dropped_records", "table_id, id, seq", "table_id, id"),
    copied!("profile", "version, author, origin, trust, at, reason, changed, data", "version"),
    copied!(
        "handoffs",
        "id, state, claim_by, claim_since, claim_until, claim_notes, created_by, \
         created_at, updated_at, title, project, cwd, harness, source_ref, tags, document",
        "id"
    ),
    copied!("documents", "id, path, title, hash, sections, updated_at", "id"),
    copied!("sections", "document, ordinal, model, windows, heading, text", "document, ordinal"),
    copied!(
        "reviews",
        "id, kind, subject, against, raised_by, raised_at, resolution, resolved_by, \
         resolved_at, reason, details, before",
        "id"
    ),
    copied!("flags", "id, memory, settled, by, at, reason", "id"),
    copied!("workspaces", "id, name", "id"),
    copied!("contexts", "workspace, number, source_kind, source, role, label", "workspace, number"),
    copied!("grants", "agent, resource, permission, granted_at", "agent, resource"),
    copied!(
        "audit",
        "id, seq, author, outcome, at, duration_us, resource, arguments, note, mac",
        "id"
    ),
    copied!("idempotency", "agent, key, fingerprint, seq, made", "agent, key"),
    copied!("settings", "name, value", "name"),
    copied!("shown", "memory, event", "memory, event"),
    copied!("usage", "day, agent, calls, tokens, recalls, empty, last", "day, agent"),
    copied!("questions", "id, folded, agent, times, at, text", "id"),
    copied!("recent_questions", "event, text", "event"),
];

/// The counters, which the file has in several tables.
const COUNTERS: [BackupTable; 3] = [
    from_clock!(
        "meta",
        "id, identity, seq, references_seq, last_memory, erased",
        "1::bigint, identity, seq, references_seq, last_memory, 0::bigint"
    ),
    from_clock!(
        "audit_chain",
        "id, last, mac, seal, marked, marked_at, removed",
        "1::bigint, last_event, mac, seal, marked, marked_at, removed"
    ),
    from_clock!(
        "erasure",
        "id, newest, scrubbed, pass, next_page",
        "1::bigint, erased_seq, erased_seq, 0::bigint, 0::bigint"
    ),
];

fn last_ids(conn: &OwnerTransaction) -> SqlResult<Vec<(String, i64)>> {
    const TABLES: [&str; 7] =
        ["entities", "observations", "relations", "documents", "reviews", "flags", "questions"];
    const SQL: &str = "SELECT last_entity, last_observation, last_relation, last_document,
            last_review, last_flag, last_question FROM clocks WHERE owner = $1";
    conn.one(SQL, (), |row| {
        let id = |(column, table): (usize, &&str)| Ok(((*table).to_owned(), row.get(column)?));
        TABLES.iter().enumerate().map(id).collect()
    })
}

//! A thorough consistency check of one memory: the structure of the file, its references, and
//! counts that are stored twice. Read-only.

use crate::connection::{self, ConnectionRole};
use crate::error::store_error;
use crate::{Options, migrate, text_key};
use model::ContentHash;
use rusqlite::Connection;
use std::path::Path;
use store::{Health, StoreError};

/// Maximum number of reported problems of one kind.
const PROBLEMS_MAX: usize = 20;

/// Runs all checks.
pub(crate) fn inspect(conn: &Connection, path: &Path) -> rusqlite::Result<Health> {
    let mut problems = integrity(conn)?;
    problems.extend(dangling_references(conn)?);
    problems.extend(changed_texts(conn)?);
    if let Err(StoreError::Damaged { cause }) = migrate::check_history(conn, &migrate::MEMORY) {
        problems.push(cause);
    }
    for (sql, sentence) in CONSISTENCY_CHECKS {
        let count: i64 = conn.query_one(sql, [], |row| row.get(0))?;
        if count > 0 {
            problems.push(format!("{count} {sentence}"));
        }
    }
    Ok(Health {
        engine: format!("SQLite {}", rusqlite::version()),
        format: conn.pragma_query_value(None, "user_version", |row| row.get(0))?,
        sound: problems.is_empty(),
        problems,
        location: path.display().to_string(),
    })
}

/// Checks the file of owners and keys, and returns its problems.
pub(crate) fn inspect_control(path: &Path) -> Result<Vec<String>, StoreError> {
    let options = Options::default();
    let database = connection::open(path, &migrate::CONTROL, ConnectionRole::Read, &options)?;
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut problems = integrity(&database.conn)?;
        problems.extend(dangling_references(&database.conn)?);
        Ok(problems)
    };
    let mut problems = check().map_err(|error| store_error(&error))?;
    match migrate::check_known(&database.conn, &migrate::CONTROL) {
        Err(StoreError::Damaged { cause }) => problems.push(cause),
        checked => checked?,
    }
    Ok(problems)
}

fn integrity(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    // The argument is the maximum number of errors, the same limit as above.
    let mut statement = conn.prepare("PRAGMA integrity_check(20)")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    lines.filter(|line| !matches!(line, Ok(line) if line == "ok")).collect()
}

fn dangling_references(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let rows = statement.query_map([], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        Ok(format!("a row of {table} refers to a missing row of {parent}"))
    })?;
    rows.take(PROBLEMS_MAX).collect()
}

/// Compares each text with the hash that it was stored with: SQLite does not notice a flipped bit
/// inside of a text.
fn changed_texts(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("SELECT id, text_key, text FROM memories")?;
    let mut rows = statement.query([])?;
    let mut problems = Vec::new();
    while let Some(row) = rows.next()?
        && problems.len() < PROBLEMS_MAX
    {
        let (id, key): (i64, i64) = (row.get(0)?, row.get(1)?);
        let intact = row.get_ref(2)?.as_str().map(|text| text_key(ContentHash::of_text(text)));
        if !intact.is_ok_and(|intact| intact == key) {
            problems.push(format!("the text of memory {id} is not the one that was stored"));
        }
    }
    Ok(problems)
}

/// Queries that return 0 in a sound memory, with the message for any other number.
// Each compares a number that writes maintain with the rows it counts, so that a bug in a write
// shows up here and not as a wrong answer.
const CONSISTENCY_CHECKS: [(&str, &str); 6] = [
    (
        "SELECT count(*) FROM tables t WHERE rows <> \
            (SELECT count(*) FROM records r LEFT JOIN memories m ON m.id = r.memory \
             WHERE r.table_id = t.id AND coalesce(m.status, 0) = 0)",
        "tables have a different number of current rows than the catalogue says",
    ),
    (
        "SELECT count(*) FROM memories m WHERE open_flags <>
            (SELECT count(*) FROM flags WHERE memory = m.id AND settled = 0)",
        "memories have a different number of open flags than their counter says",
    ),
    (
        "SELECT count(*) FROM documents d WHERE sections <>
            (SELECT count(*) FROM sections WHERE document = d.id)",
        "documents have a different number of sections than their counter says",
    ),
    (
        "SELECT count(*) FROM memories WHERE id > (SELECT last_memory FROM meta) \
            OR seq > (SELECT seq FROM meta)",
        "memories are newer than the counters",
    ),
    (
        "SELECT count(*) FROM memories WHERE id IN (SELECT memory FROM tombstones)",
        "memories still exist although they were forgotten",
    ),
    (
        "SELECT (SELECT seq FROM meta) - (SELECT removed FROM audit_chain)
            - (SELECT count(DISTINCT seq) FROM audit WHERE seq > 0)",
        "changes have no audit event",
    ),
];

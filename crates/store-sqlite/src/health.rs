//! A thorough look at one memory: does the file hold together, and do its parts agree? Changes
//! nothing.

use crate::migrate;
use rusqlite::Connection;
use std::path::Path;
use store::{Health, StoreError};

/// Most problems that are told of one kind.
const TOLD_MAX: usize = 20;

/// Looks at everything.
pub(crate) fn look(conn: &Connection, path: &Path) -> rusqlite::Result<Health> {
    let mut problems = integrity(conn)?;
    problems.extend(dangling(conn)?);
    if let Err(StoreError::Damaged { cause }) = migrate::check_history(conn, &migrate::MEMORY) {
        problems.push(cause);
    }
    for (sql, sentence) in DISAGREEMENTS {
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

fn integrity(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("PRAGMA integrity_check(20)")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    lines.filter(|line| !matches!(line, Ok(line) if line == "ok")).collect()
}

fn dangling(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let rows = statement.query_map([], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        Ok(format!("a row of {table} names one of {parent} that is not there"))
    })?;
    rows.take(TOLD_MAX).collect()
}

/// Questions whose answer is 0 in a sound memory, and what it means when it is not.
const DISAGREEMENTS: [(&str, &str); 6] = [
    (
        "SELECT count(*) FROM tables t WHERE rows <> (SELECT count(*) FROM records WHERE table_id = t.id)",
        "tables have another number of rows than the catalogue says",
    ),
    (
        "SELECT count(*) FROM memories m WHERE open_flags <>
            (SELECT count(*) FROM flags WHERE memory = m.id AND settled = 0)",
        "memories have another number of open flags than they say",
    ),
    (
        "SELECT count(*) FROM documents d WHERE sections <>
            (SELECT count(*) FROM sections WHERE document = d.id)",
        "documents have another number of sections than they say",
    ),
    (
        "SELECT count(*) FROM memories WHERE id > (SELECT last_memory FROM meta) OR seq > (SELECT seq FROM meta)",
        "memories are newer than the counters",
    ),
    (
        "SELECT count(*) FROM memories WHERE id IN (SELECT memory FROM tombstones)",
        "memories are there although they were forgotten",
    ),
    (
        "SELECT (SELECT seq FROM meta) - (SELECT removed FROM audit_chain)
            - (SELECT count(DISTINCT seq) FROM audit WHERE seq > 0)",
        "changes have no audit event",
    ),
];

//! A thorough consistency check of one memory: texts against their hashes, and counts that are
//! stored twice. References are held by the database itself. Read-only.

use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use model::ContentHash;
use store::rules::text_key;

/// Maximum number of reported problems of one kind.
const PROBLEMS_MAX: usize = 20;
/// Number of texts that are read at once.
const PAGE: i64 = 1_000;

/// Runs all checks and returns the problems.
pub(crate) fn problems(conn: &OwnerTransaction) -> SqlResult<Vec<String>> {
    let mut problems = changed_texts(conn)?;
    for (sql, sentence) in CONSISTENCY_CHECKS {
        let count: i64 = conn.one(sql, (), |row| row.get(0))?;
        if count > 0 {
            problems.push(format!("{count} {sentence}"));
        }
    }
    Ok(problems)
}

/// Compares each text with the hash that it was stored with.
fn changed_texts(conn: &OwnerTransaction) -> SqlResult<Vec<String>> {
    const SQL: &str = "SELECT id, text_key, text FROM memories
         WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3";
    let (mut problems, mut last) = (Vec::new(), 0_i64);
    loop {
        let rows = conn.rows(SQL, (last, PAGE))?;
        for row in &rows {
            last = row.get(0)?;
            if text_key(ContentHash::of_text(row.str(2)?)) != row.get::<i64>(1)? {
                problems.push(format!("the text of memory {last} is not the one that was stored"));
            }
        }
        if rows.is_empty() || problems.len() >= PROBLEMS_MAX {
            problems.truncate(PROBLEMS_MAX);
            return Ok(problems);
        }
    }
}

/// Queries that return 0 in a sound memory, with the message for any other number.
// Each compares a number that writes maintain with the rows it counts, so that a bug in a write
// shows up here and not as a wrong answer.
const CONSISTENCY_CHECKS: [(&str, &str); 7] = [
    (
        "SELECT count(*) FROM tables t WHERE t.owner = $1 AND rows <>
            (SELECT count(*) FROM records r
                LEFT JOIN memories m ON m.owner = $1 AND m.id = r.memory
             WHERE r.owner = $1 AND r.table_id = t.id AND coalesce(m.status, 0) = 0)",
        "tables have a different number of current rows than the catalogue says",
    ),
    (
        "SELECT count(*) FROM memories m WHERE m.owner = $1 AND open_flags <>
            (SELECT count(*) FROM flags WHERE owner = $1 AND memory = m.id AND settled = 0)",
        "memories have a different number of open flags than their counter says",
    ),
    (
        "SELECT count(*) FROM documents d WHERE d.owner = $1 AND sections <>
            (SELECT count(*) FROM sections WHERE owner = $1 AND document = d.id)",
        "documents have a different number of sections than their counter says",
    ),
    (
        "SELECT count(*) FROM memories m, clocks c WHERE m.owner = $1 AND c.owner = $1
            AND (m.id > c.last_memory OR m.seq > c.seq)",
        "memories are newer than the counters",
    ),
    (
        "SELECT count(*) FROM memories WHERE owner = $1
            AND id IN (SELECT memory FROM tombstones WHERE owner = $1)",
        "memories still exist although they were forgotten",
    ),
    (
        "SELECT (SELECT seq - removed FROM clocks WHERE owner = $1)
            - (SELECT count(DISTINCT seq) FROM audit WHERE owner = $1 AND seq > 0)",
        "changes have no audit event",
    ),
    (
        "SELECT count(*) FROM memories m WHERE m.owner = $1 AND m.tags IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM memory_tags WHERE owner = $1 AND memory = m.id)",
        "memories have labels that no filter finds",
    ),
];

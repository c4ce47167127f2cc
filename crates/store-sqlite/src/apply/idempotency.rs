//! Idempotency keys: a second batch under the same key changes nothing and returns the results of
//! the first.

use super::Applied;
use crate::fault::{Fault, unreadable};
use model::{AgentName, Moment, Seq, limits};
use rusqlite::{Connection, OptionalExtension};
use store::{Committed, Idempotency, Made, WriteError};

/// Returns the results of the first batch under this key, if there was one.
pub(super) fn replay(
    conn: &Connection,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
) -> Applied<Option<Committed>> {
    const SQL: &str =
        "SELECT fingerprint, seq, made FROM idempotency WHERE agent = ?1 AND key = ?2";
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(None) };
    limits::chars("idempotency key", key, limits::IDEMPOTENCY_KEY_CHARS)?;
    if key.is_empty() {
        return Err(Fault::invalid("the idempotency key is empty"));
    }
    let stored = conn
        .prepare_cached(SQL)?
        .query_row((agent.as_str(), key), |row| {
            let lines = row.get_ref(2)?.as_str()?;
            Ok((row.get::<_, [u8; 32]>(0)?, Seq(row.get(1)?), decode(lines)?))
        })
        .optional()?;
    match stored {
        None => Ok(None),
        Some((first, seq, results)) if first == fingerprint.0 => {
            Ok(Some(Committed { seq, made: results, replayed: true }))
        }
        // The same key for another request is a bug of the caller; replaying would hide it.
        Some(_) => Err(WriteError::IdempotencyMismatch.into()),
    }
}

/// Stores the results of a batch under its key.
pub(super) fn keep(
    conn: &Connection,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
    seq: Seq,
    results: &[Made],
) -> rusqlite::Result<()> {
    const SQL: &str =
        "INSERT INTO idempotency (agent, key, fingerprint, seq, made) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(()) };
    let lines = results.iter().map(Made::encode).collect::<Vec<_>>().join("\n");
    conn.prepare_cached(SQL)?.execute((agent.as_str(), key, fingerprint.0, seq.0, lines))?;
    Ok(())
}

/// Removes the keys of batches older than a moment and returns their number.
pub(crate) fn prune(conn: &Connection, before: Moment) -> rusqlite::Result<usize> {
    // A key has no time of its own, but the audit event of its batch has the same sequence number.
    // Where retention has removed the event, the batch is old enough too.
    const SQL: &str = "DELETE FROM idempotency WHERE seq IN (SELECT seq FROM audit WHERE at < ?1)
                       OR seq < (SELECT MIN(seq) FROM audit)";
    conn.execute(SQL, [before.0])
}

fn decode(lines: &str) -> rusqlite::Result<Vec<Made>> {
    let results = lines.lines().map(Made::decode).collect::<Option<Vec<_>>>();
    results.ok_or_else(|| unreadable(2, "not the results of a batch"))
}

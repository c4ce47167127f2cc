//! Idempotency keys: a second batch under the same key changes nothing and returns the results of
//! the first.

use super::ApplyResult;
use crate::error::{ApplyError, conversion_error};
use model::{AgentName, Moment, Seq, limits};
use rusqlite::{Connection, OptionalExtension};
use store::{ChangeResult, CommittedBatch, Idempotency, WriteError};

/// Returns the results of the first batch under this key, if there was one.
pub(super) fn replay(
    conn: &Connection,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
) -> ApplyResult<Option<CommittedBatch>> {
    const SQL: &str =
        "SELECT fingerprint, seq, made FROM idempotency WHERE agent = ?1 AND key = ?2";
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(None) };
    limits::chars("idempotency key", key, limits::IDEMPOTENCY_KEY_CHARS)?;
    if key.is_empty() {
        return Err(ApplyError::invalid("the idempotency key is empty"));
    }
    let stored = conn
        .prepare_cached(SQL)?
        .query_row((agent.as_str(), key), |row| {
            let lines = row.get_ref(2)?.as_str()?;
            Ok((row.get::<_, [u8; 32]>(0)?, Seq(row.get(1)?), decode_results(lines)?))
        })
        .optional()?;
    match stored {
        None => Ok(None),
        Some((first, seq, results)) if first == fingerprint.0 => {
            Ok(Some(CommittedBatch { seq, results, replayed: true, traces_owed: false }))
        }
        // The same key for another request is a bug of the caller; replaying would hide it.
        Some(_) => Err(WriteError::IdempotencyMismatch.into()),
    }
}

/// Stores the results of a batch under its key.
pub(super) fn store_results(
    conn: &Connection,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
    seq: Seq,
    results: &[ChangeResult],
) -> rusqlite::Result<()> {
    const SQL: &str =
        "INSERT INTO idempotency (agent, key, fingerprint, seq, made) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(()) };
    let lines = results.iter().map(ChangeResult::encode).collect::<Vec<_>>().join("\n");
    conn.prepare_cached(SQL)?.execute((agent.as_str(), key, fingerprint.0, seq.0, lines))?;
    Ok(())
}

/// Removes the keys of batches older than a moment and returns their number.
pub(crate) fn prune(conn: &Connection, before: Moment) -> rusqlite::Result<usize> {
    // A key has no time of its own, but the audit event of its batch has the same sequence number.
    // Where retention has removed the event, the batch is old enough too. Events of reads have the
    // number 0 and say nothing about batches.
    const SQL: &str = "DELETE FROM idempotency WHERE seq IN (SELECT seq FROM audit WHERE at < ?1)
                       OR seq < (SELECT MIN(seq) FROM audit WHERE seq > 0)";
    conn.execute(SQL, [before.0])
}

fn decode_results(lines: &str) -> rusqlite::Result<Vec<ChangeResult>> {
    let results = lines.lines().map(ChangeResult::decode).collect::<Option<Vec<_>>>();
    results.ok_or_else(|| conversion_error(2, "not the results of a batch"))
}

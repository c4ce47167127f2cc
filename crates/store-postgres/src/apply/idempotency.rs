//! Idempotency keys: a second batch under the same key changes nothing and returns the results of
//! the first.

use super::ApplyOutcome;
use crate::error::{ChangeError, SqlResult};
use crate::owner_transaction::OwnerTransaction;
use crate::stored_row::conversion_error;
use model::{AgentName, Moment, Seq, limits};
use store::{ChangeResult, CommittedBatch, Idempotency, WriteError};

const FIND: &str = "SELECT fingerprint, seq, made FROM idempotency
     WHERE owner = $1 AND agent = $2 AND key = $3";

/// Sends the query for the first batch under this key ahead.
pub(super) fn ask(
    conn: &OwnerTransaction,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
) -> SqlResult<()> {
    let Some(Idempotency { key, .. }) = idempotency else { return Ok(()) };
    conn.query_ahead(FIND, (agent.as_str(), key))
}

/// Assumes in a plan that there was no batch under this key.
pub(super) fn assume_new(conn: &OwnerTransaction, agent: &AgentName, key: &str) {
    conn.assume_empty(FIND, (agent.as_str(), key));
}

/// Returns the results of the first batch under this key, if there was one.
pub(super) fn replay(
    conn: &OwnerTransaction,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
) -> ApplyOutcome<Option<CommittedBatch>> {
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(None) };
    limits::chars("idempotency key", key, limits::IDEMPOTENCY_KEY_CHARS)?;
    if key.is_empty() {
        return Err(ChangeError::invalid("the idempotency key is empty"));
    }
    let stored = conn.first(FIND, (agent.as_str(), key), |row| {
        Ok((row.get::<[u8; 32]>(0)?, Seq(row.get(1)?), decode_results(row.str(2)?)?))
    })?;
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
    conn: &OwnerTransaction,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
    seq: Seq,
    results: &[ChangeResult],
) -> SqlResult<()> {
    const SQL: &str =
        "INSERT INTO idempotency (owner, agent, key, fingerprint, seq, made) VALUES ($1, $2, $3,
             $4, $5, $6)";
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(()) };
    let lines = results.iter().map(ChangeResult::encode).collect::<Vec<_>>().join("\n");
    conn.send(SQL, (agent.as_str(), key, fingerprint.0, seq.0, lines))?;
    Ok(())
}

/// Removes the keys of batches older than a moment and returns their number.
pub(crate) fn prune(conn: &OwnerTransaction, before: Moment) -> SqlResult<usize> {
    // A key has no time of its own, but the audit event of its batch has the same sequence number.
    // Where retention has removed the event, the batch is old enough too. Events of reads have the
    // number 0 and say nothing about batches.
    const SQL: &str = "DELETE FROM idempotency WHERE owner = $1
         AND (seq IN (SELECT seq FROM audit WHERE owner = $1 AND at < $2)
            OR seq < (SELECT min(seq) FROM audit WHERE owner = $1 AND seq > 0))";
    conn.execute(SQL, [before.0])
}

fn decode_results(lines: &str) -> SqlResult<Vec<ChangeResult>> {
    let results = lines.lines().map(ChangeResult::decode).collect::<Option<Vec<_>>>();
    results.ok_or_else(|| conversion_error(2, "not the results of a batch"))
}

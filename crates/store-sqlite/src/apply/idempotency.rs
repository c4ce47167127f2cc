//! A key under which a batch happens once: the second one answers as the first did and changes
//! nothing.

use super::Applied;
use crate::fault::{Fault, unreadable};
use model::{AgentName, Moment, Seq, limits};
use rusqlite::{Connection, OptionalExtension};
use store::{Committed, Idempotency, Made, WriteError};

/// What the first batch under this key answered.
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
    let kept = conn
        .prepare_cached(SQL)?
        .query_row((agent.as_str(), key), |row| {
            let made = row.get_ref(2)?.as_str()?;
            Ok((row.get::<_, [u8; 32]>(0)?, Seq(row.get(1)?), decode(made)?))
        })
        .optional()?;
    match kept {
        None => Ok(None),
        Some((first, seq, made)) if first == fingerprint.0 => {
            Ok(Some(Committed { seq, made, replayed: true }))
        }
        Some(_) => Err(WriteError::IdempotencyMismatch.into()),
    }
}

/// Keeps what a batch made under its key.
pub(super) fn keep(
    conn: &Connection,
    agent: &AgentName,
    idempotency: Option<&Idempotency>,
    seq: Seq,
    made: &[Made],
) -> rusqlite::Result<()> {
    const SQL: &str =
        "INSERT INTO idempotency (agent, key, fingerprint, seq, made) VALUES (?1, ?2, ?3, ?4, ?5)";
    let Some(Idempotency { key, fingerprint }) = idempotency else { return Ok(()) };
    let lines = made.iter().map(Made::encode).collect::<Vec<_>>().join("\n");
    conn.prepare_cached(SQL)?.execute((agent.as_str(), key, fingerprint.0, seq.0, lines))?;
    Ok(())
}

/// Gives up the keys of batches written before a moment. A batch and its audit event have the same
/// number; where the event is gone already, the batch is older than the owner keeps events.
pub(crate) fn prune(conn: &Connection, before: Moment) -> rusqlite::Result<usize> {
    const SQL: &str = "DELETE FROM idempotency WHERE seq IN (SELECT seq FROM audit WHERE at < ?1)
                       OR seq < (SELECT MIN(seq) FROM audit)";
    conn.execute(SQL, [before.0])
}

fn decode(lines: &str) -> rusqlite::Result<Vec<Made>> {
    let made = lines.lines().map(Made::decode).collect::<Option<Vec<_>>>();
    made.ok_or_else(|| unreadable(2, "not what a batch made"))
}

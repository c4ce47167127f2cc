//! Retention of the audit log: removes its oldest events and records the new beginning in a signed
//! checkpoint, so that the rest of the chain can still be verified.

use crate::audit_key::AuditKey;
use model::{AuditId, Moment};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use store::{Checkpoint, CheckpointKind, Mac, StoreError};

/// Removes the events older than a moment, up to the first newer one, and returns their number.
// The outer result is that of SQLite, as tasks of the writer thread have it.
pub(crate) fn remove_before(
    conn: &Connection,
    audit_key: &AuditKey,
    before: Moment,
) -> rusqlite::Result<Result<usize, StoreError>> {
    // The health check compares the number of changes with that of events, so it needs to know how
    // many events were removed on purpose.
    const COUNT: &str = "UPDATE audit_chain SET removed = removed +
        (SELECT count(*) FROM audit WHERE id <= ?1 AND seq > 0)";
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let Some((last, mac)) = last_expired(conn, before)? else { return Ok(Ok(0)) };
    // An older head would name an event that is gone.
    if let Err(error) = audit_key.sync_head(conn) {
        return Ok(Err(error));
    }
    // The checkpoint comes first: after a crash here it names an event that still exists, which the
    // verification accepts. The other way round, the removed events would count as missing.
    if let Err(error) = write_checkpoint(audit_key, last, mac, before) {
        return Ok(Err(error));
    }
    conn.execute(COUNT, [last.0])?;
    conn.execute("DELETE FROM recent_questions WHERE event <= ?1", [last.0])?;
    let removed = conn.execute("DELETE FROM audit WHERE id <= ?1", [last.0])?;
    transaction.commit()?;
    Ok(Ok(removed))
}

/// Returns the last of the events to remove, with the MAC that it carries.
fn last_expired(
    conn: &Connection,
    before: Moment,
) -> rusqlite::Result<Option<(AuditId, Option<Mac>)>> {
    // By id and not by time: clocks may go back, but only a prefix of the chain can be removed. An
    // event that is later than the newest one is from a clock that was wrong, and stops nothing.
    const SQL: &str = "SELECT id, mac FROM audit
        WHERE id < coalesce((SELECT min(id) FROM audit WHERE at >= ?1
                AND at <= (SELECT at FROM audit ORDER BY id DESC LIMIT 1)), \
            (SELECT last + 1 FROM audit_chain))
        ORDER BY id DESC LIMIT 1";
    conn.query_row(SQL, [before.0], |row| Ok((AuditId(row.get(0)?), row.get(1)?))).optional()
}

/// Writes the checkpoint of the new beginning.
fn write_checkpoint(
    audit_key: &AuditKey,
    id: AuditId,
    mac: Option<Mac>,
    at: Moment,
) -> Result<(), StoreError> {
    match mac {
        // Events from before the chain began are not part of it and need no checkpoint.
        Some(mac) if id > audit_key.chain_start()? => {
            audit_key.add_checkpoint(&Checkpoint { kind: CheckpointKind::Start, id, mac, at })
        }
        _ => Ok(()),
    }
}

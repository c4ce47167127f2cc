//! Retention of the audit log: removes its oldest events and records the new beginning in a signed
//! checkpoint, so that the rest of the chain can still be verified.

use crate::apply::add_checkpoint;
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use model::{AuditId, Moment};
use store::{ChainKey, Checkpoint, CheckpointKind, Mac};

/// Removes the events older than a moment, up to the first newer one, and returns their number.
pub(crate) fn remove_before(
    conn: &OwnerTransaction,
    key: &ChainKey,
    before: Moment,
) -> SqlResult<usize> {
    // Locks the clock, like every write. The health check compares the number of changes with that
    // of events, so it needs to know how many events were removed on purpose.
    const COUNT: &str = "UPDATE clocks SET removed = removed +
            (SELECT count(*) FROM audit WHERE owner = $1 AND id <= $2 AND seq > 0)
         WHERE owner = $1";
    const LOCK: &str = "SELECT seq FROM clocks WHERE owner = $1 FOR UPDATE";
    const WORDS: &str = "DELETE FROM recent_questions WHERE owner = $1 AND event <= $2";
    const REMOVE: &str = "DELETE FROM audit WHERE owner = $1 AND id <= $2";
    conn.rows(LOCK, ())?;
    let Some((id, mac)) = last_expired(conn, before)? else { return Ok(0) };
    let mark = Checkpoint { kind: CheckpointKind::Start, id, mac, at: before };
    add_checkpoint(conn, key, &mark)?;
    conn.execute(COUNT, [id.0])?;
    conn.execute(WORDS, [id.0])?;
    conn.execute(REMOVE, [id.0])
}

/// Returns the last of the events to remove, with the MAC that it carries.
fn last_expired(conn: &OwnerTransaction, before: Moment) -> SqlResult<Option<(AuditId, Mac)>> {
    // By id and not by time: clocks may go back, but only a prefix of the chain can be removed. An
    // event that is later than the newest one is from a clock that was wrong, and stops nothing.
    const SQL: &str = "SELECT id, mac FROM audit WHERE owner = $1
         AND id < coalesce(
            (SELECT min(id) FROM audit WHERE owner = $1 AND at >= $2 AND at <=
                (SELECT at FROM audit WHERE owner = $1 ORDER BY id DESC LIMIT 1)),
            (SELECT last_event + 1 FROM clocks WHERE owner = $1))
         ORDER BY id DESC LIMIT 1";
    conn.first(SQL, [before.0], |row| Ok((AuditId(row.get(0)?), row.get(1)?)))
}

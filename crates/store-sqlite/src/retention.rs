//! Retention of the audit log: removes its oldest events, and says with a signed checkpoint that it
//! did, so that the rest of the chain still holds.

use crate::seals::Seals;
use model::{AuditId, Moment};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use store::{Mac, Mark, MarkKind, StoreError};

/// Removes the events from before a moment, as far as nothing newer stands among them. Answers how
/// many.
pub(crate) fn remove_before(
    conn: &Connection,
    seals: &Seals,
    before: Moment,
) -> rusqlite::Result<Result<usize, StoreError>> {
    const COUNT: &str = "UPDATE audit_chain SET removed = removed +
        (SELECT count(*) FROM audit WHERE id <= ?1 AND seq > 0)";
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    let Some((last, mac)) = last_to_go(conn, before)? else { return Ok(Ok(0)) };
    // The checkpoint comes first: if we break off here, it names an event that is still there, and
    // that holds.
    if let Err(error) = say_so(seals, last, mac, before) {
        return Ok(Err(error));
    }
    conn.execute(COUNT, [last.0])?;
    let removed = conn.execute("DELETE FROM audit WHERE id <= ?1", [last.0])?;
    transaction.commit()?;
    Ok(Ok(removed))
}

/// The last event of those that go, with the value of the chain after it.
fn last_to_go(
    conn: &Connection,
    before: Moment,
) -> rusqlite::Result<Option<(AuditId, Option<Mac>)>> {
    const SQL: &str = "SELECT id, mac FROM audit
        WHERE id < coalesce((SELECT min(id) FROM audit WHERE at >= ?1), (SELECT last + 1 FROM audit_chain))
        ORDER BY id DESC LIMIT 1";
    conn.query_row(SQL, [before.0], |row| Ok((AuditId(row.get(0)?), row.get(1)?))).optional()
}

/// Events from before the chain began need no checkpoint: it says nothing of them anyway.
fn say_so(seals: &Seals, id: AuditId, mac: Option<Mac>, at: Moment) -> Result<(), StoreError> {
    match mac {
        Some(mac) if id > seals.beginning()? => {
            seals.add(&Mark { kind: MarkKind::Begin, id, mac, at })
        }
        _ => Ok(()),
    }
}

//! Chains the audit log of a memory that came from elsewhere, from its oldest event to its newest,
//! under the key of the servers.

use crate::apply::add_checkpoint;
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use model::{AuditId, Moment};
use store::{CHAIN_START, ChainHead, ChainKey, Checkpoint, CheckpointKind, Mac};

/// Number of events that are read at once.
const PAGE: i64 = 2_000;

/// Chains all events, and states the beginning and the end of the chain in signed checkpoints.
pub(super) fn chain_again(
    conn: &OwnerTransaction,
    key: &ChainKey,
    last: i64,
    at: Moment,
) -> SqlResult<()> {
    const FIRST: &str = "SELECT coalesce(min(id) - 1, $2) FROM audit WHERE owner = $1";
    const HEAD: &str = "UPDATE clocks SET last_event = $2, mac = $3, seal = $4, marked = $2,
            marked_at = $5 WHERE owner = $1";
    let start = AuditId(conn.one(FIRST, [last], |row| row.get(0))?);
    let mark = |kind, id, mac| add_checkpoint(conn, key, &Checkpoint { kind, id, mac, at });
    mark(CheckpointKind::Start, start, CHAIN_START)?;
    let mac = chain_events(conn, key)?;
    let head = ChainHead::new(key, AuditId(last), mac);
    conn.execute(HEAD, (last, head.mac, head.seal, at.0))?;
    mark(CheckpointKind::Reached, head.id, head.mac)
}

/// Gives each event its MAC, and returns that of the newest.
fn chain_events(conn: &OwnerTransaction, key: &ChainKey) -> SqlResult<Mac> {
    const EVENTS: &str =
        "SELECT e.id, e.seq, e.resource, e.outcome, e.at, e.duration_us, e.arguments, e.note,
            a.agent, a.client, a.dialect, a.tool
         FROM audit e JOIN authors a ON a.owner = $1 AND a.id = e.author
         WHERE e.owner = $1 AND e.id > $2 ORDER BY e.id LIMIT $3";
    const CHAIN: &str = "UPDATE audit SET mac = $3 WHERE owner = $1 AND id = $2";
    let (mut mac, mut last) = (CHAIN_START, i64::MIN);
    loop {
        let rows = conn.rows(EVENTS, (last, PAGE))?;
        for row in &rows {
            let event = row::event(row)?;
            mac = key.next_mac(&mac, &event);
            last = event.id.0;
            conn.execute(CHAIN, (last, mac))?;
        }
        if rows.is_empty() {
            return Ok(mac);
        }
    }
}

//! Verification of the audit chain: feeds all events, oldest first, to the verifier of `store`.

use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use model::AuditId;
use store::{ChainHead, ChainKey, ChainReport, ChainVerifier, Mac};

/// Number of events that are read at once.
const PAGE: i64 = 5_000;

/// Verifies every event against the chain, and the chain against its checkpoints.
pub(crate) fn verify(conn: &OwnerTransaction, key: &ChainKey) -> SqlResult<ChainReport> {
    // LEFT JOIN, so that an event whose author was deleted is reported and not skipped.
    const EVENTS: &str =
        "SELECT e.id, e.seq, e.resource, e.outcome, e.at, e.duration_us, e.arguments, e.note,
            a.agent, a.client, a.dialect, a.tool, e.mac
         FROM audit e LEFT JOIN authors a ON a.owner = $1 AND a.id = e.author
         WHERE e.owner = $1 AND e.id > $2 ORDER BY e.id LIMIT $3";
    const LINES: &str = "SELECT line FROM checkpoints WHERE owner = $1 ORDER BY number";
    let lines: Vec<String> = conn.all(LINES, (), |row| row.get(0))?;
    let mut verifier = ChainVerifier::new(key, lines.iter().map(String::as_str));
    let mut last = i64::MIN;
    loop {
        let rows = conn.rows(EVENTS, (last, PAGE))?;
        for row in &rows {
            // A MAC of the wrong length counts as none; the verifier reports it.
            let carried = row.get(12).ok();
            last = row.get(0)?;
            match row::event(row) {
                Ok(event) => verifier.check_event(&event, carried),
                Err(_) => verifier.report_unreadable(AuditId(last), carried),
            }
        }
        if rows.is_empty() {
            return Ok(verifier.finish(&read_head(conn)?));
        }
    }
}

/// Returns the MAC that an event carries.
pub(crate) fn mac(conn: &OwnerTransaction, id: AuditId) -> SqlResult<Option<Mac>> {
    const SQL: &str = "SELECT mac FROM audit WHERE owner = $1 AND id = $2";
    conn.first(SQL, [id.0], |row| row.get(0))
}

fn read_head(conn: &OwnerTransaction) -> SqlResult<ChainHead> {
    const SQL: &str = "SELECT last_event, mac, seal FROM clocks WHERE owner = $1";
    conn.one(SQL, (), |row| {
        Ok(ChainHead { id: AuditId(row.get(0)?), mac: row.get(1)?, seal: row.get(2)? })
    })
}

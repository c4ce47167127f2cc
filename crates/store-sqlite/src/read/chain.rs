//! Verification of the audit chain: feeds all events, oldest first, to the verifier of `store`.

use crate::row;
use model::AuditId;
use rusqlite::{Connection, OptionalExtension};
use store::{ChainHead, ChainReport, ChainVerifier, Mac};

/// Verifies every event against the chain, and the chain against what the verifier knows of it.
pub(crate) fn verify(
    conn: &Connection,
    mut verifier: ChainVerifier<'_>,
) -> rusqlite::Result<ChainReport> {
    // LEFT JOIN, so that an event whose author was deleted is reported and not skipped.
    const EVENTS: &str =
        "SELECT e.id, e.seq, e.resource, e.outcome, e.at, e.duration_us, e.arguments, e.note,
            a.agent, a.client, a.dialect, a.tool, e.mac
        FROM audit e LEFT JOIN authors a ON a.id = e.author ORDER BY e.id";
    let mut statement = conn.prepare(EVENTS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        // A MAC of the wrong length counts as none; the verifier reports it.
        let carried = row.get(12).ok().flatten();
        match row::event(row) {
            Ok(event) => verifier.check_event(&event, carried),
            Err(_) => verifier.report_unreadable(AuditId(row.get(0)?), carried),
        }
    }
    Ok(verifier.finish(&read_head(conn)?))
}

/// Returns the MAC that an event carries.
pub(crate) fn mac(conn: &Connection, id: AuditId) -> rusqlite::Result<Option<Mac>> {
    const SQL: &str = "SELECT mac FROM audit WHERE id = ?1";
    let found: Option<Option<Mac>> =
        conn.prepare_cached(SQL)?.query_row([id.0], |row| row.get(0)).optional()?;
    Ok(found.flatten())
}

fn read_head(conn: &Connection) -> rusqlite::Result<ChainHead> {
    conn.query_one("SELECT last, mac, seal FROM audit_chain", [], |row| {
        Ok(ChainHead { id: AuditId(row.get(0)?), mac: row.get(1)?, seal: row.get(2)? })
    })
}

//! The audit event of a batch, and what was read: both commit with what they tell of.

use super::{Applied, Applying, Ledger, usage};
use crate::codes;
use model::{AuditEvent, AuditId, MemoryId, Moment, Seq};
use rusqlite::Connection;
use store::Use;

/// Notes what was read. Takes no sequence number: no view shows it.
pub(crate) fn note_uses(conn: &Connection, ledger: &mut Ledger<'_>, uses: &[Use]) -> Applied<()> {
    for one in uses {
        let (event, at) = (write_event(conn, ledger, &one.event, Seq::ZERO)?, one.event.at);
        for memory in &one.memories {
            count_use(conn, *memory, at)?;
            usage::note_shown(conn, *memory, event)?;
        }
        let agent = &one.event.author.agent;
        one.asked.as_ref().map_or(Ok(()), |asked| usage::note_asked(conn, asked, agent, at))?;
    }
    Ok(())
}

impl Applying<'_, '_> {
    /// Writes the event that tells of the batch.
    pub(super) fn tell(&mut self, event: &AuditEvent) -> Applied<()> {
        write_event(self.conn, self.ledger, event, self.seq).map(drop)
    }
}

fn write_event(
    conn: &Connection,
    ledger: &mut Ledger<'_>,
    event: &AuditEvent,
    seq: Seq,
) -> Applied<AuditId> {
    const SQL: &str =
        "INSERT INTO audit (id, seq, author, outcome, at, duration_us, resource, arguments, note, mac)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let author = ledger.author(conn, &event.author)?;
    let duration = i64::try_from(event.duration_us).unwrap_or(i64::MAX);
    let told = AuditEvent { seq, duration_us: duration.unsigned_abs(), ..event.clone() };
    let (told, mac) = ledger.next_event(told);
    let outcome = codes::of_outcome(told.outcome);
    let (resource, arguments, note) = (&told.resource, told.arguments.0, &told.note);
    let params =
        (told.id.0, seq.0, author, outcome, told.at.0, duration, resource, arguments, note, mac);
    conn.prepare_cached(SQL)?.execute(params)?;
    Ok(told.id)
}

/// A memory that was forgotten since it was read is passed over.
fn count_use(conn: &Connection, memory: MemoryId, at: Moment) -> rusqlite::Result<()> {
    const SQL: &str = "INSERT INTO uses (memory, count, last) SELECT id, 1, ?2 FROM memories WHERE id = ?1
                       ON CONFLICT (memory) DO UPDATE SET count = count + 1, last = max(last, excluded.last)";
    conn.prepare_cached(SQL)?.execute((memory.0, at.0))?;
    Ok(())
}

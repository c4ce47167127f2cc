//! Audit events of batches and of reads. Each commits in the same transaction as what it records.

use super::{ApplyResult, BatchContext, TransactionCounters, usage};
use crate::enum_codes;
use model::{AuditEvent, AuditId, MemoryId, Moment, Seq};
use rusqlite::Connection;
use std::collections::BTreeMap;
use store::ReadEvent;

/// Logs reads: their events, use counts and questions.
pub(crate) fn log_reads(
    conn: &Connection,
    counters: &mut TransactionCounters<'_>,
    uses: &[ReadEvent],
) -> ApplyResult<()> {
    // A memory that many of these reads returned is counted and trimmed once.
    let mut counts: BTreeMap<MemoryId, (u32, Moment)> = BTreeMap::new();
    for read in uses {
        // No sequence number: a use count is not part of any search index, which would otherwise
        // have to be updated after every read.
        let (event, at) = (write_event(conn, counters, &read.event, Seq::ZERO)?, read.event.at);
        for memory in &read.memories {
            let (count, last) = counts.entry(*memory).or_insert((0, at));
            (*count, *last) = (count.saturating_add(1), at.max(*last));
            usage::log_showing(conn, *memory, event)?;
        }
        usage::log_question(conn, read, event)?;
    }
    for (memory, (count, last)) in counts {
        add_uses(conn, memory, count, last)?;
        usage::trim_showings(conn, memory)?;
    }
    Ok(())
}

impl BatchContext<'_, '_> {
    /// Writes the audit event of the batch.
    pub(super) fn write_audit_event(&mut self, event: &AuditEvent) -> ApplyResult<()> {
        write_event(self.conn, self.counters, event, self.seq).map(drop)
    }
}

fn write_event(
    conn: &Connection,
    counters: &mut TransactionCounters<'_>,
    event: &AuditEvent,
    seq: Seq,
) -> ApplyResult<AuditId> {
    const SQL: &str =
        "INSERT INTO audit (id, seq, author, outcome, at, duration_us, resource, arguments, note, \
                       mac)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let author = counters.author(conn, &event.author)?;
    // The MAC covers the event exactly as it will be read back, so the duration is clamped to what
    // the column holds before the MAC is computed.
    let duration = i64::try_from(event.duration_us).unwrap_or(i64::MAX);
    let event = AuditEvent { seq, duration_us: duration.unsigned_abs(), ..event.clone() };
    let (event, mac) = counters.next_event(event);
    let outcome = enum_codes::outcome_code(event.outcome);
    let (resource, arguments, note) = (&event.resource, event.arguments.0, &event.note);
    let params =
        (event.id.0, seq.0, author, outcome, event.at.0, duration, resource, arguments, note, mac);
    conn.prepare_cached(SQL)?.execute(params)?;
    Ok(event.id)
}

fn add_uses(conn: &Connection, memory: MemoryId, count: u32, last: Moment) -> rusqlite::Result<()> {
    // INSERT … SELECT inserts nothing for a memory that was forgotten since it was read.
    const SQL: &str = "INSERT INTO uses (memory, count, last) \
                       SELECT id, ?2, ?3 FROM memories WHERE id = ?1
                       ON CONFLICT (memory) DO UPDATE SET count = count + excluded.count, \
                       last = max(last, excluded.last)";
    conn.prepare_cached(SQL)?.execute((memory.0, count, last.0))?;
    Ok(())
}

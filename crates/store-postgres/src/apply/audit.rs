//! Audit events of batches and of reads. Each commits in the same transaction as what it records.

use super::{ApplyOutcome, BatchTransaction, ClockCounters, usage};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use model::{AuditEvent, AuditId, MemoryId, Moment, Seq};
use std::collections::BTreeMap;
use store::ReadEvent;
use store::rules::codes;

/// Logs reads: their events, use counts and questions.
pub(crate) fn log_reads(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    uses: &[ReadEvent],
) -> ApplyOutcome<()> {
    // A memory that many of these reads returned is counted and trimmed once.
    let mut counts: BTreeMap<MemoryId, (u32, Moment)> = BTreeMap::new();
    for read in uses {
        // No sequence number: a use count is not part of any search index, which would otherwise
        // have to be updated after every read.
        let (event, at) = (write_event(conn, counters, &read.event, Seq::ZERO)?, read.event.at);
        for memory in &read.memories {
            let (count, last) = counts.entry(*memory).or_insert((0, at));
            (*count, *last) = (count.saturating_add(1), at.max(*last));
        }
        usage::log_showings(conn, &read.memories, event)?;
        usage::log_question(conn, counters, read, event)?;
    }
    for (memory, (count, last)) in counts {
        add_uses(conn, memory, count, last)?;
        usage::trim_showings(conn, memory)?;
    }
    Ok(())
}

impl BatchTransaction<'_> {
    /// Writes the audit event of the batch.
    pub(super) fn write_audit_event(&mut self, event: &AuditEvent) -> ApplyOutcome<()> {
        write_event(self.conn, self.counters, event, self.seq).map(drop)
    }
}

fn write_event(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    event: &AuditEvent,
    seq: Seq,
) -> ApplyOutcome<AuditId> {
    const SQL: &str =
        "INSERT INTO audit (owner, id, seq, author, outcome, at, duration_us, resource, arguments,
             note, \
                       mac)
                       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let author = counters.author(conn, &event.author)?;
    // The MAC covers the event exactly as it will be read back, so the duration is clamped to what
    // the column holds before the MAC is computed.
    let duration = i64::try_from(event.duration_us).unwrap_or(i64::MAX);
    let event = AuditEvent { seq, duration_us: duration.unsigned_abs(), ..event.clone() };
    let (event, mac) = counters.next_event(event);
    let outcome = codes::outcome_code(event.outcome);
    let (resource, arguments, note) = (&event.resource, event.arguments.0, &event.note);
    let params =
        (event.id.0, seq.0, author, outcome, event.at.0, duration, resource, arguments, note, mac);
    conn.send(SQL, params)?;
    Ok(event.id)
}

fn add_uses(conn: &OwnerTransaction, memory: MemoryId, count: u32, last: Moment) -> SqlResult<()> {
    // INSERT … SELECT inserts nothing for a memory that was forgotten since it was read.
    const SQL: &str = "INSERT INTO uses (owner, memory, count, last)
         SELECT owner, id, $3::bigint, $4::bigint FROM memories WHERE owner = $1 AND id = $2
         ON CONFLICT (owner, memory) DO UPDATE SET count = uses.count + excluded.count,
            last = greatest(uses.last, excluded.last)";
    conn.send(SQL, (memory.0, count, last.0))?;
    Ok(())
}

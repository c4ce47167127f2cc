//! A write of one job that was planned without the database: the clock is advanced if everything is
//! as the plan assumes, then the rows are written with the commit. Nothing was changed if the plan
//! turns out to be wrong.

use crate::apply::{ClockCounters, ahead};
use crate::error::SqlResult;
use crate::group_commit::{self, CommitAttempt};
use crate::known_clocks::KnownClock;
use crate::owner_transaction::OwnerTransaction;
use crate::planned_queue;
use crate::postgres_store::PostgresStore;
use crate::statement_plan::PlannedStatement;
use crate::write_queue::{JobOutcome, WriteJob};
use model::OwnerId;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Maximum bytes of a job that is planned: planning holds up the other connections.
const BYTES_MAX: usize = 64 * 1024;

/// A write that is ready to be sent.
pub(crate) struct PlannedWrite {
    pub(crate) owner: OwnerId,
    /// Advances the clock, unless it or what the plan assumes has changed.
    pub(crate) advance: PlannedStatement,
    pub(crate) rows: Vec<PlannedStatement>,
    pub(crate) counters: ClockCounters,
    pub(crate) outcome: JobOutcome,
    /// Approximate size of the job.
    pub(crate) bytes: usize,
}

/// Writes a job as planned. Returns `None`, having changed nothing, if it has to be written without
/// a plan.
pub(crate) async fn attempt(
    store: &PostgresStore,
    owner: &OwnerId,
    known: &KnownClock,
    jobs: &[WriteJob],
) -> SqlResult<Option<CommitAttempt>> {
    let [job] = jobs else { return Ok(None) };
    if !known.is_undisturbed || job.bytes() > BYTES_MAX {
        return Ok(None);
    }
    // A panic ends the attempt without a plan, on a thread of its own, and not the queue.
    let planned = catch_unwind(AssertUnwindSafe(|| plan(owner, known, job)));
    let Ok(Some(planned)) = planned else { return Ok(None) };
    planned_queue::commit(store, planned).await
}

/// Plans a job, unless that takes answers of the database or the job is refused.
fn plan(owner: &OwnerId, known: &KnownClock, job: &WriteJob) -> Option<PlannedWrite> {
    let (conn, mut counters) = (OwnerTransaction::planned(owner.as_str()), known.counters.clone());
    let unless = ahead::assume(&conn, job);
    let outcome = Ok(group_commit::apply_job(&conn, &mut counters, job).ok()?);
    if !counters.has_advanced() {
        return None;
    }
    counters.write_checkpoint(&conn).ok()?;
    let advance = counters.advance(owner.as_str(), &unless);
    let (owner, rows, bytes) = (owner.clone(), conn.into_plan()?, job.bytes());
    Some(PlannedWrite { owner, advance, rows, counters, outcome, bytes })
}

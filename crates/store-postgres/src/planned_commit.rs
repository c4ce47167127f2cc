//! A write of one job that was planned without the database, in two round trips on the thread of
//! the connections: the clock is advanced if everything is as the plan assumes, then the rows are
//! written with the commit. Nothing was changed if the plan turns out to be wrong.

use crate::apply::{ClockCounters, ahead};
use crate::connect;
use crate::error::{SqlResult, StatementError};
use crate::group_commit::{self, CommitAttempt};
use crate::known_clocks::KnownClock;
use crate::owner_transaction::OwnerTransaction;
use crate::postgres_store::{PostgresStore, begin};
use crate::statement_plan::PlannedStatement;
use crate::transaction::parameters;
use crate::write_queue::{JobOutcome, WriteJob};
use deadpool_postgres::Object;
use futures_util::FutureExt;
use futures_util::future::{join, try_join_all};
use metrics::TRACE_TARGET;
use metrics::catalogue::PLANNED_WRITES;
use model::OwnerId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio_postgres::Statement;
use tracing::Instrument;

/// Maximum bytes of a job that is planned: planning holds up the other connections.
const BYTES_MAX: usize = 64 * 1024;
/// Round trips of a planned write.
const ROUND_TRIPS: u64 = 2;

/// A write that is ready to be sent.
struct PlannedWrite {
    /// Advances the clock, unless it or what the plan assumes has changed.
    advance: PlannedStatement,
    rows: Vec<PlannedStatement>,
    counters: ClockCounters,
    outcome: JobOutcome,
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
    let span = tracing::info_span!(
        target: TRACE_TARGET, "store.transaction", round_trips = ROUND_TRIPS,
    );
    let client = connect::take(&store.inner.pool).await?;
    send(OpenConnection(Some(client)), owner, planned).instrument(span).await
}

/// Plans a job, unless that takes answers of the database or the job is refused.
fn plan(owner: &OwnerId, known: &KnownClock, job: &WriteJob) -> Option<PlannedWrite> {
    let (conn, mut counters) = (OwnerTransaction::planned(owner.as_str()), known.counters.clone());
    let unless = ahead::assume(&conn, job);
    let outcome = group_commit::apply_job(&conn, &mut counters, job).ok()?;
    if !counters.has_advanced() {
        return None;
    }
    counters.write_checkpoint(&conn).ok()?;
    let advance = counters.advance(owner.as_str(), &unless);
    Some(PlannedWrite { advance, rows: conn.into_plan()?, counters, outcome: Ok(outcome) })
}

/// A connection with an open transaction. Dropped, it is closed: the next user of the pool would be
/// inside of the transaction.
struct OpenConnection(Option<Object>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        if let Some(client) = self.0.take() {
            drop(Object::take(client));
        }
    }
}

async fn send(
    mut open: OpenConnection,
    owner: &OwnerId,
    planned: PlannedWrite,
) -> SqlResult<Option<CommitAttempt>> {
    let Some(client) = &open.0 else { return Ok(None) };
    // Before the transaction, which waits for nothing but its own statements.
    let advance = client.prepare_cached(&planned.advance.sql).await?;
    let mut rows = Vec::with_capacity(planned.rows.len());
    for row in &planned.rows {
        rows.push(client.prepare_cached(&row.sql).await?);
    }
    if !advance_clock(client, owner, &advance, &planned.advance).await? {
        if let Some(client) = open.0.take() {
            PLANNED_WRITES.count(&[("outcome", "overtaken")]);
            tokio::spawn(connect::roll_back(client));
        }
        return Ok(None);
    }
    match commit_rows(client, &rows, &planned.rows).await {
        Ok(()) => {
            PLANNED_WRITES.count(&[("outcome", "kept")]);
            drop(open.0.take());
            let (outcomes, counters) = (vec![planned.outcome], Some(Box::new(planned.counters)));
            Ok(Some(CommitAttempt::Done { outcomes, counters }))
        }
        Err(CommitError::InDoubt(error)) => {
            let (outcomes, newest) = (vec![planned.outcome], planned.counters.newest_event());
            Ok(Some(CommitAttempt::InDoubt { outcomes, newest, error }))
        }
        Err(CommitError::NotCommitted(error)) => Err(error),
    }
}

/// Begins the transaction and advances the clock. Returns false if the plan does not hold.
async fn advance_clock(
    client: &Object,
    owner: &OwnerId,
    prepared: &Statement,
    advance: &PlannedStatement,
) -> SqlResult<bool> {
    let (begin, values) = (begin(owner, "BEGIN"), parameters(&advance.values));
    let begun = client.batch_execute(&begin);
    // Both are polled at once, so that the second is sent without waiting for the first.
    let (begun, advanced) = join(begun, client.execute(prepared, &values)).await;
    begun?;
    Ok(advanced? == 1)
}

/// The reason why rows were not written.
enum CommitError {
    NotCommitted(StatementError),
    /// The connection was lost when the commit was sent.
    InDoubt(StatementError),
}

/// Sends the rows with the commit, and returns once the database has acknowledged it.
async fn commit_rows(
    client: &Object,
    prepared: &[Statement],
    rows: &[PlannedStatement],
) -> Result<(), CommitError> {
    let values: Vec<_> = rows.iter().map(|row| parameters(&row.values)).collect();
    let mut sent = Vec::with_capacity(rows.len());
    for (statement, values) in prepared.iter().zip(&values) {
        let mut answer = Box::pin(client.execute(statement, values));
        match (&mut answer).now_or_never() {
            None => sent.push(answer),
            Some(Ok(_)) => {}
            // Perhaps not sent, and so the commit must not be.
            Some(Err(error)) => {
                return Err(CommitError::NotCommitted(StatementError::Earlier(error)));
            }
        }
    }
    // All are taken: the connection delivers nothing behind an answer that nobody takes.
    let (outcome, committed) = join(try_join_all(sent), client.batch_execute("COMMIT")).await;
    outcome.map_err(StatementError::Earlier).and(committed.map_err(StatementError::from)).map_err(
        |error| match error.is_connection_loss() {
            true => CommitError::InDoubt(error),
            false => CommitError::NotCommitted(error),
        },
    )
}

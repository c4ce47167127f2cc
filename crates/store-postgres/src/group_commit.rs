//! A group of writes in one transaction. A request that is refused is rolled back alone. A group
//! whose connection is lost is tried again; when the loss left open whether the commit took place,
//! the newest event of the audit log tells, so that nothing is written twice.

use crate::apply::{self, ClockCounters, ahead};
use crate::error::{ChangeError, SqlResult, StatementError};
use crate::master_key::MasterKey;
use crate::owner_transaction::OwnerTransaction;
use crate::planned_commit;
use crate::postgres_store::PostgresStore;
use crate::transaction::Sending;
use crate::write_queue::{JobOutcome, WriteJob};
use metrics::Stopwatch;
use metrics::catalogue::{DATABASE_ERRORS, WRITE_GROUP_SECONDS, WRITE_GROUP_SIZE};
use model::{AuditId, OwnerId};
use std::sync::Arc;
use std::time::Duration;
use store::{CommittedBatch, Mac, StoreError, WriteError};

/// Attempts to write a group before its error goes to the callers.
// About twelve seconds in all, in which most databases fail over to a replica.
const ATTEMPTS_MAX: u32 = 8;
/// Pause before the second attempt; it doubles with each.
const PAUSE: Duration = Duration::from_millis(50);

/// The error of a write of which nobody can tell whether it took place.
const IN_DOUBT: &str = "the database server was lost while it saved, and it is not known whether \
    it did; repeat the call with the same idempotency key";

/// Writes a group and returns the outcome of each job. Every error is the outcome of all.
pub(crate) async fn commit(
    store: &PostgresStore,
    owner: &OwnerId,
    jobs: Vec<WriteJob>,
) -> Vec<JobOutcome> {
    WRITE_GROUP_SIZE.observe(&[], jobs.len() as f64);
    let (jobs, watch) = (Arc::new(jobs), Stopwatch::start());
    let outcomes = commit_group(store, owner, &jobs).await;
    watch.observe(&WRITE_GROUP_SECONDS, &[]);
    outcomes
}

async fn commit_group(
    store: &PostgresStore,
    owner: &OwnerId,
    jobs: &Arc<Vec<WriteJob>>,
) -> Vec<JobOutcome> {
    let (mut attempt, mut sending) = (1, Sending::Pipelined);
    loop {
        let error = match try_commit(store, owner, Arc::clone(jobs), sending).await {
            Ok(outcomes) => return outcomes,
            Err(error) => error,
        };
        DATABASE_ERRORS.count(&[("kind", error.kind())]);
        let again = error.is_connection_loss() || error.is_serialization_failure();
        // Nothing of the group was committed, and one by one its statements tell which job it was.
        if !again && error.is_earlier() && sending == Sending::Pipelined {
            sending = Sending::OneByOne;
            continue;
        }
        if !again || attempt == ATTEMPTS_MAX {
            let error = WriteError::Store(StoreError::from(error));
            return jobs.iter().map(|_| Err(error.clone())).collect();
        }
        tracing::warn!(?error, attempt, "a write is tried again");
        tokio::time::sleep(PAUSE * 2_u32.pow(attempt - 1)).await;
        attempt += 1;
    }
}

/// The end of one attempt.
pub(crate) enum CommitAttempt {
    Done {
        outcomes: Vec<JobOutcome>,
        /// The clock, if something was committed.
        counters: Option<Box<ClockCounters>>,
    },
    /// The connection was lost during the commit.
    InDoubt { outcomes: Vec<JobOutcome>, newest: (AuditId, Mac), error: StatementError },
}

async fn try_commit(
    store: &PostgresStore,
    owner: &OwnerId,
    jobs: Arc<Vec<WriteJob>>,
    sending: Sending,
) -> SqlResult<Vec<JobOutcome>> {
    let clocks = &store.inner.clocks;
    // Unknown until the commit is acknowledged.
    let known = clocks.take(owner);
    let planned = match &known {
        Some(known) if sending == Sending::Pipelined => {
            planned_commit::attempt(store, owner, known, &jobs).await?
        }
        _ => None,
    };
    let attempt = match planned {
        Some(attempt) => attempt,
        None => attempt_unplanned(store, owner, jobs, sending).await?,
    };
    match attempt {
        CommitAttempt::Done { outcomes, counters } => {
            let known = known.map(|known| known.counters.newest_event());
            if let Some(counters) = counters {
                clocks.put(owner, *counters, known);
            }
            Ok(outcomes)
        }
        CommitAttempt::InDoubt { outcomes, newest, error } => {
            match was_committed(store, owner, newest).await {
                Ok(true) => Ok(outcomes),
                Ok(false) => Err(error),
                // Not to be tried again: it may have been written.
                Err(_) => {
                    DATABASE_ERRORS.count(&[("kind", "in_doubt")]);
                    Err(StatementError::Refused(StoreError::Unusable { why: IN_DOUBT }))
                }
            }
        }
    }
}

async fn attempt_unplanned(
    store: &PostgresStore,
    owner: &OwnerId,
    jobs: Arc<Vec<WriteJob>>,
    sending: Sending,
) -> SqlResult<CommitAttempt> {
    let master_key = store.inner.master_key.clone();
    let attempt = move |mut conn: OwnerTransaction| {
        conn.set_sending(sending);
        attempt(conn, &master_key, &jobs)
    };
    store.in_transaction(owner, "BEGIN", attempt).await
}

fn attempt(conn: OwnerTransaction, key: &MasterKey, jobs: &[WriteJob]) -> SqlResult<CommitAttempt> {
    match apply_group(&conn, key, jobs) {
        Ok((outcomes, None)) => {
            conn.end();
            Ok(CommitAttempt::Done { outcomes, counters: None })
        }
        Ok((outcomes, Some(counters))) => match conn.commit() {
            Ok(()) => Ok(CommitAttempt::Done { outcomes, counters: Some(Box::new(counters)) }),
            Err(error) if error.is_connection_loss() => {
                let newest = counters.newest_event();
                Ok(CommitAttempt::InDoubt { outcomes, newest, error })
            }
            Err(error) => Err(error),
        },
        Err(error) => {
            conn.end();
            Err(error)
        }
    }
}

/// The outcomes of a group, with the clock if there is something to commit.
type AppliedGroup = (Vec<JobOutcome>, Option<ClockCounters>);

fn apply_group(
    conn: &OwnerTransaction,
    key: &MasterKey,
    jobs: &[WriteJob],
) -> SqlResult<AppliedGroup> {
    if let Some(first) = jobs.first() {
        ahead::ask(conn, None, first)?;
    }
    let mut counters = match ClockCounters::lock(conn, key) {
        Ok(counters) => counters,
        Err(ChangeError::Sql(error)) => return Err(error),
        Err(ChangeError::Refused(error)) => {
            return Ok((jobs.iter().map(|_| Err(error.clone())).collect(), None));
        }
    };
    let outcomes = match jobs {
        // A refusal of the only request rolls back the whole transaction; it needs no savepoint.
        [only] => vec![refusal_or_error(apply_job(conn, &mut counters, only))?],
        several => (several.iter().enumerate())
            .map(|(nth, job)| apply_in_savepoint(conn, &mut counters, job, nth == 0))
            .collect::<SqlResult<Vec<_>>>()?,
    };
    if outcomes.iter().all(Result::is_err) {
        return Ok((outcomes, None));
    }
    counters.write(conn)?;
    Ok((outcomes, Some(counters)))
}

/// Applies one job in a savepoint, so that it can be rolled back alone.
fn apply_in_savepoint(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    job: &WriteJob,
    was_asked: bool,
) -> SqlResult<JobOutcome> {
    let savepoint = counters.savepoint();
    conn.defer("SAVEPOINT work");
    if !was_asked {
        ahead::ask(conn, Some(counters), job)?;
    }
    let outcome = refusal_or_error(apply_job(conn, counters, job))?;
    if outcome.is_err() {
        // The error of a job before this one must end the transaction here: rolled back to the
        // savepoint, the transaction would go on without that job.
        conn.wait_for_sent()?;
        // The clock is in memory while the transaction is open, so it is reset as well.
        conn.defer("ROLLBACK TO work");
        counters.roll_back_to(savepoint);
    }
    conn.defer("RELEASE work");
    Ok(outcome)
}

/// Applies one job; a refusal concerns only this one.
pub(crate) fn apply_job(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    job: &WriteJob,
) -> Result<Option<CommittedBatch>, ChangeError> {
    match job {
        WriteJob::Batch(batch) => apply::apply_batch(conn, counters, batch).map(Some),
        WriteJob::Reads(uses) => apply::log_reads(conn, counters, uses).map(|()| None),
        WriteJob::Usage(served) => apply::usage::add_usage(conn, served).map(|()| None),
    }
}

/// Separates a refusal of one request from an error that ends the whole transaction.
fn refusal_or_error(applied: Result<Option<CommittedBatch>, ChangeError>) -> SqlResult<JobOutcome> {
    match applied {
        Ok(done) => Ok(Ok(done)),
        Err(ChangeError::Refused(error)) => Ok(Err(error)),
        Err(ChangeError::Sql(error)) if error.is_request_error() => {
            Ok(Err(StoreError::from(error).into()))
        }
        Err(ChangeError::Sql(error)) => Err(error),
    }
}

/// Returns whether the commit whose answer was lost took place.
async fn was_committed(
    store: &PostgresStore,
    owner: &OwnerId,
    newest: (AuditId, Mac),
) -> SqlResult<bool> {
    // The lock waits until the lost transaction has ended, one way or the other.
    const LOCK: &str = "SELECT seq FROM clocks WHERE owner = $1 FOR UPDATE";
    const FIND: &str = "SELECT EXISTS
        (SELECT 1 FROM audit WHERE owner = $1 AND id = $2 AND mac = $3)";
    let (id, mac) = newest;
    let find = move |conn: OwnerTransaction| {
        let found =
            conn.rows(LOCK, ()).and_then(|_| conn.one(FIND, (id.0, mac), |row| row.get::<bool>(0)));
        conn.end();
        found
    };
    let mut attempt = 1;
    loop {
        match store.in_transaction(owner, "BEGIN", find).await {
            Err(error) if error.is_connection_loss() && attempt < ATTEMPTS_MAX => {
                tokio::time::sleep(PAUSE * 2_u32.pow(attempt)).await;
                attempt += 1;
            }
            found => return found,
        }
    }
}

//! Group commit: all waiting requests share one transaction and one sync to disk. A request that is
//! refused is rolled back alone; when the disk fails, nothing of the group was applied.

use crate::apply::{self, ChainRecords, TransactionCounters};
use crate::audit_key::AuditKey;
use crate::error::{ApplyError, store_error};
use rusqlite::{Connection, ErrorCode};
use store::{Batch, CommittedBatch, ReadEvent, StoreError, UsageDelta, WriteError, rules};
use tokio::sync::oneshot;

/// Maximum number of requests in one transaction.
// A group shares one sync, the largest cost of a commit. The limit bounds the time that other
// processes wait for the lock.
pub(crate) const REQUESTS_MAX: usize = 256;
/// Approximate maximum of bytes in one transaction, so that other processes get their turn.
pub(crate) const BYTES_MAX: usize = 4 * 1024 * 1024;

/// The channel on which a caller waits for the result.
pub(crate) type ReplySender<T, E> = oneshot::Sender<Result<T, E>>;

/// A request that waits to be written.
pub(crate) enum WriteRequest {
    Batch(Box<Batch>, ReplySender<CommittedBatch, WriteError>),
    Reads(Vec<ReadEvent>, ReplySender<(), WriteError>),
    Usage(Vec<UsageDelta>, ReplySender<(), WriteError>),
}

/// The outcome of one request; only a batch has results.
pub(crate) type WriteOutcome = Result<Option<CommittedBatch>, WriteError>;

impl WriteRequest {
    /// Estimates the number of bytes that the request writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Batch(batch, _) => batch.changes.iter().map(rules::change_bytes).sum(),
            Self::Usage(served, _) => served.len() * rules::SMALL_CHANGE_BYTES,
            Self::Reads(uses, _) => {
                uses.iter().map(|one| (one.memories.len() + 1) * rules::SMALL_CHANGE_BYTES).sum()
            }
        }
    }

    /// Returns true for a request that removes text, which must not stay in the write-ahead log.
    pub(crate) fn forgets(&self) -> bool {
        matches!(self, Self::Batch(batch, _) if batch.changes.iter().any(rules::erases_text))
    }

    /// Sends the outcome to the caller.
    pub(crate) fn reply(self, outcome: WriteOutcome) {
        // Sending fails when the caller gave up waiting, which concerns nobody else.
        match self {
            Self::Reads(_, answer) | Self::Usage(_, answer) => {
                let _ = answer.send(outcome.map(|_| ()));
            }
            Self::Batch(_, answer) => {
                let committed = outcome
                    .and_then(|result| result.ok_or_else(|| WriteError::Store(missing_result())));
                let _ = answer.send(committed);
            }
        }
    }
}

/// Applies a group of requests in one transaction, and returns what is to be written outside of the
/// database after it. An error means that nothing was applied; the transaction may then still be
/// open.
pub(crate) fn commit(
    conn: &Connection,
    audit_key: &AuditKey,
    group: &[WriteRequest],
) -> Result<(Vec<WriteOutcome>, ChainRecords), ApplyError> {
    // IMMEDIATE takes the write lock at once: a transaction that starts with a read and then writes
    // can fail as busy however long it waits.
    run(conn, "BEGIN IMMEDIATE")?;
    let mut counters = TransactionCounters::read(conn, audit_key)?;
    let outcomes = match group {
        // A refusal of the only request rolls back the whole transaction; it needs no savepoint.
        [only] => vec![refusal_or_error(apply(conn, &mut counters, only))?],
        several => several
            .iter()
            .map(|request| apply_in_savepoint(conn, &mut counters, request))
            .collect::<Result<Vec<_>, rusqlite::Error>>()?,
    };
    if outcomes.iter().all(Result::is_err) {
        run(conn, "ROLLBACK")?;
        return Ok((outcomes, ChainRecords::default()));
    }
    let records = counters.write(conn)?;
    // `synchronous = FULL`: the write-ahead log is on disk when COMMIT returns.
    run(conn, "COMMIT")?;
    Ok((outcomes, records))
}

/// Applies one request in a savepoint, so that it can be rolled back alone.
fn apply_in_savepoint(
    conn: &Connection,
    counters: &mut TransactionCounters<'_>,
    request: &WriteRequest,
) -> rusqlite::Result<WriteOutcome> {
    let savepoint = counters.savepoint();
    run(conn, "SAVEPOINT work")?;
    let outcome = refusal_or_error(apply(conn, counters, request))?;
    if outcome.is_err() {
        // The counters live in memory while the transaction is open, so they are reset as well.
        run(conn, "ROLLBACK TO work")?;
        counters.roll_back_to(savepoint);
    }
    run(conn, "RELEASE work")?;
    Ok(outcome)
}

fn apply(
    conn: &Connection,
    counters: &mut TransactionCounters<'_>,
    request: &WriteRequest,
) -> Result<Option<CommittedBatch>, ApplyError> {
    match request {
        WriteRequest::Batch(batch, _) => apply::apply_batch(conn, counters, batch).map(Some),
        WriteRequest::Reads(uses, _) => apply::log_reads(conn, counters, uses).map(|()| None),
        WriteRequest::Usage(served, _) => apply::usage::add_usage(conn, served).map(|()| None),
    }
}

/// Separates a refusal of one request from an error that ends the whole transaction.
fn refusal_or_error(
    applied: Result<Option<CommittedBatch>, ApplyError>,
) -> rusqlite::Result<WriteOutcome> {
    match applied {
        Ok(done) => Ok(Ok(done)),
        Err(ApplyError::Refused(error)) => Ok(Err(error)),
        Err(ApplyError::Sql(error)) if is_request_error(&error) => {
            Ok(Err(store_error(&error).into()))
        }
        Err(ApplyError::Sql(error)) => Err(error),
    }
}

/// Returns true for SQLite errors that are caused by the data of a request.
fn is_request_error(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig))
}

fn run(conn: &Connection, sql: &'static str) -> rusqlite::Result<usize> {
    conn.prepare_cached(sql)?.execute([])
}

fn missing_result() -> StoreError {
    StoreError::Failed { cause: "a batch was applied without a result".to_owned() }
}

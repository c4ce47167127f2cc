//! Group commit: everything that waits goes into one transaction and one sync to disk. A batch that
//! is refused is taken back alone; when the disk fails, nothing of the group was applied.

use crate::apply::{self, Ledger};
use crate::fault::{Fault, store_error};
use crate::seals::Seals;
use rusqlite::{Connection, ErrorCode};
use store::{Batch, Change, Committed, Mark, Served, StoreError, Use, WriteError};
use tokio::sync::oneshot;

/// Most pieces of work in one transaction.
pub(crate) const WORK_MAX: usize = 256;
/// About the most bytes in one transaction, so that other processes get their turn.
pub(crate) const BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where an answer goes.
pub(crate) type Answer<T, E> = oneshot::Sender<Result<T, E>>;

/// Something to write that waits for its turn.
pub(crate) enum Work {
    /// A batch of changes.
    Batch(Box<Batch>, Answer<Committed, WriteError>),
    /// What was read.
    Uses(Vec<Use>, Answer<(), WriteError>),
    /// What agents were given.
    Served(Vec<Served>, Answer<(), WriteError>),
}

/// What came of one piece of work; a batch tells what it made.
type Outcome = Result<Option<Committed>, WriteError>;

impl Work {
    /// About how many bytes it writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Batch(batch, _) => batch.changes.iter().map(bytes_of).sum(),
            Self::Served(served, _) => served.len() * SMALL_BYTES,
            Self::Uses(uses, _) => {
                uses.iter().map(|one| (one.memories.len() + 1) * SMALL_BYTES).sum()
            }
        }
    }

    /// Whether it removes text that must not stay in the write-ahead log.
    pub(crate) fn forgets(&self) -> bool {
        let forgets = |change: &Change| {
            matches!(
                change,
                Change::Forget { .. }
                    | Change::EraseProfile { .. }
                    | Change::EraseEverything
                    | Change::DropQuestions { .. }
            )
        };
        matches!(self, Self::Batch(batch, _) if batch.changes.iter().any(forgets))
    }

    /// Tells whoever waits. One who gave up waiting is not missed.
    pub(crate) fn answer(self, outcome: Outcome) {
        match self {
            Self::Uses(_, answer) | Self::Served(_, answer) => {
                let _ = answer.send(outcome.map(|_| ()));
            }
            Self::Batch(_, answer) => {
                let told =
                    outcome.and_then(|made| made.ok_or_else(|| WriteError::Store(unanswered())));
                let _ = answer.send(told);
            }
        }
    }
}

/// Applies a group of work in one transaction, and answers with the checkpoint that is due after
/// it. An error means that nothing was applied; the transaction may then still be open.
pub(crate) fn commit(
    conn: &Connection,
    seals: &Seals,
    group: &[Work],
) -> Result<(Vec<Outcome>, Option<Mark>), Fault> {
    run(conn, "BEGIN IMMEDIATE")?;
    let mut ledger = Ledger::read(conn, seals)?;
    let outcomes = match group {
        [only] => vec![settle(apply(conn, &mut ledger, only))?],
        several => several
            .iter()
            .map(|work| apply_apart(conn, &mut ledger, work))
            .collect::<Result<Vec<_>, rusqlite::Error>>()?,
    };
    if outcomes.iter().all(Result::is_err) {
        run(conn, "ROLLBACK")?;
        return Ok((outcomes, None));
    }
    let due = ledger.write(conn)?;
    run(conn, "COMMIT")?;
    Ok((outcomes, due))
}

/// Applies one piece of work so that it can be taken back alone.
fn apply_apart(
    conn: &Connection,
    ledger: &mut Ledger<'_>,
    work: &Work,
) -> rusqlite::Result<Outcome> {
    let mark = ledger.mark();
    run(conn, "SAVEPOINT work")?;
    let outcome = settle(apply(conn, ledger, work))?;
    if outcome.is_err() {
        run(conn, "ROLLBACK TO work")?;
        ledger.back_to(mark);
    }
    run(conn, "RELEASE work")?;
    Ok(outcome)
}

fn apply(
    conn: &Connection,
    ledger: &mut Ledger<'_>,
    work: &Work,
) -> Result<Option<Committed>, Fault> {
    match work {
        Work::Batch(batch, _) => apply::batch(conn, ledger, batch).map(Some),
        Work::Uses(uses, _) => apply::note_uses(conn, ledger, uses).map(|()| None),
        Work::Served(served, _) => apply::usage::note_served(conn, served).map(|()| None),
    }
}

/// A fault of the work itself concerns nobody else; any other fault ends the transaction.
fn settle(applied: Result<Option<Committed>, Fault>) -> rusqlite::Result<Outcome> {
    match applied {
        Ok(done) => Ok(Ok(done)),
        Err(Fault::Refused(error)) => Ok(Err(error)),
        Err(Fault::Sql(error)) if is_of_the_work(&error) => Ok(Err(store_error(&error).into())),
        Err(Fault::Sql(error)) => Err(error),
    }
}

fn is_of_the_work(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig))
}

fn run(conn: &Connection, sql: &'static str) -> rusqlite::Result<usize> {
    conn.prepare_cached(sql)?.execute([])
}

/// About what a change writes beside its long texts.
const SMALL_BYTES: usize = 512;

fn bytes_of(change: &Change) -> usize {
    SMALL_BYTES
        + match change {
            Change::AddMemory(add) => {
                add.memory.text.len() + add.vector.as_ref().map_or(0, |vector| vector.windows.len())
            }
            Change::PutReference { reference, .. } => {
                reference.sections.iter().map(|section| section.text.len()).sum()
            }
            Change::StoreHandoff(handoff) => handoff.document.len(),
            _ => 0,
        }
}

fn unanswered() -> StoreError {
    StoreError::Failed { cause: "a batch was applied without an answer".to_owned() }
}

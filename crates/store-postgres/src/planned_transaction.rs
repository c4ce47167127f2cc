//! A transaction of planned writes, one of each owner, in two round trips on the thread of the
//! connections: the clocks are advanced, and the rows of those that were follow with the commit.
//! Row-level security is told the owner before each statement if several owners share it.

use crate::connect;
use crate::error::{SqlResult, StatementError};
use crate::group_commit::CommitAttempt;
use crate::planned_commit::PlannedWrite;
use crate::planned_queue::{ExecutionSlot, PlannedOutcome};
use crate::postgres_store::{PostgresStore, begin};
use crate::sql_value::{SqlValue, params};
use crate::statement_plan::PlannedStatement;
use crate::transaction::parameters;
use deadpool_postgres::Object;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join, ready, try_join_all};
use metrics::catalogue::PLANNED_WRITES;
use tokio_postgres::{Error, Statement};

/// Tells row-level security the owner of the statements that follow.
const SET_OWNER: &str = "SELECT set_config('quipu.owner', $1, true)";
/// Begins a transaction of planned writes.
// An owner to whom another server is writing would hold up others as long as a write may wait. The
// write is made without a plan then, and waits by itself.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = 100";

/// Writes what was planned for some owners, which are in order, and returns the outcomes. If
/// several share the transaction and it fails, or a clock is locked for long, each is to be made
/// without a plan: nothing was changed, and alone each has its own error.
pub(crate) async fn commit(
    store: &PostgresStore,
    slot: ExecutionSlot,
    writes: Vec<PlannedWrite>,
) -> Vec<PlannedOutcome> {
    let count = writes.len();
    match send(store, slot, &writes).await {
        Ok(SentWrites { kept, in_doubt: None }) => {
            let outcome = |(write, kept): (PlannedWrite, bool)| Ok(kept.then(|| write.done()));
            writes.into_iter().zip(kept).map(outcome).collect()
        }
        Ok(SentWrites { kept, in_doubt: Some(error) }) => {
            let mut error = Some(error);
            let outcome = |(write, kept): (PlannedWrite, bool)| {
                // That of the driver cannot be copied; all have lost the same connection.
                Ok(kept.then(|| write.in_doubt(error.take().unwrap_or(StatementError::Lost))))
            };
            writes.into_iter().zip(kept).map(outcome).collect()
        }
        Err(StatementError::Refused(error)) => {
            (0..count).map(|_| Err(StatementError::Refused(error.clone()))).collect()
        }
        Err(error) if count > 1 || error.is_lock_timeout() => {
            tracing::debug!(?error, count, "planned writes are made without a plan");
            (0..count).map(|_| Ok(None)).collect()
        }
        Err(error) => vec![Err(error)],
    }
}

impl PlannedWrite {
    fn done(self) -> CommitAttempt {
        CommitAttempt::Done {
            outcomes: vec![self.outcome],
            counters: Some(Box::new(self.counters)),
        }
    }

    fn in_doubt(self, error: StatementError) -> CommitAttempt {
        let newest = self.counters.newest_event();
        CommitAttempt::InDoubt { outcomes: vec![self.outcome], newest, error }
    }
}

/// The end of a transaction of planned writes.
struct SentWrites {
    /// True for each whose plan held, and whose rows were sent with the commit.
    kept: Vec<bool>,
    /// The error with which the connection was lost when the commit was sent.
    in_doubt: Option<StatementError>,
}

impl SentWrites {
    fn none(writes: &[PlannedWrite]) -> Self {
        Self { kept: vec![false; writes.len()], in_doubt: None }
    }
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
    store: &PostgresStore,
    slot: ExecutionSlot,
    writes: &[PlannedWrite],
) -> SqlResult<SentWrites> {
    let mut open = OpenConnection(Some(connect::take(&store.inner.pool).await?));
    let Some(client) = &open.0 else { return Ok(SentWrites::none(writes)) };
    let sent = send_on(client, slot, writes).await;
    let is_lost = match &sent {
        Ok(sent) => sent.in_doubt.is_some(),
        Err(error) => error.is_connection_loss(),
    };
    if let Some(client) = open.0.take_if(|_| !is_lost) {
        match &sent {
            Ok(sent) if sent.kept.contains(&true) => drop(client),
            _ => drop(tokio::spawn(connect::roll_back(client))),
        }
    }
    sent
}

async fn send_on(
    client: &Object,
    slot: ExecutionSlot,
    writes: &[PlannedWrite],
) -> SqlResult<SentWrites> {
    let owners: Vec<PlannedStatement> = match writes {
        [_] => Vec::new(),
        several => several.iter().map(set_owner).collect(),
    };
    // Before the transaction, which waits for nothing but its own statements.
    let mut prepared = Vec::with_capacity(writes.len());
    for (nth, write) in writes.iter().enumerate() {
        prepared.push(PreparedWrite::prepare(client, owners.get(nth), write).await?);
    }
    let begin = match writes {
        [only] => begin(&only.owner, BEGIN),
        _ => BEGIN.to_owned(),
    };
    let kept = advance_clocks(client, &begin, &prepared).await?;
    count_plans("overtaken", kept.iter().filter(|kept| !**kept).count());
    if !kept.contains(&true) {
        return Ok(SentWrites::none(writes));
    }
    let rows = prepared.iter().zip(&kept).filter_map(|(write, kept)| kept.then_some(write));
    match commit_rows(client, slot, rows.flat_map(PreparedWrite::row_statements)).await {
        Ok(()) => {
            count_plans("kept", kept.iter().filter(|kept| **kept).count());
            Ok(SentWrites { kept, in_doubt: None })
        }
        Err(CommitError::InDoubt(error)) => Ok(SentWrites { kept, in_doubt: Some(error) }),
        Err(CommitError::NotCommitted(error)) => Err(error),
    }
}

fn count_plans(outcome: &str, count: usize) {
    (0..count).for_each(|_| PLANNED_WRITES.count(&[("outcome", outcome)]));
}

fn set_owner(write: &PlannedWrite) -> PlannedStatement {
    PlannedStatement { sql: SET_OWNER.into(), values: params![write.owner.to_string()] }
}

/// A statement that is prepared on a connection, with its parameters.
struct PreparedStatement<'w> {
    statement: Statement,
    values: &'w [SqlValue<'static>],
}

impl<'w> PreparedStatement<'w> {
    async fn prepare(client: &Object, planned: &'w PlannedStatement) -> SqlResult<Self> {
        let statement = client.prepare_cached(&planned.sql).await?;
        Ok(Self { statement, values: &planned.values })
    }
}

/// The statements of a planned write.
struct PreparedWrite<'w> {
    /// `None` where the transaction has one owner.
    set_owner: Option<PreparedStatement<'w>>,
    advance: PreparedStatement<'w>,
    rows: Vec<PreparedStatement<'w>>,
}

impl<'w> PreparedWrite<'w> {
    async fn prepare(
        client: &Object,
        owner: Option<&'w PlannedStatement>,
        write: &'w PlannedWrite,
    ) -> SqlResult<Self> {
        let set_owner = match owner {
            Some(owner) => Some(PreparedStatement::prepare(client, owner).await?),
            None => None,
        };
        let advance = PreparedStatement::prepare(client, &write.advance).await?;
        let mut rows = Vec::with_capacity(write.rows.len());
        for row in &write.rows {
            rows.push(PreparedStatement::prepare(client, row).await?);
        }
        Ok(Self { set_owner, advance, rows })
    }

    fn row_statements(&self) -> impl Iterator<Item = &PreparedStatement<'w>> {
        self.set_owner.iter().chain(&self.rows)
    }
}

/// Begins the transaction and advances the clocks. Returns for each whether its plan holds.
async fn advance_clocks(
    client: &Object,
    begin: &str,
    writes: &[PreparedWrite<'_>],
) -> SqlResult<Vec<bool>> {
    let mut sent = SentStatements::new(client);
    sent.send(client.batch_execute(begin).map(|begun| begun.map(|()| 0)))?;
    let mut advances = Vec::with_capacity(writes.len());
    for write in writes {
        write.set_owner.iter().try_for_each(|owner| sent.execute(owner))?;
        advances.push(sent.answers.len());
        sent.execute(&write.advance)?;
    }
    let changed = sent.take_answers().await?;
    Ok(advances.into_iter().map(|at| changed[at] == 1).collect())
}

/// The reason why rows were not written.
enum CommitError {
    NotCommitted(StatementError),
    /// The connection was lost when the commit was sent.
    InDoubt(StatementError),
}

/// Sends the rows with the commit, and returns once the database has acknowledged it. The slot is
/// given back when the rows are written: what is left is waiting for the disk.
async fn commit_rows<'w>(
    client: &'w Object,
    slot: ExecutionSlot,
    rows: impl Iterator<Item = &'w PreparedStatement<'w>>,
) -> Result<(), CommitError> {
    let mut sent = SentStatements::new(client);
    for row in rows {
        // Perhaps not sent, and so the commit must not be.
        sent.execute(row)
            .map_err(|error| CommitError::NotCommitted(StatementError::Earlier(error)))?;
    }
    let executed = sent.take_answers().inspect(|_| drop(slot));
    let (outcome, committed) = join(executed, client.batch_execute("COMMIT")).await;
    outcome.map_err(StatementError::Earlier).and(committed.map_err(StatementError::from)).map_err(
        |error| match error.is_connection_loss() {
            true => CommitError::InDoubt(error),
            false => CommitError::NotCommitted(error),
        },
    )
}

/// Statements that were sent one behind the other, with the answers that are still to be taken.
struct SentStatements<'c> {
    client: &'c Object,
    answers: Vec<BoxFuture<'c, Result<u64, Error>>>,
}

impl<'c> SentStatements<'c> {
    fn new(client: &'c Object) -> Self {
        Self { client, answers: Vec::new() }
    }

    fn execute(&mut self, prepared: &'c PreparedStatement<'_>) -> Result<(), Error> {
        let (client, PreparedStatement { statement, values }) = (self.client, prepared);
        self.send(async move { client.execute(statement, &parameters(values)).await })
    }

    /// Sends a statement: polled once, it is on its way behind those before it.
    fn send(
        &mut self,
        statement: impl Future<Output = Result<u64, Error>> + Send + 'c,
    ) -> Result<(), Error> {
        let mut answer = statement.boxed();
        match (&mut answer).now_or_never() {
            None => self.answers.push(answer),
            Some(changed) => self.answers.push(ready(Ok(changed?)).boxed()),
        }
        Ok(())
    }

    /// Waits for the numbers of changed rows. All are taken: the connection delivers nothing behind
    /// an answer that nobody takes.
    async fn take_answers(self) -> Result<Vec<u64>, Error> {
        try_join_all(self.answers).await
    }
}

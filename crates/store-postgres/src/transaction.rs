//! A transaction on one connection, used from a thread that may block. What needs no answer, such
//! as BEGIN or an insertion, is sent without waiting for it, and what will be asked for can be sent
//! ahead, so that a write takes two round trips and not one for each statement.

use crate::connect;
use crate::error::{SqlResult, StatementError};
use crate::sql_value::SqlValue;
use crate::stored_row::{StoredRow, conversion_error};
use deadpool_postgres::Object;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, MaybeDone, join, poll_fn, ready};
use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row, Statement};
use tracing::Span;

/// Maximum number of statements that are not waited for. A large import would otherwise pile up.
const SENT_MAX: usize = 256;

/// The answer to a statement that was sent, kept once it was polled and there.
type SentStatement<T> = MaybeDone<BoxFuture<'static, Result<T, Error>>>;

/// Sending of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    /// Statements that need no answer are not waited for; an error of one appears later.
    Pipelined,
    /// Each statement is waited for, so that an error is that of the statement.
    OneByOne,
}

/// An open transaction. Dropped without an end, it closes its connection.
pub(crate) struct PgTransaction {
    /// `None` once the transaction has ended.
    client: Option<Arc<Object>>,
    runtime: Handle,
    sending: Sending,
    /// Statements that go with the next one.
    deferred: RefCell<String>,
    /// Statements that were sent and not waited for, in order.
    sent: RefCell<Vec<SentStatement<()>>>,
    /// Queries that were sent ahead.
    ahead: RefCell<Vec<QueryAhead>>,
    round_trips: Cell<u64>,
    /// Span of the transaction, which learns the number of round trips.
    span: Span,
}

/// A query whose answer will be asked for.
struct QueryAhead {
    sql: &'static str,
    values: Vec<SqlValue<'static>>,
    rows: SentStatement<Vec<Row>>,
}

impl PgTransaction {
    /// Begins a transaction with its first statement.
    pub(crate) fn begin(client: Object, runtime: Handle, begin: String, span: Span) -> Self {
        Self {
            client: Some(Arc::new(client)),
            runtime,
            sending: Sending::Pipelined,
            deferred: RefCell::new(begin),
            sent: RefCell::default(),
            ahead: RefCell::default(),
            round_trips: Cell::new(0),
            span,
        }
    }

    /// Sets how statements are sent from now on.
    pub(crate) fn set_sending(&mut self, sending: Sending) {
        self.sending = sending;
    }

    /// Runs a statement without parameters before the next one.
    pub(crate) fn defer(&self, sql: &str) {
        let mut deferred = self.deferred.borrow_mut();
        if !deferred.is_empty() {
            deferred.push_str("; ");
        }
        deferred.push_str(sql);
    }

    /// Runs a statement and returns its rows.
    // `&'static str` rules out statements whose text depends on input.
    pub(crate) fn rows(
        &self,
        sql: &'static str,
        values: &[SqlValue<'_>],
    ) -> SqlResult<Vec<StoredRow>> {
        let rows = match self.take_ahead(sql, values) {
            Some(rows) => self.wait_ahead(rows)?,
            None => {
                let client = self.client();
                self.wait(async {
                    let prepared = client.prepare_cached(sql).await?;
                    client.query(&prepared, &parameters(values)).await
                })?
            }
        };
        Ok(rows.into_iter().map(StoredRow).collect())
    }

    /// Sends a query whose rows will be asked for, with the same parameters and before anything
    /// that would change them.
    pub(crate) fn query_ahead(
        &self,
        sql: &'static str,
        values: Vec<SqlValue<'static>>,
    ) -> SqlResult<()> {
        if self.sending == Sending::OneByOne {
            return Ok(());
        }
        self.send_deferred();
        let (client, sent_values) = (Arc::clone(self.client()), values.clone());
        let prepared = self.prepare(sql)?;
        let mut rows: BoxFuture<'static, Result<Vec<Row>, Error>> =
            Box::pin(async move { client.query(&prepared, &parameters(&sent_values)).await });
        // Polled once, it is sent. Parameters that cannot be sent are an error where the rows are
        // asked for.
        if (&mut rows).now_or_never().is_none() {
            let rows = MaybeDone::Future(rows);
            self.ahead.borrow_mut().push(QueryAhead { sql, values, rows });
        }
        Ok(())
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(crate) fn execute(&self, sql: &'static str, values: &[SqlValue<'_>]) -> SqlResult<usize> {
        let client = self.client();
        let changed = self.wait(async {
            let prepared = client.prepare_cached(sql).await?;
            client.execute(&prepared, &parameters(values)).await
        })?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// Sends a statement whose answer nobody needs. Its error is that of a later statement, or of
    /// the commit.
    pub(crate) fn send(&self, sql: &'static str, values: Vec<SqlValue<'_>>) -> SqlResult<()> {
        if self.sending == Sending::OneByOne {
            return self.execute(sql, &values).map(drop);
        }
        self.send_deferred();
        let client = Arc::clone(self.client());
        let prepared = self.prepare(sql)?;
        let values: Vec<SqlValue<'static>> = values.into_iter().map(SqlValue::into_owned).collect();
        let mut answer: BoxFuture<'static, Result<(), Error>> =
            Box::pin(
                async move { client.execute(&prepared, &parameters(&values)).await.map(drop) },
            );
        match (&mut answer).now_or_never() {
            None => self.sent.borrow_mut().push(MaybeDone::Future(answer)),
            // Parameters that cannot be sent are an error of this statement. An answer of the
            // database that is there already may be the consequence of an earlier one.
            Some(Err(error)) if error.code().is_none() => return Err(error.into()),
            Some(outcome) => self.sent.borrow_mut().push(MaybeDone::Done(outcome)),
        }
        if self.sent.borrow().len() < SENT_MAX { Ok(()) } else { self.wait_for_sent() }
    }

    /// Waits for everything that was sent.
    pub(crate) fn wait_for_sent(&self) -> SqlResult<()> {
        self.wait(ready(Ok(())))
    }

    /// Drops the answers of queries that were sent ahead and not asked for.
    pub(crate) fn drop_ahead(&self) {
        self.ahead.borrow_mut().clear();
    }

    /// Reads the first row of a statement.
    pub(crate) fn first<T>(
        &self,
        sql: &'static str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<Option<T>> {
        self.rows(sql, values)?.first().map(read).transpose()
    }

    /// Reads the one row of a statement that always has one.
    pub(crate) fn one<T>(
        &self,
        sql: &'static str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let missing = || conversion_error(0, "a row is missing");
        self.first(sql, values, read)?.ok_or_else(missing)
    }

    /// Commits and returns once the database has acknowledged it. After an error of a statement
    /// that was sent before, the database rolls back instead.
    pub(crate) fn commit(mut self) -> SqlResult<()> {
        self.defer("COMMIT");
        self.wait_for_sent()?;
        // Back to the pool; after an error the connection is closed instead.
        drop(self.take_client());
        Ok(())
    }

    /// Ends the transaction without waiting for it: nothing was changed, or nothing shall be.
    pub(crate) fn end(mut self) {
        if let Some(client) = self.take_client() {
            self.runtime.spawn(connect::roll_back(client));
        }
    }

    /// Prepares a statement. Its error may be the consequence of another one.
    fn prepare(&self, sql: &'static str) -> SqlResult<Statement> {
        let prepared = self.block_on(self.client().prepare_cached(sql));
        if prepared.is_err() {
            self.wait_for_sent()?;
        }
        Ok(prepared?)
    }

    /// Sends the deferred statements.
    fn send_deferred(&self) {
        let deferred = self.deferred.take();
        if deferred.is_empty() {
            return;
        }
        let client = Arc::clone(self.client());
        let mut answer: BoxFuture<'static, Result<(), Error>> =
            Box::pin(async move { client.batch_execute(&deferred).await });
        let answer = match (&mut answer).now_or_never() {
            None => MaybeDone::Future(answer),
            Some(outcome) => MaybeDone::Done(outcome),
        };
        self.sent.borrow_mut().push(answer);
    }

    /// Sends a statement after those before it, and waits for all of them.
    fn wait<T>(&self, statement: impl Future<Output = Result<T, Error>>) -> SqlResult<T> {
        self.send_deferred();
        let sent = self.sent.take();
        self.count_round_trip();
        // Both are polled at once, so that the statement is sent without waiting for the others.
        let (before, answer) = self.block_on(join(all(sent), statement));
        before.map_err(StatementError::Earlier)?;
        Ok(answer?)
    }

    /// Waits for a query that was sent ahead. Its error may be the consequence of another one.
    fn wait_ahead(&self, mut rows: SentStatement<Vec<Row>>) -> SqlResult<Vec<Row>> {
        if (&mut rows).now_or_never().is_none() {
            self.count_round_trip();
            self.block_on(&mut rows);
        }
        let answer = Pin::new(&mut rows).take_output().transpose();
        if answer.is_err() {
            self.wait_for_sent()?;
        }
        Ok(answer?.unwrap_or_default())
    }

    /// Waits for something while the answers before it are taken: the connection keeps only a
    /// little of an answer that nobody takes, and delivers no other one until then.
    fn block_on<T>(&self, wanted: impl Future<Output = T>) -> T {
        let mut wanted = pin!(wanted);
        self.runtime.block_on(poll_fn(|cx| {
            // In the order in which they come: behind one that is not there is none that is.
            let is_here = |rows: &mut QueryAhead| Pin::new(&mut rows.rows).poll(cx).is_ready();
            self.ahead.borrow_mut().iter_mut().all(is_here);
            self.sent.borrow_mut().iter_mut().all(|one| Pin::new(one).poll(cx).is_ready());
            wanted.as_mut().poll(cx)
        }))
    }

    fn take_ahead(
        &self,
        sql: &'static str,
        values: &[SqlValue<'_>],
    ) -> Option<SentStatement<Vec<Row>>> {
        let mut ahead = self.ahead.borrow_mut();
        let at = ahead.iter().position(|one| one.sql == sql && one.values == values)?;
        Some(ahead.remove(at).rows)
    }

    /// Takes the connection back from everything that was sent.
    fn take_client(&mut self) -> Option<Object> {
        self.sent.get_mut().clear();
        self.ahead.get_mut().clear();
        self.client.take().and_then(Arc::into_inner)
    }

    fn count_round_trip(&self) {
        self.round_trips.set(self.round_trips.get() + 1);
    }

    #[expect(clippy::expect_used, reason = "only the methods that consume the transaction take it")]
    fn client(&self) -> &Arc<Object> {
        self.client.as_ref().expect("the transaction has not ended")
    }
}

impl Drop for PgTransaction {
    fn drop(&mut self) {
        self.span.record("round_trips", self.round_trips.get());
        // An open transaction must not go back to the pool: the next user would be inside of it.
        if let Some(client) = self.take_client() {
            drop(Object::take(client));
        }
    }
}

/// Waits for statements, and returns the first error.
async fn all(sent: Vec<SentStatement<()>>) -> Result<(), Error> {
    for mut answer in sent {
        (&mut answer).await;
        Pin::new(&mut answer).take_output().transpose()?;
    }
    Ok(())
}

/// Returns values in the form that the driver takes.
pub(crate) fn parameters<'p>(values: &'p [SqlValue<'_>]) -> Vec<&'p (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

//! A transaction on one connection, used from a thread that may block. What needs no answer, such
//! as BEGIN or an insertion, is sent without waiting for it, and what will be asked for can be sent
//! ahead, so that a write takes two round trips and not one for each statement.

use crate::connect;
use crate::error::{SqlResult, StatementError};
use crate::sql_value::SqlValue;
use crate::stored_row::{StoredRow, conversion_error};
use deadpool_postgres::Object;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join, ready};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row, Statement};
use tracing::Span;

/// Maximum number of statements that are not waited for. A large import would otherwise pile up.
const SENT_MAX: usize = 256;

/// The answer to a statement that was sent.
type SentStatement<T> = BoxFuture<'static, Result<T, Error>>;

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
        let mut rows: SentStatement<Vec<Row>> =
            Box::pin(async move { client.query(&prepared, &parameters(&sent_values)).await });
        // Polled once, it is sent. Parameters that cannot be sent are an error where the rows are
        // asked for.
        if (&mut rows).now_or_never().is_none() {
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
        let mut answer: SentStatement<()> =
            Box::pin(
                async move { client.execute(&prepared, &parameters(&values)).await.map(drop) },
            );
        match (&mut answer).now_or_never() {
            None => self.sent.borrow_mut().push(answer),
            // Parameters that cannot be sent are an error of this statement. An answer of the
            // database that is there already may be the consequence of an earlier one.
            Some(Err(error)) if error.code().is_none() => return Err(error.into()),
            Some(outcome) => self.sent.borrow_mut().push(Box::pin(ready(outcome))),
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
        let prepared = self.runtime.block_on(self.client().prepare_cached(sql));
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
        let mut answer: SentStatement<()> =
            Box::pin(async move { client.batch_execute(&deferred).await });
        let answer = match (&mut answer).now_or_never() {
            None => answer,
            Some(outcome) => Box::pin(ready(outcome)),
        };
        self.sent.borrow_mut().push(answer);
    }

    /// Sends a statement after those before it, and waits for all of them.
    fn wait<T>(&self, statement: impl Future<Output = Result<T, Error>>) -> SqlResult<T> {
        self.send_deferred();
        let sent = self.sent.take();
        self.count_round_trip();
        // Both are polled at once, so that the statement is sent without waiting for the others.
        let (before, answer) = self.runtime.block_on(join(all(sent), statement));
        before.map_err(StatementError::Earlier)?;
        Ok(answer?)
    }

    /// Waits for a query that was sent ahead. Its error may be the consequence of another one.
    fn wait_ahead(&self, mut rows: SentStatement<Vec<Row>>) -> SqlResult<Vec<Row>> {
        let rows = (&mut rows).now_or_never().unwrap_or_else(|| {
            self.count_round_trip();
            self.runtime.block_on(rows)
        });
        if rows.is_err() {
            self.wait_for_sent()?;
        }
        Ok(rows?)
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
    for answer in sent {
        answer.await?;
    }
    Ok(())
}

/// Returns values in the form that the driver takes.
pub(crate) fn parameters<'p>(values: &'p [SqlValue<'_>]) -> Vec<&'p (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

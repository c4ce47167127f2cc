//! A transaction on one connection, used from a thread that may block. Statements that need no
//! answer, such as BEGIN, travel together with the next one, so that they cost no round trip.

use crate::error::SqlResult;
use crate::sql_value::{IntoParameters, SqlValue};
use crate::stored_row::{StoredRow, conversion_error};
use deadpool_postgres::Object;
use futures_util::future::join;
use std::cell::{Cell, RefCell};
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tracing::Span;

/// An open transaction. Dropped without an end, it closes its connection.
pub(crate) struct PgTransaction {
    /// `None` once the transaction has ended.
    client: Option<Object>,
    runtime: Handle,
    /// Statements that go with the next one.
    deferred: RefCell<String>,
    round_trips: Cell<u64>,
    /// Span of the transaction, which learns the number of round trips.
    span: Span,
}

impl PgTransaction {
    /// Begins a transaction with its first statement.
    pub(crate) fn begin(client: Object, runtime: Handle, begin: String, span: Span) -> Self {
        let (deferred, round_trips) = (RefCell::new(begin), Cell::new(0));
        Self { client: Some(client), runtime, deferred, round_trips, span }
    }

    /// Runs a statement without parameters before the next one.
    pub(crate) fn defer(&self, sql: &str) {
        let mut deferred = self.deferred.borrow_mut();
        deferred.push_str("; ");
        deferred.push_str(sql);
    }

    /// Runs a statement and returns its rows.
    // `&'static str` rules out statements whose text depends on input.
    pub(crate) fn rows(
        &self,
        sql: &'static str,
        values: &[SqlValue<'_>],
    ) -> SqlResult<Vec<StoredRow>> {
        let client = self.client();
        let statement = async {
            let prepared = client.prepare_cached(sql).await?;
            client.query(&prepared, &parameters(values)).await
        };
        let rows = self.with_deferred(statement)?;
        Ok(rows.into_iter().map(StoredRow).collect())
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(crate) fn execute(&self, sql: &'static str, values: &[SqlValue<'_>]) -> SqlResult<usize> {
        let client = self.client();
        let statement = async {
            let prepared = client.prepare_cached(sql).await?;
            client.execute(&prepared, &parameters(values)).await
        };
        Ok(usize::try_from(self.with_deferred(statement)?).unwrap_or(usize::MAX))
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

    /// Commits and returns once the database has acknowledged it.
    pub(crate) fn commit(mut self) -> SqlResult<()> {
        self.defer("COMMIT");
        let statements = self.deferred.take();
        self.count_round_trip();
        self.runtime.block_on(self.client().batch_execute(&statements))?;
        // Back to the pool; after an error the connection is closed instead.
        drop(self.client.take());
        Ok(())
    }

    /// Ends the transaction without waiting for it: nothing was changed, or nothing shall be.
    pub(crate) fn end(mut self) {
        if let Some(client) = self.client.take() {
            self.runtime.spawn(async move {
                if client.batch_execute("ROLLBACK").await.is_err() {
                    drop(Object::take(client));
                }
            });
        }
    }

    fn with_deferred<T>(
        &self,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> SqlResult<T> {
        let deferred = self.deferred.take();
        self.count_round_trip();
        self.runtime.block_on(async {
            if deferred.is_empty() {
                return Ok(statement.await?);
            }
            // Both are sent at once, in this order.
            let (begun, answer) = join(self.client().batch_execute(&deferred), statement).await;
            begun?;
            Ok(answer?)
        })
    }

    fn count_round_trip(&self) {
        self.round_trips.set(self.round_trips.get() + 1);
    }

    #[expect(clippy::expect_used, reason = "only the methods that consume the transaction take it")]
    fn client(&self) -> &Object {
        self.client.as_ref().expect("the transaction has not ended")
    }
}

impl Drop for PgTransaction {
    fn drop(&mut self) {
        self.span.record("round_trips", self.round_trips.get());
        // An open transaction must not go back to the pool: the next user would be inside of it.
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

fn parameters<'p>(values: &'p [SqlValue<'_>]) -> Vec<&'p (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// A transaction of one owner. The owner is the first parameter of every statement, so that none
/// can leave it out.
pub(crate) struct OwnerTransaction {
    inner: PgTransaction,
    owner: String,
}

impl OwnerTransaction {
    /// Wraps a transaction that was begun for an owner.
    pub(crate) fn new(inner: PgTransaction, owner: &str) -> Self {
        Self { inner, owner: owner.to_owned() }
    }

    /// Returns the transaction itself, to end it.
    pub(crate) fn into_inner(self) -> PgTransaction {
        self.inner
    }

    /// Runs a statement without parameters before the next one.
    pub(crate) fn defer(&self, sql: &str) {
        self.inner.defer(sql);
    }

    /// Returns every row of a statement.
    pub(crate) fn rows<'v>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
    ) -> SqlResult<Vec<StoredRow>> {
        self.inner.rows(sql, &self.with_owner(params))
    }

    /// Reads every row of a statement.
    pub(crate) fn all<'v, T>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
        read: impl FnMut(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        self.rows(sql, params)?.iter().map(read).collect()
    }

    /// Reads the first row of a statement.
    pub(crate) fn first<'v, T>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
        read: impl FnOnce(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<Option<T>> {
        self.inner.first(sql, &self.with_owner(params), read)
    }

    /// Reads the one row of a statement that always has one.
    pub(crate) fn one<'v, T>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
        read: impl FnOnce(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<T> {
        self.inner.one(sql, &self.with_owner(params), read)
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(crate) fn execute<'v>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
    ) -> SqlResult<usize> {
        self.inner.execute(sql, &self.with_owner(params))
    }

    fn with_owner<'v>(&self, params: impl IntoParameters<'v>) -> Vec<SqlValue<'v>> {
        let mut values = vec![SqlValue::from(self.owner.clone())];
        values.extend(params.into_parameters());
        values
    }
}

//! A transaction of one owner: open on a connection, or planned without one.

use crate::error::SqlResult;
use crate::sql_value::{IntoParameters, SqlValue};
use crate::statement_plan::{PlannedStatement, StatementPlan};
use crate::stored_row::{StoredRow, conversion_error};
use crate::transaction::{PgTransaction, Sending};

/// A transaction of one owner. The owner is the first parameter of every statement, so that none
/// can leave it out.
pub(crate) struct OwnerTransaction {
    statements: Statements,
    owner: String,
}

/// The way of the statements.
enum Statements {
    Open(PgTransaction),
    Planned(StatementPlan),
}

impl OwnerTransaction {
    /// Wraps a transaction that was begun for an owner.
    pub(crate) fn new(inner: PgTransaction, owner: &str) -> Self {
        Self { statements: Statements::Open(inner), owner: owner.to_owned() }
    }

    /// Begins a plan for an owner.
    pub(crate) fn planned(owner: &str) -> Self {
        let statements = Statements::Planned(StatementPlan::default());
        Self { statements, owner: owner.to_owned() }
    }

    /// Sets how statements are sent from now on.
    pub(crate) fn set_sending(&mut self, sending: Sending) {
        if let Statements::Open(open) = &mut self.statements {
            open.set_sending(sending);
        }
    }

    /// Commits and returns once the database has acknowledged it; see [`PgTransaction::commit`].
    pub(crate) fn commit(self) -> SqlResult<()> {
        match self.statements {
            Statements::Open(open) => open.commit(),
            Statements::Planned(plan) => plan.give_up(),
        }
    }

    /// Ends the transaction without waiting for it; see [`PgTransaction::end`].
    pub(crate) fn end(self) {
        if let Statements::Open(open) = self.statements {
            open.end();
        }
    }

    /// Returns the statements of a plan, if it has everything that the transaction needs.
    pub(crate) fn into_plan(self) -> Option<Vec<PlannedStatement>> {
        match self.statements {
            Statements::Open(_) => None,
            Statements::Planned(plan) => plan.into_statements(),
        }
    }

    /// Assumes in a plan that a query finds nothing.
    pub(crate) fn assume_empty<'v>(&self, sql: &'static str, params: impl IntoParameters<'v>) {
        if let Statements::Planned(plan) = &self.statements {
            plan.assume_empty(sql, self.with_owner_owned(params));
        }
    }

    /// Runs a statement without parameters before the next one.
    pub(crate) fn defer(&self, sql: &str) {
        if let Statements::Open(open) = &self.statements {
            open.defer(sql);
        }
    }

    /// Returns every row of a statement.
    pub(crate) fn rows<'v>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
    ) -> SqlResult<Vec<StoredRow>> {
        match &self.statements {
            Statements::Open(open) => open.rows(sql, &self.with_owner(params)),
            Statements::Planned(plan) => plan.rows(sql, &self.with_owner(params)),
        }
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
        self.rows(sql, params)?.first().map(read).transpose()
    }

    /// Reads the one row of a statement that always has one.
    pub(crate) fn one<'v, T>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
        read: impl FnOnce(&StoredRow) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let missing = || conversion_error(0, "a row is missing");
        self.first(sql, params, read)?.ok_or_else(missing)
    }

    /// Sends a query whose rows will be asked for; see [`PgTransaction::query_ahead`].
    pub(crate) fn query_ahead<'v>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
    ) -> SqlResult<()> {
        match &self.statements {
            Statements::Open(open) => open.query_ahead(sql, self.with_owner_owned(params)),
            Statements::Planned(_) => Ok(()),
        }
    }

    /// Drops the answers of queries that were sent ahead or assumed and not asked for.
    pub(crate) fn drop_ahead(&self) {
        match &self.statements {
            Statements::Open(open) => open.drop_ahead(),
            Statements::Planned(plan) => plan.end_assumptions(),
        }
    }

    /// Waits for everything that was sent.
    pub(crate) fn wait_for_sent(&self) -> SqlResult<()> {
        match &self.statements {
            Statements::Open(open) => open.wait_for_sent(),
            Statements::Planned(_) => Ok(()),
        }
    }

    /// Sends a statement whose answer nobody needs; see [`PgTransaction::send`].
    pub(crate) fn send<'v>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
    ) -> SqlResult<()> {
        match &self.statements {
            Statements::Open(open) => open.send(sql, self.with_owner(params)),
            Statements::Planned(plan) => plan.send(sql, self.with_owner(params)),
        }
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(crate) fn execute<'v>(
        &self,
        sql: &'static str,
        params: impl IntoParameters<'v>,
    ) -> SqlResult<usize> {
        match &self.statements {
            Statements::Open(open) => open.execute(sql, &self.with_owner(params)),
            Statements::Planned(plan) => plan.give_up(),
        }
    }

    fn with_owner_owned<'v>(&self, params: impl IntoParameters<'v>) -> Vec<SqlValue<'static>> {
        self.with_owner(params).into_iter().map(SqlValue::into_owned).collect()
    }

    fn with_owner<'v>(&self, params: impl IntoParameters<'v>) -> Vec<SqlValue<'v>> {
        let mut values = vec![SqlValue::from(self.owner.clone())];
        values.extend(params.into_parameters());
        values
    }
}

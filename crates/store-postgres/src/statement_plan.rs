//! The statements of a write that is planned without the database. What it would send is kept. What
//! it would ask has an answer only if one is assumed; whatever else it asks ends the plan.

use crate::error::{SqlResult, StatementError};
use crate::sql_value::SqlValue;
use crate::stored_row::StoredRow;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

/// Maximum number of statements of a plan. Nothing of it is sent before it is complete.
const STATEMENTS_MAX: usize = 32;

/// Maximum number of rows of one statement, each combination of which is prepared.
const ROWS_MAX: usize = 4;

/// A statement with its parameters, of which the first is the owner.
#[derive(Debug, PartialEq)]
pub(crate) struct PlannedStatement {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: Vec<SqlValue<'static>>,
}

/// A plan in the making.
#[derive(Debug, Default)]
pub(crate) struct StatementPlan {
    statements: RefCell<Vec<(&'static str, Vec<SqlValue<'static>>)>>,
    /// Queries that are assumed to find nothing.
    empty: RefCell<Vec<(&'static str, Vec<SqlValue<'static>>)>>,
    /// True if something was asked that only the database knows.
    is_incomplete: Cell<bool>,
}

impl StatementPlan {
    /// Assumes that a query finds nothing.
    pub(crate) fn assume_empty(&self, sql: &'static str, values: Vec<SqlValue<'static>>) {
        self.empty.borrow_mut().push((sql, values));
    }

    /// Ends all assumptions: what is asked from now on, the write may have changed.
    pub(crate) fn end_assumptions(&self) {
        self.empty.borrow_mut().clear();
    }

    /// Returns the rows of a query, if they are assumed.
    pub(crate) fn rows(&self, sql: &str, values: &[SqlValue<'_>]) -> SqlResult<Vec<StoredRow>> {
        let is_known = |(asked, with): &(&str, Vec<SqlValue<'_>>)| *asked == sql && with == values;
        if self.empty.borrow().iter().any(is_known) { Ok(Vec::new()) } else { self.give_up() }
    }

    /// Adds a statement whose answer nobody needs.
    pub(crate) fn send(&self, sql: &'static str, values: Vec<SqlValue<'_>>) -> SqlResult<()> {
        let mut statements = self.statements.borrow_mut();
        // A value that cannot be sent is refused by name where its statement is sent alone.
        if statements.len() == STATEMENTS_MAX || values.iter().any(SqlValue::has_nul) {
            return self.give_up();
        }
        statements.push((sql, values.into_iter().map(SqlValue::into_owned).collect()));
        Ok(())
    }

    /// Ends the plan: only the database knows what comes next.
    pub(crate) fn give_up<T>(&self) -> SqlResult<T> {
        self.is_incomplete.set(true);
        Err(StatementError::Unplanned)
    }

    /// Returns the statements in order, rows of fixed values in one, if the plan is complete.
    pub(crate) fn into_statements(self) -> Option<Vec<PlannedStatement>> {
        if self.is_incomplete.get() {
            return None;
        }
        let (mut merged, mut rows) = (Vec::new(), Vec::new());
        for (sql, values) in self.statements.into_inner() {
            let is_row = inserts_values(sql);
            if !is_row || rows.len() == ROWS_MAX {
                merged.extend(merge(std::mem::take(&mut rows)));
            }
            if is_row {
                rows.push((sql, values));
            } else {
                merged.push(PlannedStatement { sql: sql.into(), values });
            }
        }
        merged.extend(merge(rows));
        Some(merged)
    }
}

/// Returns whether a statement inserts a row of parameters, which reads nothing that one before it
/// wrote: foreign keys are checked after all of them.
fn inserts_values(sql: &str) -> bool {
    sql.starts_with("INSERT INTO ") && sql.contains(" VALUES (") && !sql.contains("SELECT")
}

/// Merges insertions into one statement: the last one, to which the others are common table
/// expressions. The owner is the first parameter of all.
fn merge(mut rows: Vec<(&'static str, Vec<SqlValue<'static>>)>) -> Option<PlannedStatement> {
    let (last, last_values) = rows.pop()?;
    if rows.is_empty() {
        return Some(PlannedStatement { sql: last.into(), values: last_values });
    }
    let length = rows.iter().map(|(sql, _)| sql.len() + 64).sum::<usize>() + last.len() + 64;
    let (mut merged, mut all) = (String::with_capacity(length), Vec::new());
    for (nth, (sql, values)) in rows.into_iter().enumerate() {
        merged.push_str(if nth == 0 { "WITH " } else { ", " });
        // Writing to a string cannot fail.
        let _ = write!(merged, "row{nth} AS (");
        append(&mut merged, &mut all, sql, values);
        merged.push(')');
    }
    merged.push(' ');
    append(&mut merged, &mut all, last, last_values);
    Some(PlannedStatement { sql: merged.into(), values: all })
}

/// Appends a statement, whose parameters but the owner follow those that are there already.
fn append(
    merged: &mut String,
    all: &mut Vec<SqlValue<'static>>,
    sql: &str,
    values: Vec<SqlValue<'static>>,
) {
    let (shift, known) = (all.len().saturating_sub(1), usize::from(!all.is_empty()));
    all.extend(values.into_iter().skip(known));
    let mut pieces = sql.split('$');
    merged.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = piece.split_at(digits);
        let number = number.parse::<usize>().unwrap_or(0);
        let number = if number > 1 { number + shift } else { number };
        let _ = write!(merged, "${number}{rest}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql_value::params;

    #[test]
    fn insertions_of_values_are_one_statement_and_others_keep_their_place() {
        let plan = StatementPlan::default();
        plan.send("INSERT INTO a (o, x) VALUES ($1, $2)", params!["me", 1_i64]).unwrap();
        plan.send("INSERT INTO b (o, x, y) VALUES ($1, $2, $3)", params!["me", 2_i64, 3_i64])
            .unwrap();
        plan.send("DELETE FROM c WHERE o = $1", params!["me"]).unwrap();
        plan.send("INSERT INTO d (o, x) VALUES ($1, $2)", params!["me", 4_i64]).unwrap();
        let statements = plan.into_statements().unwrap();
        let expected = [
            (
                "WITH row0 AS (INSERT INTO a (o, x) VALUES ($1, $2)) \
                 INSERT INTO b (o, x, y) VALUES ($1, $3, $4)",
                params!["me", 1_i64, 2_i64, 3_i64],
            ),
            ("DELETE FROM c WHERE o = $1", params!["me"]),
            ("INSERT INTO d (o, x) VALUES ($1, $2)", params!["me", 4_i64]),
        ];
        let expected = expected.map(|(sql, values)| PlannedStatement { sql: sql.into(), values });
        assert_eq!(statements, expected);
    }

    #[test]
    fn a_plan_ends_where_it_asks_what_is_not_assumed() {
        let asking = |assumed: i64, asked: i64| {
            let plan = StatementPlan::default();
            plan.assume_empty("SELECT", params![assumed]);
            let known = plan.rows("SELECT", &params![asked]).is_ok();
            (known, plan.into_statements().is_some())
        };
        assert_eq!(asking(1, 1), (true, true));
        assert_eq!(asking(1, 2), (false, false));
    }

    #[test]
    fn a_value_that_cannot_be_sent_ends_a_plan() {
        let plan = StatementPlan::default();
        assert!(plan.send("INSERT", params!["me", "a\0b"]).is_err());
        assert!(plan.into_statements().is_none());
    }
}

//! Runs the statement of a caller: prepared under the authorizer, stepped under the progress
//! handler, and read up to its limits.

use crate::authorizer::{StatementTrace, TableAuthorizer};
use crate::cells::{cell_size, from_cell};
use crate::layout::declared_type;
use crate::progress_handler::{ProgressHandler, STEPS_BETWEEN_CHECKS, value_too_large};
use crate::{Bounds, Sandbox, SelectResult, SqlError, postgres};
use model::{Column, ColumnType, limits};
use rusqlite::ffi::ErrorCode;
use rusqlite::hooks::{AuthContext, Authorization};
use rusqlite::{Connection, Error, Row, Statement};
use serde_json::Value;
use std::collections::HashSet;

/// Maximum number of names listed in an error.
const NAMES_SHOWN: usize = 50;

impl Sandbox {
    /// Returns the names of the tables that a statement reads. `only` limits the tables it may
    /// read.
    ///
    /// # Errors
    /// Fails when it is not a single SELECT over these tables.
    pub fn tables_read(
        &mut self,
        sql: &str,
        only: Option<&[String]>,
        bounds: &Bounds,
    ) -> Result<Vec<String>, SqlError> {
        let (tables, ()) = self.run_guarded(sql, only, bounds, |_| Ok(()))?;
        Ok(tables)
    }

    /// Runs one SELECT. `only` limits the tables it may read.
    ///
    /// # Errors
    /// Fails when it is not a single SELECT over these tables, does not fit them, or exceeds its
    /// limits.
    pub fn run(
        &mut self,
        sql: &str,
        only: Option<&[String]>,
        bounds: &Bounds,
    ) -> Result<SelectResult, SqlError> {
        let (_, result) =
            self.run_guarded(sql, only, bounds, |statement| read_rows(statement, bounds))?;
        result.ok_or_else(|| {
            SqlError::LimitExceeded(format!(
                "one row is larger than {} bytes; select fewer columns",
                bounds.bytes
            ))
        })
    }

    /// Prepares a statement under the authorizer and the progress handler, and runs `work` on it.
    fn run_guarded<T>(
        &mut self,
        sql: &str,
        only: Option<&[String]>,
        bounds: &Bounds,
        work: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<T>,
    ) -> Result<(Vec<String>, T), SqlError> {
        check_text(sql)?;
        let sql = &postgres::to_sqlite(sql);
        let authorizer = TableAuthorizer::new(self.table_names(), only);
        let trace = authorizer.trace();
        let mut handler = ProgressHandler::start(bounds, &self.meter, &self.stop_signal);
        let broken = |error: Error| SqlError::Internal(error.to_string());
        let must_stop = move || handler.must_stop();
        self.conn
            .progress_handler(i32::from(STEPS_BETWEEN_CHECKS), Some(must_stop))
            .map_err(broken)?;
        self.conn
            .authorizer(Some(move |context: AuthContext<'_>| authorizer.decide(&context)))
            .map_err(broken)?;
        // Both hooks are removed below whatever happens, because the next statements are our own.
        let worked = prepare(&self.conn, sql)
            .and_then(|mut statement| work(&mut statement).map_err(StatementFailure::Sql));
        self.conn.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).map_err(broken)?;
        self.conn.progress_handler(0, None::<fn() -> bool>).map_err(broken)?;
        let trace = std::mem::take(&mut *trace.lock());
        match worked {
            Ok(done) => Ok((trace.tables.into_iter().collect(), done)),
            Err(stop) => Err(self.caller_error(stop, sql, trace, bounds)),
        }
    }

    /// Returns the error for the caller.
    fn caller_error(
        &self,
        stop: StatementFailure,
        sql: &str,
        trace: StatementTrace,
        bounds: &Bounds,
    ) -> SqlError {
        let error = match stop {
            StatementFailure::Refused(reason) => return SqlError::Refused(reason.to_owned()),
            StatementFailure::Sql(error) => error,
        };
        if let Some(stopped) = self.stop_signal.error(bounds) {
            return stopped;
        }
        match (error.sqlite_error_code(), trace.refusal) {
            (_, Some(reason)) => SqlError::Refused(self.with_tables(reason)),
            (Some(ErrorCode::TooBig), _) => value_too_large(),
            (Some(ErrorCode::OutOfMemory), _) => {
                SqlError::LimitExceeded("the statement is too complex; simplify it".to_owned())
            }
            _ => SqlError::Invalid(self.with_names(sqlite_message(&error), sql)),
        }
    }

    /// Appends the valid names to an error about an unknown table or column.
    fn with_names(&self, sentence: String, sql: &str) -> String {
        if sentence.contains("no such table") {
            return self.with_tables(sentence);
        }
        let is_foreign = ["syntax error", "no such function", "unrecognized token"]
            .iter()
            .any(|words| sentence.contains(words));
        if is_foreign {
            return format!("{sentence}; {}", postgres::ADVICE);
        }
        if !sentence.contains("no such column") {
            return sentence;
        }
        // SQLite stops before it has asked for all tables, so the columns of every table that the
        // statement mentions are listed.
        let sql = sql.to_lowercase();
        let named = self.tables().filter(|table| sql.contains(table));
        let hint: Vec<_> =
            named.map(|table| format!("{table} has {}", join_names(self.columns(table)))).collect();
        if hint.is_empty() { sentence } else { format!("{sentence}; {}", hint.join("; ")) }
    }

    fn with_tables(&self, sentence: String) -> String {
        if !sentence.contains("table") {
            return sentence;
        }
        let names: Vec<_> = self.tables().collect();
        match names.is_empty() {
            true => format!("{sentence}; there are no tables that you may read"),
            false => format!("{sentence}; you may read: {}", join_names(names)),
        }
    }
}

/// Reason why a statement gave no result.
enum StatementFailure {
    Refused(&'static str),
    Sql(Error),
}

fn check_text(sql: &str) -> Result<(), SqlError> {
    limits::bytes("sql", sql, limits::SQL_BYTES)
        .map_err(|failure| SqlError::LimitExceeded(failure.message))?;
    if sql.contains('\0') {
        return Err(SqlError::Refused("sql contains a NUL character; remove it".to_owned()));
    }
    Ok(())
}

fn prepare<'c>(conn: &'c Connection, sql: &str) -> Result<Statement<'c>, StatementFailure> {
    let statement = conn.prepare(sql).map_err(|error| match error {
        Error::MultipleStatement => {
            StatementFailure::Refused("only one statement at a time; send just the SELECT")
        }
        other => StatementFailure::Sql(other),
    })?;
    if statement.is_explain() != 0 {
        return Err(StatementFailure::Refused("EXPLAIN is not allowed; send the SELECT itself"));
    }
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(StatementFailure::Refused("only SELECT is allowed; write one SELECT"));
    }
    if statement.parameter_count() > 0 {
        return Err(StatementFailure::Refused(
            "parameters (?, :name) are not supported; write the values into the SELECT",
        ));
    }
    Ok(statement)
}

/// Reads rows up to the limits; `None` when not even one row fits.
fn read_rows(
    statement: &mut Statement<'_>,
    bounds: &Bounds,
) -> rusqlite::Result<Option<SelectResult>> {
    let (names, kinds) = unique_columns(statement);
    let mut result = SelectResult::default();
    let mut bytes = 0;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let size = row_size(row, kinds.len())?;
        if result.rows.len() == bounds.rows || bytes + size > bounds.bytes {
            result.truncated = true;
            break;
        }
        bytes += size;
        result.rows.push(row_values(row, &kinds)?);
    }
    if result.truncated && result.rows.is_empty() && bounds.rows > 0 {
        return Ok(None);
    }
    result.columns = typed_columns(names, &kinds, &result.rows);
    Ok(Some(result))
}

/// Returns the names of the columns, made unique, and the types of those that come from a table.
fn unique_columns(statement: &Statement<'_>) -> (Vec<String>, Vec<Option<ColumnType>>) {
    let mut taken = HashSet::new();
    let columns = statement.columns();
    let named = columns.map(|column| {
        let numbered = (2..).map(|number| format!("{}_{number}", column.name()));
        let mut names = std::iter::once(column.name().to_owned()).chain(numbered);
        // The names are infinitely many and the columns are not, so one is free.
        let name = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
        (name, column.decl_type().and_then(declared_type))
    });
    named.unzip()
}

/// Returns the columns with their types; the type of an expression is inferred from its values.
fn typed_columns(
    names: Vec<String>,
    kinds: &[Option<ColumnType>],
    rows: &[Vec<Value>],
) -> Vec<Column> {
    let inferred = |index: usize| {
        let values = rows.iter().filter_map(|row| row.get(index));
        let widen =
            |kind: ColumnType, value| kind.widen(ColumnType::infer(value).without_spelling());
        values.fold(ColumnType::Unknown, widen)
    };
    let kinds =
        kinds.iter().enumerate().map(|(index, kind)| kind.unwrap_or_else(|| inferred(index)));
    names.into_iter().zip(kinds).map(|(name, kind)| Column { name, kind }).collect()
}

fn row_size(row: &Row<'_>, width: usize) -> rusqlite::Result<usize> {
    (0..width).try_fold(0, |sum, index| Ok(sum + cell_size(row.get_ref(index)?)))
}

fn row_values(row: &Row<'_>, kinds: &[Option<ColumnType>]) -> rusqlite::Result<Vec<Value>> {
    kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| Ok(from_cell(row.get_ref(index)?, *kind)))
        .collect()
}

/// Returns the message of SQLite, without the statement.
fn sqlite_message(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(message)) | Error::SqlInputError { msg: message, .. } => {
            message.clone()
        }
        other => other.to_string(),
    }
}

fn join_names(names: Vec<&str>) -> String {
    names.into_iter().take(NAMES_SHOWN).collect::<Vec<_>>().join(", ")
}

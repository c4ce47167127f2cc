//! Runs the statement of a caller: prepared under the gate, stepped under the watch, and read up to
//! its bounds.

use crate::cells::{size, value};
use crate::gate::{Gate, Seen};
use crate::layout::declared_type;
use crate::watch::{STEPS_BETWEEN_LOOKS, Watch, value_limit};
use crate::{Answer, Bounds, Sandbox, SqlError};
use model::{Column, ColumnType, limits};
use rusqlite::ffi::ErrorCode;
use rusqlite::hooks::{AuthContext, Authorization};
use rusqlite::{Connection, Error, Row, Statement};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::PoisonError;

/// How many names an error shows.
const NAMES_SHOWN: usize = 50;

impl Sandbox {
    /// The tables that a statement reads, by name; `only` of some tables when it is given.
    ///
    /// # Errors
    /// When it is no single SELECT over tables that are held and let in.
    pub fn reads(
        &mut self,
        sql: &str,
        only: Option<&[String]>,
        bounds: &Bounds,
    ) -> Result<Vec<String>, SqlError> {
        let (seen, ()) = self.guarded(sql, only, bounds, |_| Ok(()))?;
        Ok(seen)
    }

    /// Runs one SELECT over the tables that are held; `only` over some of them when it is given.
    ///
    /// # Errors
    /// When it is no single SELECT over these tables, does not fit them, or goes past its bounds.
    pub fn run(
        &mut self,
        sql: &str,
        only: Option<&[String]>,
        bounds: &Bounds,
    ) -> Result<Answer, SqlError> {
        let (_, answer) = self.guarded(sql, only, bounds, |statement| read(statement, bounds))?;
        answer.ok_or_else(|| {
            SqlError::TooMuch(format!(
                "one row is larger than {} bytes; select fewer columns",
                bounds.bytes
            ))
        })
    }

    /// Prepares a statement under the gate and the watch, and does something with it there.
    fn guarded<T>(
        &mut self,
        sql: &str,
        only: Option<&[String]>,
        bounds: &Bounds,
        work: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<T>,
    ) -> Result<(Vec<String>, T), SqlError> {
        check_text(sql)?;
        let gate = Gate::new(self.held(), only);
        let seen = gate.seen();
        let mut watch = Watch::start(bounds, &self.meter, &self.verdict);
        let broken = |error: Error| SqlError::Broken(error.to_string());
        let look = move || watch.look();
        self.conn.progress_handler(i32::from(STEPS_BETWEEN_LOOKS), Some(look)).map_err(broken)?;
        self.conn
            .authorizer(Some(move |context: AuthContext<'_>| gate.decide(&context)))
            .map_err(broken)?;
        let worked = prepare(&self.conn, sql)
            .and_then(|mut statement| work(&mut statement).map_err(Stop::Sql));
        self.conn.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).map_err(broken)?;
        self.conn.progress_handler(0, None::<fn() -> bool>).map_err(broken)?;
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        match worked {
            Ok(done) => Ok((seen.tables.into_iter().collect(), done)),
            Err(stop) => Err(self.error(stop, sql, seen, bounds)),
        }
    }

    /// What to tell the caller.
    fn error(&self, stop: Stop, sql: &str, seen: Seen, bounds: &Bounds) -> SqlError {
        let error = match stop {
            Stop::Refused(reason) => return SqlError::Refused(reason.to_owned()),
            Stop::Sql(error) => error,
        };
        if let Some(stopped) = self.verdict.error(bounds) {
            return stopped;
        }
        match (error.sqlite_error_code(), seen.refusal) {
            (_, Some(reason)) => SqlError::Refused(self.with_tables(reason)),
            (Some(ErrorCode::TooBig), _) => value_limit(),
            (Some(ErrorCode::OutOfMemory), _) => SqlError::TooMuch(
                "the statement is too complicated; write it in fewer parts".to_owned(),
            ),
            _ => SqlError::Faulty(self.with_names(words(&error), sql)),
        }
    }

    /// A sentence with the names that would have been right.
    fn with_names(&self, sentence: String, sql: &str) -> String {
        if sentence.contains("no such table") {
            return self.with_tables(sentence);
        }
        if !sentence.contains("no such column") {
            return sentence;
        }
        // SQLite stops before it has asked for all tables, so those that the statement names are
        // shown.
        let sql = sql.to_lowercase();
        let named = self.tables().filter(|table| sql.contains(table));
        let hint: Vec<_> =
            named.map(|table| format!("{table} has {}", listed(self.columns(table)))).collect();
        if hint.is_empty() { sentence } else { format!("{sentence}; {}", hint.join("; ")) }
    }

    fn with_tables(&self, sentence: String) -> String {
        if !sentence.contains("table") {
            return sentence;
        }
        let names: Vec<_> = self.tables().collect();
        match names.is_empty() {
            true => format!("{sentence}; there is no table that you may read"),
            false => format!("{sentence}; you may read: {}", listed(names)),
        }
    }
}

/// Why a statement came to no answer.
enum Stop {
    Refused(&'static str),
    Sql(Error),
}

fn check_text(sql: &str) -> Result<(), SqlError> {
    limits::bytes("sql", sql, limits::SQL_BYTES)
        .map_err(|failure| SqlError::TooMuch(failure.message))?;
    if sql.contains('\0') {
        return Err(SqlError::Refused("sql holds a NUL character; leave it out".to_owned()));
    }
    Ok(())
}

fn prepare<'c>(conn: &'c Connection, sql: &str) -> Result<Statement<'c>, Stop> {
    let statement = conn.prepare(sql).map_err(|error| match error {
        Error::MultipleStatement => Stop::Refused("one statement at a time; send only the SELECT"),
        other => Stop::Sql(other),
    })?;
    if statement.is_explain() != 0 {
        return Err(Stop::Refused("EXPLAIN is not run here; send the SELECT itself"));
    }
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(Stop::Refused("only a SELECT is run here; write one SELECT"));
    }
    if statement.parameter_count() > 0 {
        return Err(Stop::Refused(
            "parameters (?, :name) have no values here; write the values into the SELECT",
        ));
    }
    Ok(statement)
}

/// Reads rows up to the bounds; nothing when not even one row fits them.
fn read(statement: &mut Statement<'_>, bounds: &Bounds) -> rusqlite::Result<Option<Answer>> {
    let (names, kinds) = columns(statement);
    let mut answer = Answer::default();
    let mut bytes = 0;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let size = row_size(row, kinds.len())?;
        if answer.rows.len() == bounds.rows || bytes + size > bounds.bytes {
            answer.truncated = true;
            break;
        }
        bytes += size;
        answer.rows.push(row_values(row, &kinds)?);
    }
    if answer.truncated && answer.rows.is_empty() && bounds.rows > 0 {
        return Ok(None);
    }
    answer.columns = typed(names, &kinds, &answer.rows);
    Ok(Some(answer))
}

/// The names of the columns, each once, and their types where they are those of a table.
fn columns(statement: &Statement<'_>) -> (Vec<String>, Vec<Option<ColumnType>>) {
    let mut taken = HashSet::new();
    let columns = statement.columns();
    let named = columns.map(|column| {
        let numbered = (2..).map(|number| format!("{}_{number}", column.name()));
        let mut names = std::iter::once(column.name().to_owned()).chain(numbered);
        // Of more names than there are columns, one is free.
        let name = names.find(|name| taken.insert(name.clone())).unwrap_or_default();
        (name, column.decl_type().and_then(declared_type))
    });
    named.unzip()
}

/// The columns with their types; what an expression gives is known by its values.
fn typed(names: Vec<String>, kinds: &[Option<ColumnType>], rows: &[Vec<Value>]) -> Vec<Column> {
    let shown = |place: usize| {
        let values = rows.iter().filter_map(|row| row.get(place));
        values.fold(ColumnType::Unknown, |kind, value| kind.widen(ColumnType::of(value)))
    };
    let kinds = kinds.iter().enumerate().map(|(place, kind)| kind.unwrap_or_else(|| shown(place)));
    names.into_iter().zip(kinds).map(|(name, kind)| Column { name, kind }).collect()
}

fn row_size(row: &Row<'_>, width: usize) -> rusqlite::Result<usize> {
    (0..width).try_fold(0, |sum, place| Ok(sum + size(row.get_ref(place)?)))
}

fn row_values(row: &Row<'_>, kinds: &[Option<ColumnType>]) -> rusqlite::Result<Vec<Value>> {
    kinds.iter().enumerate().map(|(place, kind)| Ok(value(row.get_ref(place)?, *kind))).collect()
}

/// What SQLite says, without the statement around it.
fn words(error: &Error) -> String {
    match error {
        Error::SqliteFailure(_, Some(message)) | Error::SqlInputError { msg: message, .. } => {
            message.clone()
        }
        other => other.to_string(),
    }
}

fn listed(names: Vec<&str>) -> String {
    names.into_iter().take(NAMES_SHOWN).collect::<Vec<_>>().join(", ")
}

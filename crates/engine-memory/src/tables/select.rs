//! SQL over tables: one SELECT in a sandbox over copies of the tables that the caller may read.
//! Other tables do not exist for the statement.

use super::readable;
use crate::Tables;
use engine_core::Core;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{Column, Failure, JsonMap, Permission, Record, Seq, Table, limits};
use sandbox::{Bounds, SelectResult, SqlError};
use serde_json::Value;

/// Default number of rows.
const ROWS_DEFAULT: usize = 1_000;

/// Input of [`Tables::select`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectRequest {
    /// One SELECT in SQLite's dialect.
    pub sql: String,
    /// Tables it may read; all that the caller may read when missing.
    pub tables: Option<Vec<String>>,
    /// 1,000 when missing, at most 10,000.
    pub limit: Option<usize>,
}

/// Result of a SELECT.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectResults {
    /// Columns in the order of the statement, with unique names.
    pub columns: Vec<Column>,
    /// One value per column.
    pub rows: Vec<Vec<Value>>,
    /// True when there were more rows than the limit.
    pub truncated: bool,
    /// Tables it read.
    pub tables: Vec<String>,
}

impl SelectResults {
    /// Returns the rows as objects.
    #[must_use]
    pub fn records(&self) -> Vec<JsonMap> {
        let names = || self.columns.iter().map(|column| column.name.clone());
        self.rows.iter().map(|row| names().zip(row.iter().cloned()).collect()).collect()
    }
}

impl<'e> Tables<'e> {
    /// Runs one SELECT over the tables that the caller may read.
    ///
    /// # Errors
    /// `consent_required` when the caller may not read a given table; `invalid_argument` with what
    /// is wrong with the statement; `limit_exceeded` naming the limit when it is too long, too slow
    /// or too large.
    pub fn select(
        self,
        caller: &'e Caller,
        input: &'e SelectRequest,
    ) -> UseCaseFuture<'e, SelectResults> {
        Box::pin(async move {
            let only = input.tables.as_ref().map(|names| table_names(names)).transpose()?;
            let call = begin(self.core, caller, input, only.as_deref()).await?;
            limits::bytes("sql", &input.sql, limits::SQL_BYTES)?;
            let readable = ReadableTables::load(&call).await?;
            let bounds = Bounds {
                rows: input.limit.unwrap_or(ROWS_DEFAULT).clamp(1, limits::SQL_ROWS),
                ..Bounds::default()
            };
            let statement = SqlStatement { sql: input.sql.clone(), only, bounds };
            let (tables, answer) = self.caches.copies.run(&call, readable, statement).await?;
            call.note_shown(
                format!("selected {} rows of {}", answer.rows.len(), tables.join(", ")),
                &[],
            )
            .await;
            let SelectResult { columns, rows, truncated } = answer;
            Ok(SelectResults { columns, rows, truncated, tables })
        })
    }
}

/// A statement with its bounds.
#[derive(Debug, Clone)]
pub(super) struct SqlStatement {
    pub sql: String,
    pub only: Option<Vec<String>>,
    pub bounds: Bounds,
}

/// Converts an SQL error; a fault of the sandbox itself is only logged.
pub(super) fn sql_failure(error: SqlError) -> Failure {
    match error {
        SqlError::Internal(cause) => internal(cause),
        value => value.into(),
    }
}

fn table_names(names: &[String]) -> Result<Vec<String>, Failure> {
    limits::count("tables", names.len(), limits::TABLES)?;
    names.iter().map(|name| Record::normalize_table_name(name)).collect()
}

/// Begins the call. Each given table is requested by name, so that a refusal names it.
async fn begin<'e>(
    core: &'e Core,
    caller: &'e Caller,
    input: &SelectRequest,
    only: Option<&[String]>,
) -> Result<Call<'e>, Failure> {
    let resource = |name: &String| Resource::Tables(Some(name.clone()));
    let names = only.unwrap_or_default();
    let first = names.first().map_or(Resource::Tables(None), resource);
    let call = Call::begin(core, caller, first, Permission::Read, input).await?;
    for name in names {
        call.admit(resource(name), Permission::Read).await?;
    }
    Ok(call)
}

/// Tables that a caller may read, at a sequence number or later.
#[derive(Debug)]
pub(super) struct ReadableTables {
    pub at: Seq,
    pub tables: Vec<Table>,
}

impl ReadableTables {
    async fn load(call: &Call<'_>) -> Result<Self, Failure> {
        let store = call.store();
        // The sequence number is read first: a change in between is then copied twice, never
        // missed.
        let at = store.seq().await?;
        let tables = readable(call, store.tables().await?);
        Ok(Self { at, tables })
    }
}

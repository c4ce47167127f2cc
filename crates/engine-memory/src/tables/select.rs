//! SQL over tables: one SELECT, run in a sandbox over copies of the tables that this caller may
//! read. The policy is asked for every table before it is copied; what it refuses does not exist
//! for the statement.

use super::readable;
use crate::Tables;
use engine_core::Core;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{Column, Failure, JsonMap, Permission, Record, Seq, Table, limits};
use sandbox::{Answer, Bounds, SqlError};
use serde_json::Value;

/// How many rows a SELECT gives unless told otherwise.
const ROWS: usize = 1_000;

/// A SELECT.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Select {
    /// One SELECT in SQLite's dialect.
    pub sql: String,
    /// The only tables it may read; every table that the caller may read unless told otherwise.
    pub tables: Option<Vec<String>>,
    /// How many rows at most; 1,000 unless told otherwise, never more than 10,000.
    pub limit: Option<usize>,
}

/// What a SELECT gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// The columns in the order of the statement; no two have the same name.
    pub columns: Vec<Column>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Whether there were more rows than the limits allow.
    pub truncated: bool,
    /// The tables it read, by name.
    pub tables: Vec<String>,
}

impl Selected {
    /// The rows as objects.
    #[must_use]
    pub fn records(&self) -> Vec<JsonMap> {
        let names = || self.columns.iter().map(|column| column.name.clone());
        self.rows.iter().map(|row| names().zip(row.iter().cloned()).collect()).collect()
    }
}

impl Tables<'_> {
    /// Runs one SELECT over the tables that the caller may read.
    ///
    /// # Errors
    /// `consent_required` when a table was asked for that the caller may not read;
    /// `invalid_argument` saying what is wrong with the statement; `limit_exceeded` naming the
    /// limit when it is too long, too slow or too greedy.
    pub async fn select(self, caller: &Caller, input: &Select) -> Result<Selected, Failure> {
        let only = input.tables.as_ref().map(|names| spelled(names)).transpose()?;
        let call = begin(self.core, caller, input, only.as_deref()).await?;
        limits::bytes("sql", &input.sql, limits::SQL_BYTES)?;
        let readable = Readable::of(&call).await?;
        let bounds = Bounds {
            rows: input.limit.unwrap_or(ROWS).clamp(1, limits::SQL_ROWS),
            ..Bounds::default()
        };
        let statement = Statement { sql: input.sql.clone(), only, bounds };
        let (tables, answer) = self.caches.copies.run(&call, readable, statement).await?;
        call.note_shown(
            format!("selected {} rows of {}", answer.rows.len(), tables.join(", ")),
            &[],
        )
        .await;
        let Answer { columns, rows, truncated } = answer;
        Ok(Selected { columns, rows, truncated, tables })
    }
}

/// A statement with its bounds, on its way into the sandbox.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub sql: String,
    pub only: Option<Vec<String>>,
    pub bounds: Bounds,
}

/// What went wrong, with a fault of our own in the log only.
pub(super) fn sql_failure(error: SqlError) -> Failure {
    match error {
        SqlError::Broken(cause) => internal(cause),
        told => told.into(),
    }
}

fn spelled(names: &[String]) -> Result<Vec<String>, Failure> {
    limits::count("tables", names.len(), limits::TABLES)?;
    names.iter().map(|name| Record::table_name(name)).collect()
}

/// Begins the call. A table that was named is asked for by its name, so that a refusal names it.
async fn begin<'e>(
    core: &'e Core,
    caller: &'e Caller,
    input: &Select,
    only: Option<&[String]>,
) -> Result<Call<'e>, Failure> {
    let place = |name: &String| Resource::Tables(Some(name.clone()));
    let names = only.unwrap_or_default();
    let first = names.first().map_or(Resource::Tables(None), place);
    let call = Call::begin(core, caller, first, Permission::Read, input).await?;
    for name in names {
        call.admit(place(name), Permission::Read).await?;
    }
    Ok(call)
}

/// The tables that a caller may read, as they stood at a change or later.
#[derive(Debug)]
pub(super) struct Readable {
    pub at: Seq,
    pub tables: Vec<Table>,
}

impl Readable {
    async fn of(call: &Call<'_>) -> Result<Self, Failure> {
        let store = call.store();
        // The number comes first: what changes meanwhile is then copied once more, and never
        // missed.
        let at = store.seq().await?;
        let tables = readable(call, store.tables().await?);
        Ok(Self { at, tables })
    }
}

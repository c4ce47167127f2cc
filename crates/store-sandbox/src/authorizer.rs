//! SQLite authorizer with an allow-list: everything that is not listed is refused while the
//! statement is prepared. It also records the tables that a statement reads, so that only those
//! need to be copied.

use model::limits;
use parking_lot::Mutex;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Allowed functions: pure ones whose work is bounded by the size of their arguments. `like`,
/// `glob`, `instr`, `replace` and the trims are replaced by the module `functions`.
const ALLOWED_FUNCTIONS: &[&str] = &[
    // values
    "abs",
    "coalesce",
    "concat",
    "concat_ws",
    "format",
    "glob",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "length",
    "like",
    "lower",
    "ltrim",
    "max",
    "min",
    "nullif",
    "octet_length",
    "printf",
    "quote",
    "random",
    "replace",
    "round",
    "rtrim",
    "sign",
    "soundex",
    "substr",
    "substring",
    "trim",
    "typeof",
    "unicode",
    "upper",
    "char",
    // dates
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "julianday",
    "strftime",
    "time",
    "timediff",
    "unixepoch",
    // JSON
    "->",
    "->>",
    "json",
    "json_array",
    "json_array_length",
    "json_each",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_quote",
    "json_tree",
    "json_type",
    "json_valid",
    // over many rows
    "avg",
    "count",
    "cume_dist",
    "dense_rank",
    "first_value",
    "group_concat",
    "lag",
    "last_value",
    "lead",
    "nth_value",
    "ntile",
    "percent_rank",
    "rank",
    "row_number",
    "string_agg",
    "sum",
    "total",
];

/// Allowed table-valued functions.
const ALLOWED_TABLE_FUNCTIONS: &[&str] = &["json_each", "json_tree"];

/// Name that SQLite reports for the implicit row number, when no column is an alias of it.
pub(crate) const ROWID_COLUMN: &str = "ROWID";

/// Record of what a statement accesses, made while it is prepared.
#[derive(Debug, Default)]
pub(crate) struct StatementTrace {
    /// Names of the tables read; may include one that only a subquery is named after.
    pub tables: BTreeSet<String>,
    /// Number of function calls. SQLite checks no deadline between two rows, so it is limited.
    pub calls: usize,
    /// Reason of the refusal.
    pub refusal: Option<String>,
}

/// Authorizer for one statement.
#[derive(Debug)]
pub(crate) struct TableAuthorizer {
    tables: BTreeSet<String>,
    readable: BTreeSet<String>,
    trace: Arc<Mutex<StatementTrace>>,
}

impl TableAuthorizer {
    /// Allows the tables of the sandbox, or only some of them.
    pub fn new(tables: BTreeSet<String>, only: Option<&[String]>) -> Self {
        let readable = match only {
            None => tables.clone(),
            Some(only) => tables.iter().filter(|name| only.contains(name)).cloned().collect(),
        };
        Self { tables, readable, trace: Arc::default() }
    }

    /// Returns the record of accesses, which is updated as the statement is prepared.
    pub fn trace(&self) -> Arc<Mutex<StatementTrace>> {
        Arc::clone(&self.trace)
    }

    /// Answers one request of SQLite for authorization.
    pub fn decide(&self, context: &AuthContext<'_>) -> Authorization {
        let refusal = match context.action {
            AuthAction::Select | AuthAction::Recursive => None,
            AuthAction::Read { table_name, column_name } => {
                self.check_read(table_name, column_name)
            }
            AuthAction::Function { function_name } => self.check_function(function_name),
            _ => Some(
                "only SELECT is allowed, and nothing can be changed; write one SELECT".to_owned(),
            ),
        };
        match refusal {
            None => Authorization::Allow,
            Some(reason) => {
                self.lock_trace().refusal.get_or_insert(reason);
                Authorization::Deny
            }
        }
    }

    fn check_read(&self, table: &str, column: &str) -> Option<String> {
        let name = table.to_ascii_lowercase();
        if self.readable.contains(&name) {
            self.lock_trace().tables.insert(name);
            // Where the fields of a table include an `id` of their own, the internal row number
            // stays hidden.
            let hidden = column == ROWID_COLUMN || column.starts_with('_');
            return hidden.then(|| format!("{table} has no column {column}"));
        }
        if self.tables.contains(&name) {
            let names: Vec<_> = self.readable.iter().map(String::as_str).collect();
            return Some(format!(
                "{table} is not one of the tables that this query is limited to: {}",
                names.join(", ")
            ));
        }
        // A read without a column refers to a subquery, whose own reads are authorized separately.
        // For its internal tables SQLite also asks for columns, and those are refused.
        let derived = column.is_empty() && !name.starts_with("sqlite_");
        let allowed = derived || ALLOWED_TABLE_FUNCTIONS.contains(&name.as_str());
        (!allowed).then(|| format!("there is no table {table} that you may read"))
    }

    fn check_function(&self, function: &str) -> Option<String> {
        if !ALLOWED_FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(function)) {
            return Some(format!(
                "the function {function} is not available here; use SQLite's text, date, JSON, \
                 aggregate and window functions"
            ));
        }
        let mut trace = self.lock_trace();
        trace.calls += 1;
        let most = limits::SQL_CALLS;
        (trace.calls > most)
            .then(|| format!("the statement calls more than {most} functions; split it into parts"))
    }

    fn lock_trace(&self) -> parking_lot::MutexGuard<'_, StatementTrace> {
        self.trace.lock()
    }
}

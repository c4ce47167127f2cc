//! What a statement may touch, as a list of what is let in: everything else is refused while SQLite
//! prepares it. The gate also notes which tables a statement reads, so that only those need to be
//! copied.

use model::limits;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The functions that are let in: pure ones whose work is bounded by the size of what they are
/// given. `like`, `glob`, `instr`, `replace` and the trims are our own; see `functions`.
const FUNCTIONS: &[&str] = &[
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

/// The table-valued functions that are let in.
const TABLE_FUNCTIONS: &[&str] = &["json_each", "json_tree"];

/// What SQLite calls the number of a row that no column holds.
pub(crate) const ROW_NUMBER: &str = "ROWID";

/// What a statement was seen to do while it was prepared.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The tables it reads, by name; also one that it only names a subquery after.
    pub tables: BTreeSet<String>,
    /// How many functions it calls: between two rows nobody looks at the clock, so they must be
    /// few.
    pub calls: usize,
    /// Why it was refused.
    pub refusal: Option<String>,
}

/// Decides what a statement may touch.
#[derive(Debug)]
pub(crate) struct Gate {
    held: BTreeSet<String>,
    open: BTreeSet<String>,
    seen: Arc<Mutex<Seen>>,
}

impl Gate {
    /// A gate to the tables that are held, or to some of them.
    pub fn new(held: BTreeSet<String>, only: Option<&[String]>) -> Self {
        let open = match only {
            None => held.clone(),
            Some(only) => held.iter().filter(|name| only.contains(name)).cloned().collect(),
        };
        Self { held, open, seen: Arc::default() }
    }

    /// What the gate sees, as long as it stands.
    pub fn seen(&self) -> Arc<Mutex<Seen>> {
        Arc::clone(&self.seen)
    }

    /// The answer to one question of SQLite.
    pub fn decide(&self, context: &AuthContext<'_>) -> Authorization {
        let refusal = match context.action {
            AuthAction::Select | AuthAction::Recursive => None,
            AuthAction::Read { table_name, column_name } => self.read(table_name, column_name),
            AuthAction::Function { function_name } => self.call(function_name),
            _ => Some(
                "only a SELECT is run here, and nothing can be changed; write one SELECT"
                    .to_owned(),
            ),
        };
        match refusal {
            None => Authorization::Allow,
            Some(reason) => {
                self.note().refusal.get_or_insert(reason);
                Authorization::Deny
            }
        }
    }

    fn read(&self, table: &str, column: &str) -> Option<String> {
        let name = table.to_ascii_lowercase();
        if self.open.contains(&name) {
            self.note().tables.insert(name);
            // The number of a row whose fields bring an `id` of their own is nobody's business.
            let hidden = column == ROW_NUMBER || column.starts_with('_');
            return hidden.then(|| format!("{table} has no column {column}"));
        }
        if self.held.contains(&name) {
            let open: Vec<_> = self.open.iter().map(String::as_str).collect();
            return Some(format!(
                "{table} is not among what this query is kept to: {}",
                open.join(", ")
            ));
        }
        // A name without a column is that of a subquery, which is asked about for itself; or it is
        // something of SQLite's own, which asks for more than that.
        let derived = column.is_empty() && !name.starts_with("sqlite_");
        let allowed = derived || TABLE_FUNCTIONS.contains(&name.as_str());
        (!allowed).then(|| format!("there is no table {table} that this query may read"))
    }

    fn call(&self, function: &str) -> Option<String> {
        if !FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(function)) {
            return Some(format!(
                "the function {function} is not available here; use SQLite's text, date, JSON, aggregate and \
                 window functions"
            ));
        }
        let mut seen = self.note();
        seen.calls += 1;
        let most = limits::SQL_CALLS;
        (seen.calls > most)
            .then(|| format!("the statement calls more than {most} functions; write it in parts"))
    }

    fn note(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

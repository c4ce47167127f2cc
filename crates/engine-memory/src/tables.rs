//! Tables: listing them, and querying rows by structured filters or by SQL. Filters and order are
//! evaluated here over pages of the store, so that every backend returns the same rows. Rows are
//! added by `remember`.

mod corrected_fields;
mod filter;
mod row_revisions;
mod rows;
mod same_key;
mod sandbox_pool;
mod select;
mod sql_threads;
mod stated_fields;
mod stating_memory;
mod value;
mod word_alignment;

pub(crate) use corrected_fields::patch_from_text;
pub use filter::{RecordFilter, RecordTest};
pub(crate) use row_revisions::plan_revisions;
pub(crate) use rows::plan_row_deletion;
pub use rows::{DeleteRowOutcome, UpdateRowOutcome, UpdateRowRequest};
pub use same_key::SameKeyRow;
pub(crate) use same_key::find_same_key;
pub(crate) use sandbox_pool::SandboxPool;
pub use select::{SelectRequest, SelectResults};
pub(crate) use stated_fields::parse_like;
pub use stating_memory::stating_memory;

use crate::Tables;
use crate::profile::value_to_text;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use filter::field;
use guard::Resource;
use model::{
    ColumnType, ErrorCode, Failure, JsonMap, Permission, Record, RecordId, Status, Table, limits,
};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::Write;
use value::ordered;

/// Default number of rows.
const ROWS_DEFAULT: usize = 50;
/// Largest number of filters.
const FILTERS_MAX: usize = 64;
/// Number of table or column names in an error message.
const NAMES_SHOWN: usize = 50;

/// Input of [`Tables::query`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTableRequest {
    pub table: String,
    /// A row must pass all of them.
    pub filters: Vec<RecordFilter>,
    /// Newest first when missing.
    pub order: Option<RowOrder>,
    /// 50 when missing, at most 1,000.
    pub limit: Option<usize>,
    pub offset: usize,
}

/// Order of rows. Rows without a value come last, and the newer one first among equals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOrder {
    /// Every table has `id`, `created_at` and `updated_at`.
    pub column: String,
    pub descending: bool,
}

/// Rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRows {
    pub table: Table,
    pub rows: Vec<Record>,
    /// Number of all matching rows.
    pub total: usize,
}

impl<'e> Tables<'e> {
    /// Lists the tables by name.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<Table>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Tables(None), Permission::Read, &())
                    .await?;
            let tables = call.store().tables().await?;
            let tables = readable(&call, tables);
            call.note_shown(format!("listed {} tables", tables.len()), &[]).await;
            Ok(tables)
        })
    }

    /// Returns the rows that pass every filter.
    ///
    /// # Errors
    /// `not_found` naming the tables when there is none with this name; `invalid_argument` naming
    /// the columns when a filter or the order uses an unknown one.
    pub fn query(
        self,
        caller: &'e Caller,
        input: &'e QueryTableRequest,
    ) -> UseCaseFuture<'e, TableRows> {
        Box::pin(async move {
            let name = Record::normalize_table_name(&input.table)?;
            let call = Call::begin(
                self.core,
                caller,
                Resource::Tables(Some(name.clone())),
                Permission::Read,
                input,
            )
            .await?;
            limits::count("filters", input.filters.len(), FILTERS_MAX)?;
            let table = table_named(&call, &name).await?;
            check_columns(&table, input)?;
            let limit = input.limit.unwrap_or(ROWS_DEFAULT).min(limits::PAGE_ITEMS);
            let mut found = RowCollector::new(&table, input, input.offset.saturating_add(limit));
            let mut after = RecordId(0);
            loop {
                let page = call.store().records(&name, after, limits::PAGE_ITEMS).await?;
                let Some(last) = page.last() else { break };
                after = last.id;
                let full = page.len() == limits::PAGE_ITEMS;
                found.add(current_rows(&call, page).await?);
                if !full {
                    break;
                }
            }
            let (rows, total) = found.finish();
            call.note_shown(format!("showed {} rows", rows.len()), &[]).await;
            Ok(TableRows { table, rows, total })
        })
    }
}

/// Renders the text of a row's memory: `meals: food: pizza, calories: 800`.
pub(crate) fn record_text(table: &str, data: &JsonMap) -> String {
    let mut text = format!("{table}: ");
    let present = data.iter().filter(|(_, value)| !value.is_null());
    for (at, (name, value)) in present.enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{comma}{name}: {}", value_to_text(value));
    }
    let mut end = text.len().min(limits::TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// Keeps the tables that the caller may read.
pub(crate) fn readable(call: &Call<'_>, mut tables: Vec<Table>) -> Vec<Table> {
    tables.retain(|table| call.readable.tables.allows(&table.name));
    tables
}

async fn table_named(call: &Call<'_>, name: &str) -> Result<Table, Failure> {
    let tables = call.store().tables().await?;
    let tables = readable(call, tables);
    let names = name_list(tables.iter().map(|table| table.name.as_str()));
    let table = tables.into_iter().find(|table| table.name == name);
    table.ok_or_else(|| {
        let known = if names.is_empty() {
            "there are no tables yet".to_owned()
        } else {
            format!("existing tables: {names}")
        };
        Failure::new(ErrorCode::NotFound, format!("there is no table {name}; {known}"))
    })
}

// An unknown column would silently match nothing, so it is refused.
fn check_columns(table: &Table, input: &QueryTableRequest) -> Result<(), Failure> {
    let filtered = input.filters.iter().map(|filter| &filter.column);
    let mut wanted = filtered.chain(input.order.iter().map(|order| &order.column));
    let has = |column: &str| {
        field::is_builtin(column) || table.columns.iter().any(|known| known.name == column)
    };
    match wanted.find(|column| !has(column)) {
        None => Ok(()),
        Some(stray) => Err(Failure::invalid(format!(
            "{} has no column `{stray}`; it has: {}",
            table.name,
            name_list(table.columns.iter().map(|column| column.name.as_str()))
        ))),
    }
}

fn name_list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.take(NAMES_SHOWN).collect::<Vec<_>>().join(", ")
}

/// Removes rows whose memory is not active.
async fn current_rows(call: &Call<'_>, rows: Vec<Record>) -> Result<Vec<Record>, Failure> {
    let ids: Vec<_> = rows.iter().filter_map(|row| row.memory).collect();
    // Without a permission check: the grant on the table decides, and memories of rows follow it.
    let memories = call.memories_unchecked(&ids).await?;
    let current: HashSet<_> = memories
        .into_iter()
        .filter(|memory| is_current(memory.status))
        .map(|memory| memory.id)
        .collect();
    Ok(rows
        .into_iter()
        .filter(|row| row.memory.is_none_or(|memory| current.contains(&memory)))
        .collect())
}

/// Returns whether a row is current for a status of its memory.
fn is_current(status: Status) -> bool {
    status == Status::Active
}

/// Collects matching rows, never many more than the requested page.
struct RowCollector<'q> {
    query: &'q QueryTableRequest,
    /// Filters with the types of their columns.
    filters: Vec<(&'q RecordFilter, ColumnType)>,
    order: Option<(&'q RowOrder, ColumnType)>,
    wanted: usize,
    rows: Vec<Record>,
    total: usize,
}

impl<'q> RowCollector<'q> {
    fn new(table: &Table, query: &'q QueryTableRequest, wanted: usize) -> Self {
        let kind = |column: &str| field::kind(table, column);
        let filters = query.filters.iter().map(|filter| (filter, kind(&filter.column))).collect();
        let order = query.order.as_ref().map(|order| (order, kind(&order.column)));
        Self { query, filters, order, wanted, rows: Vec::new(), total: 0 }
    }

    fn add(&mut self, rows: Vec<Record>) {
        let matching = rows
            .into_iter()
            .filter(|row| self.filters.iter().all(|(filter, kind)| filter.accepts(row, *kind)));
        let before = self.rows.len();
        self.rows.extend(matching);
        self.total += self.rows.len() - before;
        // Cut only now and then: sorting after every page would cost more than the memory it saves.
        if self.rows.len() > self.wanted.saturating_add(limits::PAGE_ITEMS) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.rows.sort_by(|a, b| compare(self.order, a, b));
        self.rows.truncate(self.wanted);
    }

    fn finish(mut self) -> (Vec<Record>, usize) {
        self.cut();
        (self.rows.into_iter().skip(self.query.offset).collect(), self.total)
    }
}

fn compare(order: Option<(&RowOrder, ColumnType)>, a: &Record, b: &Record) -> Ordering {
    let newest_first = b.created_at.cmp(&a.created_at).then(b.id.cmp(&a.id));
    let Some((order, kind)) = order else { return newest_first };
    let (left, right) = (field::value(a, &order.column), field::value(b, &order.column));
    // A row without a value comes last in either direction.
    let missing_last = left.is_null().cmp(&right.is_null());
    let by_value = ordered(kind, &left, &right);
    missing_last
        .then(if order.descending { by_value.reverse() } else { by_value })
        .then(newest_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_is_rendered_in_plain_words() {
        let data = json!({"food": "pizza", "calories": 800, "notes": null, "with": ["Ada", "Bo"]});
        let text = record_text("meals", data.as_object().unwrap());
        for part in ["meals: ", "food: pizza", "calories: 800", "with: Ada, Bo"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("notes"), "{text}");
    }

    #[test]
    fn the_longest_row_still_fits_a_memory() {
        let data = json!({"a": "é".repeat(limits::TEXT_BYTES)});
        assert!(record_text("t", data.as_object().unwrap()).len() <= limits::TEXT_BYTES);
    }
}

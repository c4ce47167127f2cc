//! Tables: lists them, reads rows by filters, and runs a SELECT in the sandbox.

use super::render;
use super::source_ref::SourceRef;
use crate::answer_budget::{FittedList, fit_list};
use engine::tables::{
    QueryTableRequest, RecordFilter, RecordTest, SelectRequest, SelectResults, TableRows,
};
use engine::{Caller, Engine};
use model::{Column, Failure, JsonMap, Record, RecordId, Table, limits};
use serde_json::{Value, json};

/// Maximum number of tokens of the rows of an answer to an agent.
const ROWS_TOKENS: usize = 8_000;
/// Default number of rows of a query by filters.
const DEFAULT_ROWS: usize = 50;

/// Read of tables, in whichever shorthand it was given.
#[derive(Debug, Default)]
pub(super) struct TablesRequest {
    pub table: Option<String>,
    pub filters: JsonMap,
    pub sql: Option<String>,
    pub limit: Option<i64>,
    pub offset: Option<i64>,
}

/// Lists the tables, runs the SQL, or reads rows.
pub(super) async fn run(
    engine: &Engine,
    caller: &Caller,
    request: TablesRequest,
) -> Result<Value, Failure> {
    match (&request.table, &request.sql) {
        (_, Some(_)) => select(engine, caller, request).await,
        (Some(_), None) => rows(engine, caller, request).await,
        (None, None) if request.filters.is_empty() => list(engine, caller).await,
        (None, None) => Err(Failure::invalid(
            "filters need a table; mode table without arguments lists the tables",
        )),
    }
}

/// Lists every table that the caller may read.
pub(super) async fn list(engine: &Engine, caller: &Caller) -> Result<Value, Failure> {
    let tables = engine.tables().list(caller).await?;
    Ok(json!({ "tables": tables.iter().map(render_table).collect::<Vec<_>>() }))
}

fn render_table(table: &Table) -> Value {
    json!({
        "name": table.name,
        "description": table.description,
        "columns": columns(&table.columns),
        "recordCount": table.rows,
        "createdAt": render::time(table.created_at),
        "updatedAt": render::time(table.updated_at),
    })
}

fn columns(columns: &[Column]) -> Vec<Value> {
    columns
        .iter()
        .map(|column| {
            let kind = column.kind.compared_as().name();
            json!({"name": column.name, "type": kind, "nullable": true})
        })
        .collect()
}

async fn rows(engine: &Engine, caller: &Caller, request: TablesRequest) -> Result<Value, Failure> {
    let input = QueryTableRequest {
        table: request.table.unwrap_or_default(),
        filters: RecordFilter::parse(&request.filters)?,
        order: None,
        limit: Some(super::parse_count("limit", request.limit, DEFAULT_ROWS, limits::PAGE_ITEMS)?),
        offset: super::parse_offset(request.offset)?,
    };
    let found = engine.tables().query(caller, &input).await?;
    let shown = within_budget(caller, found.rows.iter().map(render_row).collect());
    Ok(render_rows(&found, shown, input.offset))
}

/// Returns one row by its id.
pub(super) async fn find_row(
    engine: &Engine,
    caller: &Caller,
    table: &str,
    id: RecordId,
) -> Result<Record, Failure> {
    let only = RecordFilter { column: "id".to_owned(), test: RecordTest::Equal(id.0.into()) };
    let input = QueryTableRequest {
        table: table.to_owned(),
        filters: vec![only],
        ..QueryTableRequest::default()
    };
    // The data may have a field called `id` as well, hence the second comparison.
    let found = engine
        .tables()
        .query(caller, &input)
        .await?
        .rows
        .into_iter()
        .find(|record| record.id == id);
    found.ok_or_else(|| Failure::not_found("row", format!("{id} in {table}")))
}

/// Cuts the rows for an agent to [`ROWS_TOKENS`].
fn within_budget(caller: &Caller, rows: Vec<Value>) -> FittedList {
    fit_list(rows, if caller.in_person { usize::MAX } else { ROWS_TOKENS })
}

fn render_rows(found: &TableRows, shown: FittedList, offset: usize) -> Value {
    let next = offset + shown.items.len();
    let warnings = missing_warnings(&shown, next);
    let answer = json!({
        "table": found.table.name,
        "recordCount": shown.items.len(),
        "records": shown.items,
        "total": found.total,
    });
    render::append_warnings(answer, &warnings)
}

/// Says how to get what was cut.
fn missing_warnings(shown: &FittedList, next: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if shown.left_out > 0 {
        warnings.push(format!(
            "{} rows left out to stay within {ROWS_TOKENS} tokens; ask with offset {next}, or \
             narrow the filters or columns",
            shown.left_out
        ));
    }
    if shown.is_cut {
        warnings.push(
            "values that end in [cut …] are shortened; ask for the row alone by its id, or SELECT \
             substr(column, 1, 8000)"
                .to_owned(),
        );
    }
    warnings
}

/// Renders a row with its fields and the columns that every row has. A field with the name of such
/// a column takes precedence, because it is the caller's own data.
pub(super) fn render_row(record: &Record) -> Value {
    let mut shown = record.data.clone();
    let source = SourceRef::Row { table: record.table.clone(), id: record.id };
    let own: [(&str, Value); 6] = [
        ("id", record.id.0.into()),
        ("created_at", render::time(record.created_at)),
        ("updated_at", render::time(record.updated_at)),
        ("_deleted_at", Value::Null),
        ("_meta_id", record.memory.map(|memory| memory.0).into()),
        ("_source_ref", source.to_string().into()),
    ];
    for (name, value) in own {
        shown.entry(name).or_insert(value);
    }
    Value::Object(shown)
}

async fn select(
    engine: &Engine,
    caller: &Caller,
    request: TablesRequest,
) -> Result<Value, Failure> {
    if !request.filters.is_empty() {
        return Err(Failure::invalid(
            "give sql or filters, not both; put the conditions into the WHERE clause",
        ));
    }
    let offset = super::parse_offset(request.offset)?;
    let limit = super::parse_count("limit", request.limit, limits::PAGE_ITEMS, limits::SQL_ROWS)?;
    // The sandbox cannot skip rows, so the rows before the offset are fetched too.
    let wanted = limit.saturating_add(offset).min(limits::SQL_ROWS);
    let input =
        SelectRequest { sql: request.sql.unwrap_or_default(), tables: None, limit: Some(wanted) };
    match engine.tables().select(caller, &input).await {
        Ok(selected) => Ok(render_selection(caller, request.table, &selected, offset)),
        Err(failure) => {
            Err(prefer_named_table_failure(engine, caller, request.table, failure).await)
        }
    }
}

/// Replaces the failure of a SELECT if the named table is missing or not granted: that is the more
/// useful error.
async fn prefer_named_table_failure(
    engine: &Engine,
    caller: &Caller,
    table: Option<String>,
    failure: Failure,
) -> Failure {
    let Some(table) = table else { return failure };
    let input = QueryTableRequest { table, limit: Some(1), ..QueryTableRequest::default() };
    engine.tables().query(caller, &input).await.err().unwrap_or(failure)
}

fn render_selection(
    caller: &Caller,
    table: Option<String>,
    selected: &SelectResults,
    offset: usize,
) -> Value {
    let records = selected.records().into_iter().skip(offset).map(Value::Object).collect();
    let shown = within_budget(caller, records);
    let warnings = missing_warnings(&shown, offset + shown.items.len());
    let answer = json!({
        "table": table.unwrap_or_else(|| selected.tables.join(", ")),
        "recordCount": shown.items.len(),
        "truncated": selected.truncated || shown.left_out > 0,
        "records": shown.items,
        "columns": columns(&selected.columns),
    });
    render::append_warnings(answer, &warnings)
}

//! Tables: what there is, rows by filters, and one SELECT in the sandbox.

use super::shown;
use super::source_ref::SourceRef;
use engine::tables::{QueryTable, RecordFilter, Select, Selected, TableRows, Test};
use engine::{Caller, Engine};
use model::{Column, Failure, JsonMap, Record, RecordId, Table, limits};
use serde_json::{Value, json};

/// How many rows a query by filters gives unless told otherwise.
const ROWS: usize = 50;

/// What is asked of tables, from whichever shorthand it came.
#[derive(Debug, Default)]
pub(super) struct Ask {
    pub table: Option<String>,
    pub filters: JsonMap,
    pub sql: Option<String>,
    pub limit: Option<i64>,
    pub offset: Option<i64>,
}

/// Lists the tables, runs the SQL, or reads rows.
pub(super) async fn ask(engine: &Engine, caller: &Caller, ask: Ask) -> Result<Value, Failure> {
    match (&ask.table, &ask.sql) {
        (_, Some(_)) => select(engine, caller, ask).await,
        (Some(_), None) => rows(engine, caller, ask).await,
        (None, None) if ask.filters.is_empty() => list(engine, caller).await,
        (None, None) => {
            Err(Failure::invalid("filters need a table; mode table without arguments lists them"))
        }
    }
}

/// Every table that the caller may read.
pub(super) async fn list(engine: &Engine, caller: &Caller) -> Result<Value, Failure> {
    let tables = engine.tables().list(caller).await?;
    Ok(json!({ "tables": tables.iter().map(listed).collect::<Vec<_>>() }))
}

fn listed(table: &Table) -> Value {
    json!({
        "name": table.name,
        "description": table.description,
        "columns": columns(&table.columns),
        "recordCount": table.rows,
        "createdAt": shown::time(table.created_at),
        "updatedAt": shown::time(table.updated_at),
    })
}

fn columns(columns: &[Column]) -> Vec<Value> {
    columns
        .iter()
        .map(|column| json!({"name": column.name, "type": column.kind.name(), "nullable": true}))
        .collect()
}

async fn rows(engine: &Engine, caller: &Caller, ask: Ask) -> Result<Value, Failure> {
    let input = QueryTable {
        table: ask.table.unwrap_or_default(),
        filters: RecordFilter::parse(&ask.filters)?,
        order: None,
        limit: Some(super::count("limit", ask.limit, ROWS, limits::PAGE)?),
        offset: super::offset(ask.offset)?,
    };
    Ok(read(&engine.tables().query(caller, &input).await?))
}

/// One row by its number.
pub(super) async fn row(
    engine: &Engine,
    caller: &Caller,
    table: &str,
    id: RecordId,
) -> Result<Record, Failure> {
    let only = RecordFilter { column: "id".to_owned(), test: Test::Is(id.0.into()) };
    let input =
        QueryTable { table: table.to_owned(), filters: vec![only], ..QueryTable::default() };
    let found = engine
        .tables()
        .query(caller, &input)
        .await?
        .rows
        .into_iter()
        .find(|record| record.id == id);
    found.ok_or_else(|| Failure::not_found("row", format!("{id} in {table}")))
}

fn read(found: &TableRows) -> Value {
    json!({
        "table": found.table.name,
        "recordCount": found.rows.len(),
        "records": found.rows.iter().map(record).collect::<Vec<_>>(),
        "total": found.total,
    })
}

/// A row with its fields and what every row has. A field of the same name as one of those stays the
/// field.
pub(super) fn record(record: &Record) -> Value {
    let mut shown = record.data.clone();
    let source = SourceRef::Row { table: record.table.clone(), id: record.id };
    let own: [(&str, Value); 6] = [
        ("id", record.id.0.into()),
        ("created_at", shown::time(record.created_at)),
        ("updated_at", shown::time(record.updated_at)),
        ("_deleted_at", Value::Null),
        ("_meta_id", record.memory.map(|memory| memory.0).into()),
        ("_source_ref", source.to_string().into()),
    ];
    for (name, value) in own {
        shown.entry(name).or_insert(value);
    }
    Value::Object(shown)
}

async fn select(engine: &Engine, caller: &Caller, ask: Ask) -> Result<Value, Failure> {
    if !ask.filters.is_empty() {
        return Err(Failure::invalid(
            "give sql or filters, not both; put the conditions into the WHERE of the sql",
        ));
    }
    let offset = super::offset(ask.offset)?;
    let limit = super::count("limit", ask.limit, limits::PAGE, limits::SQL_ROWS)?;
    let wanted = limit.saturating_add(offset).min(limits::SQL_ROWS);
    let input = Select { sql: ask.sql.unwrap_or_default(), tables: None, limit: Some(wanted) };
    match engine.tables().select(caller, &input).await {
        Ok(selected) => Ok(answered(ask.table, &selected, offset)),
        Err(failure) => Err(named_first(engine, caller, ask.table, failure).await),
    }
}

/// When the table that the caller names is closed or not there, that is what it should hear.
async fn named_first(
    engine: &Engine,
    caller: &Caller,
    table: Option<String>,
    failure: Failure,
) -> Failure {
    let Some(table) = table else { return failure };
    let input = QueryTable { table, limit: Some(1), ..QueryTable::default() };
    engine.tables().query(caller, &input).await.err().unwrap_or(failure)
}

fn answered(table: Option<String>, selected: &Selected, offset: usize) -> Value {
    let records: Vec<JsonMap> = selected.records().into_iter().skip(offset).collect();
    json!({
        "table": table.unwrap_or_else(|| selected.tables.join(", ")),
        "recordCount": records.len(),
        "records": records,
        "columns": columns(&selected.columns),
        "truncated": selected.truncated,
    })
}

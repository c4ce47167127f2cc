//! `tables`: lists tables, reads rows with filters or SQL, and updates or deletes a row. Rows are
//! added with `remember`.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::tables::{
    QueryTableRequest, RecordFilter, RowOrder, SelectRequest, SelectResults, TableRows,
    UpdateRowRequest,
};
use engine::{Caller, Engine};
use model::{Column, Failure, JsonMap, Record, RecordId, Table};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of rows of a SELECT.
const DEFAULT_SELECT_ROWS: usize = 50;

/// Arguments of `tables`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// list, query, update or delete; default: query with a table, else list.
    action: Option<String>,
    /// Name of the table.
    table: Option<String>,
    /// {"food": "pizza", "calories": {"gt": 500}}; operators: gt gte lt lte ne in contains null.
    filters: Option<JsonMap>,
    /// One SELECT (SQLite) over any tables, instead of filters.
    sql: Option<String>,
    /// Column to sort by; "-date" is newest first.
    order: Option<String>,
    /// Maximum rows; default 50, at most 1000.
    limit: Option<usize>,
    /// Rows to skip.
    offset: Option<usize>,
    /// update, delete: id of the row.
    id: Option<i64>,
    /// update: fields to change; null removes.
    data: Option<JsonMap>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "tables",
    title: "Tables",
    description: "Structured data, records, rows, lists and logs such as meals, books or \
                  expenses. list tables, query rows with filters or sql, update or delete one \
                  row; remember adds rows. Example: {\"table\": \"meals\", \
                  \"filters\": {\"calories\": {\"gt\": 500}}, \"order\": \"-date\"}",
    input: arguments::schema::<Arguments>,
    output: "tables?: objects, columns?: object, header?: strings, rows?: objects, \
             total?: integer, row?: object, memory?: integer, proposal?: integer, \
             notes?: strings, hint?: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let usual = if arguments.table.is_some() || arguments.sql.is_some() { "query" } else { "list" };
    match arguments.action.as_deref().unwrap_or(usual) {
        "list" => list(engine, caller).await,
        "query" if arguments.sql.is_some() => select(engine, caller, arguments).await,
        "query" => query(engine, caller, arguments).await,
        "update" => update(engine, caller, arguments).await,
        "delete" => delete(engine, caller, &arguments).await,
        other => {
            Err(super::unknown_action("tables", other, &["list", "query", "update", "delete"]))
        }
    }
}

impl Arguments {
    fn table(&self) -> Result<String, Failure> {
        self.table
            .clone()
            .ok_or_else(|| Failure::invalid("give the table's name; action list shows them"))
    }

    fn row(&self) -> Result<RecordId, Failure> {
        self.id.map(RecordId).ok_or_else(|| Failure::invalid("give the row's id; query shows it"))
    }
}

async fn list(engine: &Engine, caller: &Caller) -> Result<Value, Failure> {
    let tables = engine.tables().list(caller).await?;
    let mut answer =
        JsonMap::from_iter([("tables".to_owned(), tables.iter().map(table).collect())]);
    let hint =
        tables.is_empty().then(|| "no tables yet; remember with table and data creates one".into());
    render::insert_some(&mut answer, "hint", hint);
    Ok(Value::Object(answer))
}

fn table(table: &Table) -> Value {
    let mut shown = JsonMap::new();
    shown.insert("name".into(), table.name.as_str().into());
    render::insert_some(&mut shown, "description", table.description.as_deref().map(Value::from));
    shown.insert("rows".into(), table.rows.into());
    shown.insert("columns".into(), columns(&table.columns));
    Value::Object(shown)
}

fn columns(columns: &[Column]) -> Value {
    columns
        .iter()
        .map(|column| (column.name.clone(), column.kind.compared_as().name().into()))
        .collect::<JsonMap>()
        .into()
}

async fn query(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let order = arguments.order.as_deref().map(|column| RowOrder {
        column: column.trim_start_matches('-').to_owned(),
        descending: column.starts_with('-'),
    });
    let input = QueryTableRequest {
        table: arguments.table()?,
        filters: RecordFilter::parse(&arguments.filters.unwrap_or_default())?,
        order,
        limit: arguments.limit,
        offset: arguments.offset.unwrap_or(0),
    };
    Ok(rows(&engine.tables().query(caller, &input).await?, input.offset))
}

fn rows(found: &TableRows, offset: usize) -> Value {
    let left = found.total.saturating_sub(offset + found.rows.len());
    let mut answer = JsonMap::new();
    answer.insert("columns".into(), columns(&found.table.columns));
    answer.insert("rows".into(), found.rows.iter().map(row).collect());
    answer.insert("total".into(), found.total.into());
    let hint = (left > 0)
        .then(|| format!("{left} more; call with offset {}", offset + found.rows.len()).into());
    render::insert_some(&mut answer, "hint", hint);
    Value::Object(answer)
}

async fn select(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let Arguments { sql, table, filters, order, offset, limit, .. } = arguments;
    if filters.is_some() || order.is_some() || offset.is_some() {
        return Err(Failure::invalid(
            "sql excludes filters, order and offset; write them into the SELECT",
        ));
    }
    let tables = table.map(|table| vec![table]);
    let input = SelectRequest {
        sql: sql.unwrap_or_default(),
        tables,
        limit: limit.or(Some(DEFAULT_SELECT_ROWS)),
    };
    Ok(render_selection(&engine.tables().select(caller, &input).await?))
}

fn render_selection(found: &SelectResults) -> Value {
    let names: Vec<&str> = found.columns.iter().map(|column| column.name.as_str()).collect();
    let mut answer = JsonMap::new();
    answer.insert("columns".into(), columns(&found.columns));
    answer.insert("header".into(), json!(names));
    answer.insert("rows".into(), found.records().into_iter().map(Value::Object).collect());
    let hint = found
        .truncated
        .then(|| "there are more rows; select fewer columns, aggregate, or use LIMIT".into());
    render::insert_some(&mut answer, "hint", hint);
    Value::Object(answer)
}

fn row(record: &Record) -> Value {
    let mut shown = JsonMap::from_iter([("id".to_owned(), Value::from(record.id.0))]);
    shown.extend(record.data.clone());
    Value::Object(shown)
}

async fn update(engine: &Engine, caller: &Caller, arguments: Arguments) -> Result<Value, Failure> {
    let (table, id) = (arguments.table()?, arguments.row()?);
    let patch = arguments
        .data
        .ok_or_else(|| Failure::invalid("update needs the fields to change in `data`"))?;
    let changed = engine
        .tables()
        .update_row(caller, &UpdateRowRequest { table, row: id, patch, text: None })
        .await?;
    let mut answer = JsonMap::from_iter([("row".to_owned(), row(&changed.record))]);
    render::insert_some(&mut answer, "memory", changed.memory.map(|memory| memory.0.into()));
    render::insert_notes(&mut answer, &changed.notes);
    Ok(Value::Object(answer))
}

async fn delete(engine: &Engine, caller: &Caller, arguments: &Arguments) -> Result<Value, Failure> {
    let deleted = engine.tables().delete_row(caller, &arguments.table()?, arguments.row()?).await?;
    if let Some(proposal) = &deleted.proposal {
        let (review, hint) = (proposal.review.0, proposal.message());
        return Ok(json!({ "row": row(&deleted.record), "proposal": review, "hint": hint }));
    }
    Ok(json!({
        "row": row(&deleted.record),
        "hint": "the row is deleted and its memory retired; forget erases the memory for good"
    }))
}

//! `tables`: lists tables, reads rows with filters or SQL, and updates or deletes a row. Rows are
//! added with `remember`.

use super::render;
use crate::answer_budget::{FittedList, fit_list};
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

/// Maximum number of tokens of the rows of an answer to an agent.
const ROWS_TOKENS: usize = 8_000;
/// Hint for values that were cut.
const CUT_HINT: &str = "values that end in [cut …] are shortened; query the row alone, or SELECT \
                        substr(column, 1, 8000)";
/// Default number of rows of a SELECT.
const DEFAULT_SELECT_ROWS: usize = 50;

/// Arguments of `tables`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Default: query with a table, else list.
    #[schemars(extend("enum" = ["list", "query", "update", "delete"]))]
    action: Option<String>,
    table: Option<String>,
    /// Values or operators: gt gte lt lte ne in contains null.
    filters: Option<JsonMap>,
    /// One SELECT (SQLite) instead of filters.
    sql: Option<String>,
    /// "-date" is newest first.
    order: Option<String>,
    /// At most 1000.
    #[schemars(extend("default" = 50))]
    limit: Option<usize>,
    offset: Option<usize>,
    /// The row.
    id: Option<i64>,
    /// update: fields; null removes.
    data: Option<JsonMap>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "tables",
    title: "Tables",
    description: "Structured data: rows, lists and logs such as meals, books or expenses. list \
                  tables, query rows with filters or sql, update or delete one; remember adds \
                  rows. Example: \
                  {\"table\": \"meals\", \"filters\": {\"calories\": {\"gt\": 500}}}",
    input: arguments::short_schema::<Arguments>,
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
    let found = engine.tables().query(caller, &input).await?;
    let shown = within_budget(caller, found.rows.iter().map(row).collect());
    Ok(rows(&found, shown, input.offset))
}

/// Cuts the rows for an agent to [`ROWS_TOKENS`].
fn within_budget(caller: &Caller, rows: Vec<Value>) -> FittedList {
    fit_list(rows, if caller.in_person { usize::MAX } else { ROWS_TOKENS })
}

fn rows(found: &TableRows, shown: FittedList, offset: usize) -> Value {
    let next = offset + shown.items.len();
    let left = found.total.saturating_sub(next);
    let mut answer = JsonMap::new();
    answer.insert("columns".into(), columns(&found.table.columns));
    answer.insert("rows".into(), shown.items.into());
    answer.insert("total".into(), found.total.into());
    let more = (left > 0).then(|| format!("{left} more; call with offset {next}"));
    let hint = join_hints(more, shown.is_cut);
    render::insert_some(&mut answer, "hint", hint.map(Value::from));
    Value::Object(answer)
}

/// Adds how to read values that were cut.
fn join_hints(more: Option<String>, is_cut: bool) -> Option<String> {
    let cut = is_cut.then(|| CUT_HINT.to_owned());
    let hints: Vec<String> = more.into_iter().chain(cut).collect();
    (!hints.is_empty()).then(|| hints.join("; "))
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
    let found = engine.tables().select(caller, &input).await?;
    let records = found.records().into_iter().map(Value::Object).collect();
    Ok(render_selection(&found, within_budget(caller, records)))
}

fn render_selection(found: &SelectResults, shown: FittedList) -> Value {
    let names: Vec<&str> = found.columns.iter().map(|column| column.name.as_str()).collect();
    let mut answer = JsonMap::new();
    answer.insert("columns".into(), columns(&found.columns));
    answer.insert("header".into(), json!(names));
    let next = shown.items.len();
    answer.insert("rows".into(), shown.items.into());
    let more = (found.truncated || shown.left_out > 0).then(|| {
        format!("there are more rows; add LIMIT 50 OFFSET {next}, fewer columns, or aggregate")
    });
    let hint = join_hints(more, shown.is_cut);
    render::insert_some(&mut answer, "hint", hint.map(Value::from));
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

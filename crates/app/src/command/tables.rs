//! `quipu tables`: lists tables, and reads, changes or deletes their rows.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::{json_object, tool_arguments};
use crate::render::{self, count_with_noun};
use crate::setup::Setup;
use crate::text_page::{Style, TextPage};
use clap::Args;
use model::JsonMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu tables
  quipu tables meals --where '{\"calories\": {\"gt\": 500}}' --order -date
  quipu tables --sql 'SELECT food, avg(calories) FROM meals GROUP BY food'
  quipu tables meals --set 3 --data '{\"calories\": 850}'
  quipu tables meals --delete 3

Operators in --where: gt gte lt lte ne in contains null; a plain value means equal.
`quipu remember --table meals --data '{\"food\": \"pizza\"}'` adds a row.";

/// List tables, and read, change or delete their rows
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct TablesArgs {
    #[command(flatten)]
    query: TableQueryArgs,
    /// Id of the row to change by merging --data into it
    #[arg(long, value_name = "ROW", requires = "data", conflicts_with_all = ["delete", "filters"])]
    set: Option<i64>,
    /// Id of the row to delete; the memory it came from is retired
    #[arg(long, value_name = "ROW", requires = "table", conflicts_with = "filters")]
    delete: Option<i64>,
}

/// Query options, under the parameter names of the tool `tables`.
#[derive(Debug, Args, Serialize)]
struct TableQueryArgs {
    /// Table to read; lists all tables if omitted
    #[arg(value_name = "TABLE")]
    table: Option<String>,
    /// Only rows that match this JSON object
    #[arg(long = "where", value_name = "JSON", value_parser = json_object, requires = "table")]
    filters: Option<JsonMap>,
    /// SELECT statement over any tables, in SQLite's SQL
    #[arg(
        long,
        value_name = "SELECT",
        conflicts_with_all = ["table", "filters", "order", "offset", "set", "delete"]
    )]
    sql: Option<String>,
    /// Column to sort by; a leading - sorts in descending order, as in -date
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true, requires = "table")]
    order: Option<String>,
    /// Maximum number of rows [default: 50]
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Number of rows to skip
    #[arg(long, value_name = "N")]
    offset: Option<usize>,
    /// Fields to change with --set, as a JSON object; null removes a field
    #[arg(long, value_name = "JSON", value_parser = json_object, requires = "set")]
    data: Option<JsonMap>,
}

#[derive(Debug, Deserialize)]
struct TablesOutput {
    tables: Vec<TableOutput>,
}

#[derive(Debug, Deserialize)]
struct TableOutput {
    name: String,
    description: Option<String>,
    rows: usize,
    columns: JsonMap,
}

#[derive(Debug, Deserialize)]
struct SelectOutput {
    header: Vec<String>,
    rows: Vec<JsonMap>,
    hint: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RowsOutput {
    columns: JsonMap,
    rows: Vec<JsonMap>,
    total: usize,
}

impl TablesArgs {
    /// Lists tables, or reads, changes or deletes rows.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut given = tool_arguments(&self.query)?;
        let reads = self.query.table.is_some() || self.query.sql.is_some();
        let (action, row) = match (self.set, self.delete, reads) {
            (Some(row), _, _) => ("update", Some(row)),
            (_, Some(row), _) => ("delete", Some(row)),
            (_, _, true) => ("query", None),
            _ => ("list", None),
        };
        given.insert("action".into(), json!(action));
        given.extend(row.map(|row| ("id".to_owned(), json!(row))));
        let answer =
            setup.with_memory(async |memory| memory.call_tool("tables", given).await).await?;
        let mut page = TextPage::new(setup.terminal);
        match action {
            "list" => write_list(&mut page, &render::parse_result::<TablesOutput>(&answer)?),
            "query" if self.query.sql.is_some() => {
                write_select(&mut page, render::parse_result(&answer)?)
            }
            "query" => write_rows(&mut page, &render::parse_result::<RowsOutput>(&answer)?),
            "update" => write_row(&mut page, "Changed row", &render::parse_result(&answer["row"])?),
            _ => {
                write_row(&mut page, "Deleted row", &render::parse_result(&answer["row"])?);
                page.add_text("The memory it came from is retired; erase it with `quipu forget`.");
            }
        }
        Ok(CommandOutput::new(answer, page))
    }
}

fn write_list(page: &mut TextPage, listed: &TablesOutput) {
    if listed.tables.is_empty() {
        page.add_text(
            "No tables yet. Create one with `quipu remember --table meals --data '{\"food\": \
             \"pizza\"}'`.",
        );
    }
    for table in &listed.tables {
        let rows = count_with_noun(table.rows, "row", "rows");
        page.headline(&[
            (Style::Strong, &table.name),
            (Style::Faint, &rows),
            (Style::Plain, table.description.as_deref().unwrap_or("")),
        ]);
        let columns = table.columns.iter().map(|(name, kind)| vec![name.clone(), cell_text(kind)]);
        page.columns(&columns.collect::<Vec<_>>());
    }
}

fn write_select(page: &mut TextPage, found: SelectOutput) {
    write_grid(page, found.header, &found.rows);
    if let Some(hint) = found.hint {
        page.blank().paragraph(0, Style::Faint, &hint);
    }
}

fn write_grid(page: &mut TextPage, names: Vec<String>, rows: &[JsonMap]) {
    let cell = |row: &JsonMap, name: &String| row.get(name).map(cell_text).unwrap_or_default();
    let mut lines: Vec<Vec<String>> =
        rows.iter().map(|row| names.iter().map(|name| cell(row, name)).collect()).collect();
    lines.insert(0, names);
    page.columns(&lines);
}

fn write_rows(page: &mut TextPage, found: &RowsOutput) {
    let names = std::iter::once("id".to_owned()).chain(found.columns.keys().cloned()).collect();
    write_grid(page, names, &found.rows);
    let more = found.total.saturating_sub(found.rows.len());
    if more > 0 {
        page.blank().paragraph(
            0,
            Style::Faint,
            &format!("{more} of {} rows not shown; use -n and --offset.", found.total),
        );
    }
}

fn write_row(page: &mut TextPage, sentence: &str, row: &JsonMap) {
    let fields: Vec<(&str, String)> =
        row.iter().map(|(name, value)| (name.as_str(), cell_text(value))).collect();
    page.add_text(&format!("{sentence}:")).pairs(&fields);
}

fn cell_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

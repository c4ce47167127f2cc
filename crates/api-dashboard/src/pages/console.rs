//! SQL console: one SELECT over the owner's tables, run in the sandbox over copies of them.

use super::parts::number;
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::tables::{Select, Selected};
use maud::{Markup, html};
use model::{Failure, Table};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of rows shown.
const ROWS: usize = 500;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    sql: Option<String>,
}

pub(super) async fn page(context: Desk, _: Nothing, query: Asked) -> Result<Page, Failure> {
    let tables = context.engine.tables().list(&context.caller).await?;
    let sql = query.sql.unwrap_or_default();
    let selected = if sql.trim().is_empty() {
        None
    } else {
        let select = Select { sql: sql.clone(), tables: None, limit: Some(ROWS) };
        Some(context.engine.tables().select(&context.caller, &select).await)
    };
    let body = html! {
        p.crumb { a href="/tables" { "Tables" } " / Console" }
        h1 { "Console" }
        form.wide action="/tables-console" {
            label {
                span { "One SELECT" }
                textarea.code name="sql" rows="4" required spellcheck="false"
                    placeholder=(example(&tables)) {
                    (sql)
                }
            }
            button.primary { "Run" }
        }
        @match &selected {
            None => {}
            Some(Err(failure)) => p.problem role="alert" {
                (failure.message) " " (failure.code.hint())
            }
            Some(Ok(selected)) => (answer(selected))
        }
        section {
            h2 { "Tables" }
            dl.pairs {
                @for table in &tables {
                    dt dir="auto" { (table.name) }
                    dd dir="auto" { (column_names(table)) }
                }
            }
        }
    };
    Ok(Page { title: "Console".into(), place: "/tables", body })
}

fn column_names(table: &Table) -> String {
    table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn example(tables: &[Table]) -> String {
    tables
        .first()
        .map_or_else(String::new, |table| format!("SELECT * FROM {} LIMIT 10", table.name))
}

fn answer(selected: &Selected) -> Markup {
    html! {
        p.found { (number(selected.rows.len())) " rows" @if selected.truncated { " (truncated)" } }
        div.scroll tabindex="0" role="region" aria-label="Query result" {
            table {
                thead {
                    tr {
                        @for column in &selected.columns {
                            th scope="col" dir="auto" {
                                (column.name) " " small { (column.kind.name()) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &selected.rows {
                        tr {
                            @for (value, column) in row.iter().zip(&selected.columns) {
                                td data-type=(column.kind.name()) dir="auto" { (told(value)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn told(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => super::parts::teaser(text),
        other => super::parts::teaser(&other.to_string()),
    }
}

//! SQL console: one SELECT over the owner's tables, run in the sandbox over copies of them.

use super::components::counted;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::tables::{SelectRequest, SelectResults};
use maud::{Markup, html};
use model::{Failure, Table};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of rows shown.
const ROWS_MAX: usize = 500;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ConsoleQuery {
    sql: Option<String>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: ConsoleQuery,
) -> Result<PageContent, Failure> {
    let tables = context.engine.tables().list(&context.caller).await?;
    let sql = query.sql.unwrap_or_default();
    let selected = if sql.trim().is_empty() {
        None
    } else {
        let select = SelectRequest { sql: sql.clone(), tables: None, limit: Some(ROWS_MAX) };
        Some(context.engine.tables().select(&context.caller, &select).await)
    };
    let body = html! {
        p.crumb { a href="/tables" { "Tables" } " / SQL console" }
        h1 { "SQL console" }
        form.wide action="/tables-console" {
            label {
                span { "One SELECT" }
                div.sql {
                    pre #sql-colours aria-hidden="true" {}
                    textarea #sql.code name="sql" rows="5" required spellcheck="false"
                        placeholder=(example(&tables)) {
                        (sql)
                    }
                }
            }
            div.actions {
                button.primary { "Run" } span.note { kbd { "Ctrl" } " " kbd { "Enter" } }
            }
        }
        details hidden { summary { "History" } ul.plain #sql-history {} }
        @match &selected {
            None => {}
            Some(Err(failure)) => p.problem role="alert" {
                (super::words::sentence(&failure.message))
            }
            Some(Ok(selected)) => (result_table(selected))
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
    Ok(PageContent { title: "SQL console".into(), nav_path: "/tables", body })
}

fn column_names(table: &Table) -> String {
    table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn example(tables: &[Table]) -> String {
    tables
        .first()
        .map_or_else(String::new, |table| format!("SELECT * FROM {} LIMIT 10", table.name))
}

fn result_table(selected: &SelectResults) -> Markup {
    html! {
        p.found {
            (counted(selected.rows.len(), "row", "rows"))
            @if selected.truncated { " (truncated)" }
        }
        div.actions {
            button #export-result type="button" { "Export as CSV" }
            (chart_choice())
        }
        ul.bars #chart {}
        div.scroll tabindex="0" role="region" aria-label="Query result" {
            table data-result {
                thead {
                    tr {
                        @for column in &selected.columns {
                            th scope="col" dir="auto" data-name=(column.name)
                                data-type=(column.kind.compared_as().name()) {
                                (column.name) " " small { (column.kind.compared_as().name()) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &selected.rows {
                        tr {
                            @for (value, column) in row.iter().zip(&selected.columns) {
                                td data-type=(column.kind.compared_as().name()) dir="auto" {
                                    (cell_text(value))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the choice of the column that is shown as a chart.
pub(super) fn chart_choice() -> Markup {
    html! {
        label.charting {
            span { "Chart" } select #chart-column { option value="" { "none" } }
        }
    }
}

fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => super::components::teaser(text),
        other => super::components::teaser(&other.to_string()),
    }
}

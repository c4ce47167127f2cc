//! Export of a whole table as CSV or JSON.

use super::super::components::csv_field;
use crate::request_context::RequestContext;
use crate::v1::{RowJson, TablePath};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use engine::tables::QueryTableRequest;
use model::{Column, Failure, Record, limits};
use schemars::JsonSchema;
use serde::Deserialize;

/// Maximum number of exported rows.
const EXPORT_ROWS: usize = 100_000;

/// Query of the export.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TableExportQuery {
    #[serde(rename = "as")]
    form: Option<String>,
}

/// Exports the whole table as a file.
pub(in crate::pages) async fn export(
    context: RequestContext,
    path: TablePath,
    wanted: TableExportQuery,
) -> Result<Response, Failure> {
    let mut all = Vec::new();
    // The engine returns at most one page of rows at once.
    let mut query = QueryTableRequest {
        table: path.table,
        limit: Some(limits::PAGE_ITEMS),
        ..QueryTableRequest::default()
    };
    let table = loop {
        let found = context.engine.tables().query(&context.caller, &query).await?;
        all.extend(found.rows);
        query.offset = all.len();
        if all.len() >= found.total.min(EXPORT_ROWS) {
            break found.table;
        }
    };
    let (kind, form, text) = match wanted.form.as_deref() {
        Some("json") => ("application/json", "json", as_json(all)?),
        _ => ("text/csv; charset=utf-8", "csv", as_csv(&table.columns, &all)),
    };
    let plain: String =
        table.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let disposition = format!("attachment; filename=\"{plain}.{form}\"");
    Ok(([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, disposition.as_str())], text).into_response())
}

fn as_json(rows: Vec<Record>) -> Result<String, Failure> {
    let shown: Vec<RowJson> = rows.into_iter().map(RowJson::from).collect();
    serde_json::to_string_pretty(&shown).map_err(|error| Failure::invalid(error.to_string()))
}

fn as_csv(columns: &[Column], rows: &[Record]) -> String {
    let mut text = String::from("id");
    for column in columns {
        text.push(',');
        text.push_str(&csv_field(&column.name));
    }
    for record in rows {
        text.push_str(&format!("\r\n{}", record.id));
        for column in columns {
            let value = record.data.get(&column.name).filter(|value| !value.is_null());
            let text_value =
                value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            text.push(',');
            text.push_str(&csv_field(&text_value.unwrap_or_default()));
        }
    }
    text + "\r\n"
}

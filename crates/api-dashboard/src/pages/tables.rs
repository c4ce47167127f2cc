//! Tables page: the existing tables, and a form for a new one.

use super::components::{counted, empty_state, form_error, percent_encode, time};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use maud::html;
use model::Failure;

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let tables = context.engine.tables().list(&context.caller).await?;
    let body = html! {
        div.heading { h1 { "Tables" } a href="/tables-console" { "SQL console" } }
        @if tables.is_empty() {
            (empty_state("No tables yet", html! {
                p {
                    "A table appears when its first row is written: by an agent (“log that I had "
                    "pizza for lunch”), or here."
                }
            }))
        } @else {
            ul.cards {
                @for table in &tables {
                    li.card {
                        div {
                            p.title {
                                a href={ "/tables/" (percent_encode(&table.name)) } dir="auto" {
                                    (table.name)
                                }
                            }
                            @if let Some(description) = &table.description {
                                p.text dir="auto" { (description) }
                            }
                            p.about {
                                span { (counted(table.rows, "row", "rows")) }
                                span { (counted(table.columns.len(), "column", "columns")) } (time(table.updated_at))
                            }
                        }
                    }
                }
            }
        }
        details open[tables.is_empty()] {
            summary { "New table" }
            form.inline data-table="rows" data-say="Table created." {
                label {
                    span { "Table" }
                    input name="table" required maxlength="200" placeholder="meals" dir="auto";
                }
                label {
                    span { "First column" }
                    input name="column" required maxlength="200" placeholder="food" dir="auto";
                }
                label {
                    span { "First value" }
                    input name="value" required placeholder="pizza" dir="auto";
                }
                button.primary { "Create" } (form_error())
            }
        }
    };
    Ok(PageContent { title: "Tables".into(), nav_path: "/tables", body })
}

//! Tables page: the existing tables, and a form for a new one.

use super::parts::{encoded, nothing, number, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use maud::html;
use model::Failure;

pub(super) async fn page(context: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let tables = context.engine.tables().list(&context.caller).await?;
    let body = html! {
        div.heading { h1 { "Tables" } a href="/tables-console" { "Console" } }
        @if tables.is_empty() {
            (nothing("No tables yet", html! {
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
                                a href={ "/tables/" (encoded(&table.name)) } dir="auto" {
                                    (table.name)
                                }
                            }
                            @if let Some(description) = &table.description {
                                p.text dir="auto" { (description) }
                            }
                            p.about {
                                span { (number(table.rows)) " rows" }
                                span { (table.columns.len()) " columns" } (when(table.updated_at))
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
                button.primary { "Create" } (problem())
            }
        }
    };
    Ok(Page { title: "Tables".into(), place: "/tables", body })
}

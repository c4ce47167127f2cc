//! Graph page: entities and their relations on a canvas, and the same as a list for screen readers.

use super::parts::nothing;
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::entities::ListEntities;
use maud::html;
use model::Failure;
use schemars::JsonSchema;
use serde::Deserialize;

/// Maximum number of entities in the list next to the canvas.
const LISTED: usize = 60;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    entity: Option<i64>,
    name: Option<String>,
    memories: Option<String>,
    since: Option<String>,
    until: Option<String>,
}

pub(super) async fn page(context: Desk, _: Nothing, query: Asked) -> Result<Page, Failure> {
    let name = query.name.clone().filter(|name| !name.trim().is_empty());
    let list = ListEntities { name: name.clone(), limit: Some(LISTED), ..ListEntities::default() };
    let listed = context.engine.graph().list_entities(&context.caller, &list).await?;
    let memories = query.memories.is_some();
    let non_empty = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (since, until) = (non_empty(&query.since), non_empty(&query.until));
    let (since, until) = (since.as_deref(), until.as_deref());
    let body = html! {
        h1 { "Graph" }
        @if listed.items.is_empty() && name.is_none() {
            (nothing("No entities yet", html! {
                p { "People, places, code and tools appear here when memories mention them." }
            }))
        } @else {
            form.inline role="search" action="/graph" {
                label {
                    span { "Name" }
                    input type="search" name="name" value=[name.as_deref()] dir="auto";
                }
                label { span { "From" } input type="date" name="since" value=[since]; }
                label { span { "Until" } input type="date" name="until" value=[until]; }
                label.check {
                    input type="checkbox" name="memories" value="1" checked[memories];
                    "Include memories"
                }
                button { "Show" } a href="/graph" { "Show all" }
            }
            div.graph {
                div {
                    canvas #graph data-entity=[query.entity] data-name=[name.as_deref()]
                        data-memories=[memories.then_some("1")] data-since=[since]
                        data-until=[until] width="900" height="560" tabindex="0" role="img"
                        aria-label="Entities and relations; the list has the same content" {}
                    p.note #legend {}
                    p.note #drawn role="status" {}
                    p.note {
                        "Drag to move, wheel or + and − to zoom, click to expand, "
                        "double-click to open."
                    }
                    p.problem role="alert" #graph-problem hidden {}
                }
                section {
                    h2 { "Most mentioned" }
                    ul.plain.tall tabindex="0" aria-label="Entities" {
                        @for entity in &listed.items {
                            li {
                                a dir="auto" href={ "/entities/" (entity.id) } { (entity.name) } " "
                                span.kind dir="auto" { (entity.kind) } " "
                                small { (entity.mentions) }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(Page { title: "Graph".into(), place: "/graph", body })
}

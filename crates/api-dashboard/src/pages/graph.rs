//! Graph page: entities and their relations on a canvas, and the same as a list for screen readers.

use super::components::empty_state;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::entities::ListEntitiesRequest;
use maud::html;
use model::Failure;
use schemars::JsonSchema;
use serde::Deserialize;

/// Maximum number of entities in the list next to the canvas.
const LISTED_MAX: usize = 60;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GraphPageQuery {
    entity: Option<i64>,
    name: Option<String>,
    memories: Option<String>,
    since: Option<String>,
    until: Option<String>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: GraphPageQuery,
) -> Result<PageContent, Failure> {
    let name = query.name.clone().filter(|name| !name.trim().is_empty());
    let list = ListEntitiesRequest {
        name: name.clone(),
        limit: Some(LISTED_MAX),
        ..ListEntitiesRequest::default()
    };
    let listed = context.engine.graph().list_entities(&context.caller, &list).await?;
    let memories = query.memories.is_some();
    let non_empty = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (since, until) = (non_empty(&query.since), non_empty(&query.until));
    let (since, until) = (since.as_deref(), until.as_deref());
    let body = html! {
        h1 { "Graph" }
        @if listed.items.is_empty() && name.is_none() {
            (empty_state("No entities yet", html! {
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
    Ok(PageContent { title: "Graph".into(), nav_path: "/graph", body })
}

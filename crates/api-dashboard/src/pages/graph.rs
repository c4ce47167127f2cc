//! Graph page: entities and their relations on a canvas, and the same as a list for screen readers.
//! The script draws the picture, fills the panel, and replays how the graph grew.

use super::components::empty_state;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::entities::ListEntitiesRequest;
use maud::{Markup, html};
use model::{Entity, Failure};
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
        link rel="stylesheet" href="/assets/graph.css";
        @if listed.items.is_empty() && name.is_none() {
            h1 { "Graph" }
            (empty_state("No entities yet", html! {
                p { "People, places, code and tools appear here when memories mention them." }
            }))
        } @else {
            div.heading { h1 { "Graph" } (search_form(name.as_deref(), memories, since, until)) }
            div.graph {
                div {
                    div.stage {
                        canvas #graph data-entity=[query.entity] data-name=[name.as_deref()]
                            data-memories=[memories.then_some("1")] data-since=[since]
                            data-until=[until] width="900" height="560" tabindex="0"
                            role="application" aria-roledescription="graph"
                            aria-label="Entities and relations; the list has the same content"
                            aria-describedby="graph-keys" {}
                        canvas #graph-text aria-hidden="true" width="900" height="560" {}
                        (tools())
                        (growth())
                    }
                    div #legend role="group" aria-label="Kinds" {}
                    p.note #drawn role="status" {}
                    p.note #graph-keys {
                        span.keys-hint {
                            "Click for details, double-click to expand, drag to pin, drag onto "
                            "another to merge. Keys: arrows move, + and − zoom, 0 fits, j and k "
                            "walk, p pins, Enter opens the details."
                        }
                        span.touch-hint {
                            "Tap for details, drag to pin, drag onto another to merge. "
                            "Two fingers move and zoom."
                        }
                    }
                    p.problem role="alert" #graph-problem hidden {}
                }
                div.beside {
                    section #node tabindex="-1" aria-label="Selected" hidden {}
                    (entity_list(&listed.items))
                }
            }
            (merge_dialog())
        }
    };
    Ok(PageContent { title: "Graph".into(), nav_path: "/graph", body })
}

fn search_form(
    name: Option<&str>,
    memories: bool,
    since: Option<&str>,
    until: Option<&str>,
) -> Markup {
    html! {
        form.inline.graph-find role="search" action="/graph" {
            label {
                span { "Name" }
                input #graph-name type="search" name="name" value=[name] dir="auto"
                    autocomplete="off";
            }
            label { span { "From" } input type="date" name="since" value=[since]; }
            label { span { "Until" } input type="date" name="until" value=[until]; }
            label.check {
                input type="checkbox" name="memories" value="1" checked[memories];
                "Include memories"
            }
            button { "Show" } a href="/graph" { "Show all" }
        }
    }
}

/// Renders the buttons on the picture.
fn tools() -> Markup {
    html! {
        div.tools {
            button #together type="button" aria-pressed="false" { "Named together" }
            button #zoom-in type="button" aria-label="Zoom in" { "+" }
            button #zoom-out type="button" aria-label="Zoom out" { "−" }
            button #fit type="button" { "Fit" }
            details #more {
                summary { "More" }
                div {
                    button #export-png type="button" { "Save as PNG" }
                    button #export-svg type="button" { "Save as SVG" }
                    button #copy-link type="button" { "Copy link" }
                    button #relayout type="button" { "Lay out anew" }
                }
            }
        }
    }
}

/// Renders the slider that replays how the graph grew.
fn growth() -> Markup {
    html! {
        div.timeline-bar {
            button #replay type="button" aria-pressed="false" { "Replay" }
            input #grown type="range" min="0" max="1" value="1" aria-label="Growth";
            output #grown-at {}
        }
    }
}

fn entity_list(entities: &[Entity]) -> Markup {
    html! {
        section.listed {
            h2 { "Most mentioned" }
            ul.plain.tall tabindex="0" aria-label="Entities" {
                @for entity in entities {
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

/// Renders the dialog that finds the other entity, and says what a merge does before it is done.
fn merge_dialog() -> Markup {
    html! {
        dialog #merge aria-labelledby="merge-title" {
            h2 #merge-title dir="auto" { "Merge" }
            form #merge-form {
                div #merge-search {
                    label {
                        span { "Merge into" }
                        input #merge-name type="search" dir="auto" autocomplete="off";
                    }
                    ul.plain #merge-found {}
                }
                ul #merge-preview {}
                p.problem role="alert" #merge-problem hidden {}
                div.actions {
                    button.primary #merge-confirm { "Merge" }
                    button #merge-swap type="button" hidden { "The other way round" }
                    button #merge-cancel type="button" { "Cancel" }
                }
            }
        }
    }
}

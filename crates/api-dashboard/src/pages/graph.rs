//! The graph: who and what is talked about, and how it relates, on a canvas; and the same as a list
//! for whoever does not see one.

use super::parts::nothing;
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::entities::ListEntities;
use maud::html;
use model::Failure;
use schemars::JsonSchema;
use serde::Deserialize;

/// How many entities the list beside the canvas shows.
const LISTED: usize = 60;

/// Where to begin.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    entity: Option<i64>,
    name: Option<String>,
    memories: Option<String>,
    since: Option<String>,
    until: Option<String>,
}

pub(super) async fn page(desk: Desk, _: Nothing, asked: Asked) -> Result<Page, Failure> {
    let name = asked.name.clone().filter(|name| !name.trim().is_empty());
    let list = ListEntities { name: name.clone(), limit: Some(LISTED), ..ListEntities::default() };
    let listed = desk.engine.graph().list_entities(&desk.caller, &list).await?;
    let memories = asked.memories.is_some();
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (since, until) = (given(&asked.since), given(&asked.until));
    let (since, until) = (since.as_deref(), until.as_deref());
    let body = html! {
        h1 { "Graph" }
        @if listed.items.is_empty() && name.is_none() {
            (nothing("Nobody and nothing is mentioned yet", html! { p { "People, places, code and tools appear here as memories speak of them." } }))
        } @else {
            form.inline role="search" action="/graph" {
                label { span { "Name" } input type="search" name="name" value=[name.as_deref()] dir="auto"; }
                label { span { "From" } input type="date" name="since" value=[since]; }
                label { span { "Until" } input type="date" name="until" value=[until]; }
                label.check { input type="checkbox" name="memories" value="1" checked[memories]; "Memories beside them" }
                button { "Show" } a href="/graph" { "Show all" }
            }
            div.graph {
                div {
                    canvas #graph data-entity=[asked.entity] data-name=[name.as_deref()] data-memories=[memories.then_some("1")] data-since=[since] data-until=[until] width="900" height="560" tabindex="0" role="img" aria-label="Entities and how they relate; the list beside it says the same" {}
                    p.note #legend {}
                    p.note #drawn role="status" {}
                    p.note { "Drag to move, wheel or + and − to zoom, click to expand, double-click to open." }
                    p.problem role="alert" #graph-problem hidden {}
                }
                section { h2 { "Most mentioned" } ul.plain.tall tabindex="0" aria-label="Entities" { @for entity in &listed.items {
                    li { a dir="auto" href={ "/entities/" (entity.id) } { (entity.name) } " " span.kind dir="auto" { (entity.kind) } " " small { (entity.mentions) } }
                } } }
            }
        }
    };
    Ok(Page { title: "Graph".into(), place: "/graph", body })
}

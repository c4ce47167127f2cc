//! Handoffs page: open and claimed handoffs; and the page of one handoff with its document.

use super::markdown::rendered;
use super::parts::{nothing, pager, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::ById;
use engine::handoffs::ListHandoffs;
use maud::{Markup, html};
use model::{Failure, Handoff, HandoffId, HandoffState};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of handoffs on a page.
const SIZE: usize = 30;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    all: Option<String>,
    cursor: Option<usize>,
}

pub(super) async fn page(context: Desk, _: Nothing, query: Asked) -> Result<Page, Failure> {
    let all = query.all.is_some();
    let states = if all {
        HandoffState::ALL.to_vec()
    } else {
        vec![HandoffState::Open, HandoffState::Claimed]
    };
    let offset = query.cursor.unwrap_or(0);
    let list = ListHandoffs { states, limit: Some(SIZE), offset, ..ListHandoffs::default() };
    let listed = context.engine.handoffs().list(&context.caller, &list).await?.handoffs;
    let link = if all { "/handoffs?all=1" } else { "/handoffs" };
    let body = html! {
        div.heading {
            h1 { "Handoffs" }
            @if all { a href="/handoffs" { "Open only" } }
            @else { a href="/handoffs?all=1" { "Include finished" } }
        }
        @if listed.items.is_empty() {
            (nothing("No open handoffs", html! {
                p {
                    "When an agent stops before its work is done, "
                    "it leaves a document here for the next agent to claim."
                }
            }))
        }
        ul.cards {
            @for handoff in &listed.items {
                li.card {
                    div {
                        p.title {
                            a href={ "/handoffs/" (handoff.id) } dir="auto" { (handoff.title) }
                        } (about(handoff))
                    }
                }
            }
        }
        (pager(link, offset, listed.items.len(), listed.total, SIZE))
    };
    Ok(Page { title: "Handoffs".into(), place: "/handoffs", body })
}

fn about(handoff: &Handoff) -> Markup {
    html! {
        p.about {
            span.status data-status=(state_colour(handoff.state)) { (handoff.state.name()) }
            span { "by " b dir="auto" { (handoff.created_by) } } (when(handoff.created_at))
            @if let Some(claim) = &handoff.claim {
                span { "claimed by " b dir="auto" { (claim.by) } " until " (when(claim.until)) }
            }
            @if let Some(project) = &handoff.project { span.project dir="auto" { (project) } }
            @for tag in &handoff.tags { span.tag dir="auto" { (tag) } }
        }
    }
}

fn state_colour(state: HandoffState) -> &'static str {
    match state {
        HandoffState::Open => "flag",
        HandoffState::Claimed => "proposal",
        HandoffState::Completed => "active",
        HandoffState::Cancelled => "retired",
    }
}

/// Page of one handoff.
pub(super) async fn one(context: Desk, path: ById, _: Nothing) -> Result<Page, Failure> {
    let handoff = context.engine.handoffs().get(&context.caller, HandoffId(path.id)).await?;
    let body = html! {
        p.crumb { a href="/handoffs" { "Handoffs" } " / " (handoff.id) }
        h1 dir="auto" { (handoff.title) }
        (about(&handoff))
        div.actions {
            @for (step, word) in steps(handoff.state) {
                form data-call={ "POST /v1/handoffs/" (handoff.id) "/" (step) }
                    data-say={ (word) ": done." } {
                    button { (word) } (problem())
                }
            }
        }
        article.whole { (rendered(&handoff.document)) }
        @if let Some(source) = &handoff.source_ref { p.note dir="auto" { "Source: " (source) } }
        @if let Some(cwd) = &handoff.cwd { p.note dir="auto" { "Written in " code { (cwd) } } }
    };
    Ok(Page { title: handoff.title, place: "/handoffs", body })
}

/// Actions of the owner for a handoff in this state.
fn steps(state: HandoffState) -> &'static [(&'static str, &'static str)] {
    match state {
        HandoffState::Open => &[("cancel", "Cancel")],
        HandoffState::Claimed => {
            &[("release", "Release"), ("complete", "Complete"), ("cancel", "Cancel")]
        }
        HandoffState::Completed | HandoffState::Cancelled => &[("reopen", "Reopen")],
    }
}

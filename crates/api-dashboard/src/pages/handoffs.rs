//! Handoffs page: open and claimed handoffs; and the page of one handoff with its document.

use super::components::{empty_state, form_error, pager, time};
use super::markdown::render;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::IdPath;
use engine::handoffs::ListHandoffsRequest;
use maud::{Markup, html};
use model::{Failure, Handoff, HandoffId, HandoffState};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of handoffs on a page.
const SIZE: usize = 30;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct HandoffsPageQuery {
    all: Option<String>,
    cursor: Option<usize>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: HandoffsPageQuery,
) -> Result<PageContent, Failure> {
    let all = query.all.is_some();
    let states = if all {
        HandoffState::ALL.to_vec()
    } else {
        vec![HandoffState::Open, HandoffState::Claimed]
    };
    let offset = query.cursor.unwrap_or(0);
    let list =
        ListHandoffsRequest { states, limit: Some(SIZE), offset, ..ListHandoffsRequest::default() };
    let listed = context.engine.handoffs().list(&context.caller, &list).await?.handoffs;
    let link = if all { "/handoffs?all=1" } else { "/handoffs" };
    let body = html! {
        div.heading {
            h1 { "Handoffs" }
            @if all { a href="/handoffs" { "Open only" } }
            @else { a href="/handoffs?all=1" { "Include finished" } }
        }
        @if listed.items.is_empty() {
            (empty_state("No open handoffs", html! {
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
    Ok(PageContent { title: "Handoffs".into(), nav_path: "/handoffs", body })
}

fn about(handoff: &Handoff) -> Markup {
    html! {
        p.about {
            span.status data-status=(state_colour(handoff.state)) { (handoff.state.name()) }
            span { "by " b dir="auto" { (handoff.created_by) } } (time(handoff.created_at))
            @if let Some(claim) = &handoff.claim {
                span {
                    "claimed by " b dir="auto" { (claim.by) } " at " (time(claim.since))
                    @if let Some(end) = claim.end() { " until " (time(end)) }
                    @for (name, text) in claim.details() {
                        ", " (name) " " span dir="auto" { (text) }
                    }
                }
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
pub(super) async fn one(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let handoff = context.engine.handoffs().get(&context.caller, HandoffId(path.id)).await?;
    let body = html! {
        p.crumb { a href="/handoffs" { "Handoffs" } " / " (handoff.id) }
        h1 dir="auto" { (handoff.title) }
        (about(&handoff))
        div.actions {
            @for (step, word, said) in actions(handoff.state) {
                form data-call={ "POST /v1/handoffs/" (handoff.id) "/" (step) }
                    data-say=(said) data-undo=[undo_of(step, handoff.id)] data-undo-body="{}" {
                    button { (word) } (form_error())
                }
            }
        }
        article.whole { (render(&handoff.document)) }
        @if let Some(source) = &handoff.source_ref { p.note dir="auto" { "Source: " (source) } }
        @if let Some(cwd) = &handoff.cwd {
            p.note dir="auto" { "Written in " code data-copy { (cwd) } }
        }
    };
    Ok(PageContent { title: handoff.title, nav_path: "/handoffs", body })
}

/// Actions of the owner for a handoff in this state.
fn actions(state: HandoffState) -> &'static [(&'static str, &'static str, &'static str)] {
    const COMPLETE: (&str, &str, &str) = ("complete", "Mark as done", "Marked as done.");
    const WITHDRAW: (&str, &str, &str) =
        ("cancel", "Withdraw handoff", "Withdrawn; no agent will pick it up.");
    const RELEASE: (&str, &str, &str) =
        ("release", "Release to others", "Released; any agent can pick it up.");
    match state {
        HandoffState::Open => &[COMPLETE, WITHDRAW],
        HandoffState::Claimed => &[RELEASE, COMPLETE, WITHDRAW],
        HandoffState::Completed | HandoffState::Cancelled => {
            &[("reopen", "Reopen", "Reopened; any agent can pick it up.")]
        }
    }
}

/// Returns the operation that takes a step back, where there is one.
fn undo_of(step: &str, id: HandoffId) -> Option<String> {
    let can_reopen = matches!(step, "complete" | "cancel");
    can_reopen.then(|| format!("POST /v1/handoffs/{id}/reopen"))
}

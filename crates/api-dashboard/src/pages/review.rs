//! Review page: the items that need a decision, with both sides and their provenance.

use super::components::{empty_state, form_error, pager, provenance, time};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::review::{ListReviewsRequest, ReviewView};
use maud::{Markup, html};
use model::{Failure, Memory, Resolution, ReviewKind, ReviewState};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of items on a page.
const SIZE: usize = 20;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReviewPageQuery {
    decided: Option<String>,
    cursor: Option<usize>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: ReviewPageQuery,
) -> Result<PageContent, Failure> {
    let decided = query.decided.is_some();
    let offset = query.cursor.unwrap_or(0);
    let list =
        ListReviewsRequest { decided, limit: Some(SIZE), offset, ..ListReviewsRequest::default() };
    let listed = context.engine.reviews().list(&context.caller, &list).await?;
    let link = if decided { "/review?decided=1" } else { "/review" };
    let body = html! {
        div.heading {
            h1 { "Review" }
            @if decided { a href="/review" { "Open only" } }
            @else {
                a href="/review?decided=1" { "Include decided" }
            }
        }
        @if listed.items.is_empty() {
            (empty_state("Nothing to review", html! {
                p {
                    "Contradictions, flags and proposals of your agents appear here, "
                    "so that you have the last word."
                }
            }))
        }
        @for view in &listed.items { (item(view)) }
        (pager(link, offset, listed.items.len(), listed.total, SIZE))
    };
    Ok(PageContent { title: "Review".into(), nav_path: "/review", body })
}

fn item(view: &ReviewView) -> Markup {
    let item = &view.item;
    html! {
        section.review aria-labelledby={ "review-" (item.id) } {
            h2 #{ "review-" (item.id) } {
                span.status data-status=(item.kind.name()) { (item.kind.name()) } " "
                span dir="auto" { (item.reason) }
            }
            p.about {
                span { "raised by " b dir="auto" { (item.raised_by) } } (time(item.raised_at))
            }
            div.sides {
                @for (title, memory) in sides(view) { (side(title, memory)) }
                @if let Some(patch) = item.details.get("profile") {
                    article.side {
                        h3 { "Proposed profile change" }
                        pre {
                            code dir="auto" {
                                (serde_json::to_string_pretty(patch).unwrap_or_default())
                            }
                        }
                    }
                }
            }
            (decision(view))
        }
    }
}

/// Returns the memories of an item with their titles: two sides, or all rivals.
fn sides(view: &ReviewView) -> Vec<(&'static str, &Memory)> {
    if view.folded.is_empty() {
        let kind = view.item.kind;
        let subject = view.subject.iter().map(|memory| (side_title(kind, true), memory));
        let against = view.against.iter().map(|memory| (side_title(kind, false), memory));
        return subject.chain(against).collect();
    }
    let titles = std::iter::once("Newest").chain(std::iter::repeat("Older"));
    titles.zip(view.rivals()).collect()
}

fn side_title(kind: ReviewKind, is_subject: bool) -> &'static str {
    match (kind, is_subject) {
        (ReviewKind::Contradiction, true) => "Newer",
        (ReviewKind::Contradiction, false) => "Older",
        (ReviewKind::Flag, _) => "Flagged as wrong",
        (ReviewKind::Proposal, true) => "Proposed",
        (ReviewKind::Proposal, false) => "Current",
    }
}

fn side(title: &str, memory: &Memory) -> Markup {
    html! {
        article.side {
            h3 { (title) } p.text dir="auto" { (super::components::teaser(&memory.text)) }
            (provenance(memory))
            p.note { "trust " (memory.provenance.trust.0) ", " (memory.provenance.origin.name()) }
            a href={ "/memories/" (memory.id) } { "Read or edit #" (memory.id) }
        }
    }
}

/// Decisions that apply to an item, each with its label.
fn choices(view: &ReviewView) -> &'static [(Resolution, &'static str)] {
    match view.item.kind {
        ReviewKind::Contradiction if !view.folded.is_empty() => &[
            (Resolution::Confirm, "Keep the newest"),
            (Resolution::Reject, "The newest is wrong"),
            (Resolution::KeepBoth, "Keep all"),
        ],
        ReviewKind::Contradiction => &[
            (Resolution::Confirm, "Keep the newer"),
            (Resolution::Reject, "Keep the older"),
            (Resolution::KeepBoth, "Keep both"),
        ],
        ReviewKind::Flag => {
            &[(Resolution::Confirm, "Reject the memory"), (Resolution::Reject, "Keep the memory")]
        }
        ReviewKind::Proposal => &[(Resolution::Confirm, "Accept"), (Resolution::Reject, "Refuse")],
    }
}

fn decision(view: &ReviewView) -> Markup {
    let item = &view.item;
    html! {
        @match &item.state {
            ReviewState::Resolved { resolution, by, at }
            => div.banner {
                p {
                    "Decided: " b { (resolution.name().replace('_', " ")) } " by "
                    span dir="auto" { (by) } ", " (time(*at))
                }
                form.decide data-call={ "POST /v1/review/" (item.id) "/undo" }
                    data-say="Undone; all sides are restored and the item is open again." {
                    button { "Undo" } (form_error())
                }
            }
            ReviewState::Open if view.is_settled => p.note {
                "Settled by other decisions; nothing is left to decide."
            }
            ReviewState::Open => form.decide data-call={ "POST /v1/review/" (item.id) }
                data-say="Decided." {
                @for (resolution, word) in choices(view) {
                    button name="resolution" value=(resolution.name()) { (word) }
                }
                (form_error())
            }
        }
    }
}

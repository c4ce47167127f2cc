//! Review page: the items that need a decision, with both sides and their provenance.

use super::comparison_marks::{differing_ranges, marked};
use super::components::{
    counted, empty_state, form_error, format_count, pager, percent_encode, provenance, time,
};
use super::profile::change::{change_in_words, fields_in_words};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::erasure::{ErasureMode, ErasureView};
use engine::review::{ListReviewsRequest, ReviewView};
use maud::{Markup, html};
use model::{Failure, JsonMap, Memory, Resolution, ReviewKind, ReviewState};
use reading::{MentionKind, mentions};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Number of items on a page.
const SIZE: usize = 20;

/// Kinds of items, with the label of their filter.
const KINDS: [(ReviewKind, &str); 3] = [
    (ReviewKind::Contradiction, "Contradictions"),
    (ReviewKind::Flag, "Flags"),
    (ReviewKind::Proposal, "Proposals"),
];

/// Query of the page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ReviewPageQuery {
    decided: Option<String>,
    kind: Option<String>,
    cursor: Option<usize>,
}

impl ReviewPageQuery {
    fn kind(&self) -> Option<ReviewKind> {
        self.kind.as_deref().and_then(ReviewKind::parse)
    }

    fn request(&self) -> ListReviewsRequest {
        ListReviewsRequest {
            decided: self.decided.is_some(),
            kind: self.kind(),
            limit: Some(SIZE),
            offset: self.cursor.unwrap_or(0),
            ..ListReviewsRequest::default()
        }
    }

    /// Returns the address of the page with another filter.
    fn link(&self, kind: Option<ReviewKind>, decided: bool) -> String {
        let kind = kind.map(|kind| format!("kind={}", percent_encode(kind.name())));
        let parts: Vec<String> =
            kind.into_iter().chain(decided.then(|| "decided=1".to_owned())).collect();
        if parts.is_empty() { "/review".to_owned() } else { format!("/review?{}", parts.join("&")) }
    }
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: ReviewPageQuery,
) -> Result<PageContent, Failure> {
    let request = query.request();
    let listed = context.engine.reviews().list(&context.caller, &request).await?;
    let totals = open_totals(&context).await?;
    let profile = profile_if_needed(&context, &listed.items).await?;
    let link = query.link(query.kind(), request.decided);
    let body = html! {
        div.heading { h1 { "Review" } p.note.keys-hint { (key_hint()) } }
        (filters(&query, &totals))
        @if listed.items.is_empty() {
            (empty_state("Nothing to review", html! {
                p {
                    "Contradictions, flags and proposals of your agents appear here, "
                    "so that you have the last word."
                }
            }))
        } @else { (list_tools()) }
        @for (subject, views) in by_subject(&listed.items) {
            section.group data-items {
                @if let Some(subject) = subject { h2.subject dir="auto" { (subject) } }
                @for view in views { (item(view, profile.as_ref())) }
            }
        }
        (pager(&link, request.offset, listed.items.len(), listed.total, SIZE))
        (bulk_actions())
    };
    Ok(PageContent { title: "Review".into(), nav_path: "/review", body })
}

/// Returns the number of open items of each kind.
async fn open_totals(context: &RequestContext) -> Result<Vec<usize>, Failure> {
    let mut totals = Vec::new();
    for (kind, _) in KINDS {
        let one = ListReviewsRequest {
            kind: Some(kind),
            limit: Some(1),
            ..ListReviewsRequest::default()
        };
        totals.push(context.engine.reviews().list(&context.caller, &one).await?.total);
    }
    Ok(totals)
}

fn key_hint() -> Markup {
    html! {
        kbd { "j" } " " kbd { "k" } " move, " kbd { "1" } " " kbd { "2" } " " kbd { "3" }
        " decide, " kbd { "x" } " select, " kbd { "u" } " undo"
    }
}

fn filters(query: &ReviewPageQuery, totals: &[usize]) -> Markup {
    let decided = query.decided.is_some();
    let current = |is: bool| is.then_some("true");
    html! {
        nav.chips aria-label="Filters" {
            a href=(query.link(None, decided)) aria-current=[current(query.kind().is_none())] {
                "All " span.amount { (format_count(totals.iter().sum())) }
            }
            @for ((kind, label), total) in KINDS.iter().zip(totals) {
                a href=(query.link(Some(*kind), decided))
                    aria-current=[current(query.kind() == Some(*kind))] {
                    (label) " " span.amount { (format_count(*total)) }
                }
            }
            a href=(query.link(query.kind(), !decided)) {
                @if decided { "Open only" } @else { "Include decided" }
            }
        }
    }
}

/// Renders the selection of all items, and the field that narrows them.
fn list_tools() -> Markup {
    html! {
        div.list-tools {
            label.check { input #pick-all type="checkbox"; "Select all" }
            input type="search" data-narrows=".review" placeholder="Only items with these words"
                aria-label="Only items with these words";
        }
    }
}

/// Actions for the selected items. The script shows them once something is selected.
fn bulk_actions() -> Markup {
    html! {
        section #bulk.bulk hidden aria-label="Actions for the selected items" {
            p { b #picked { "0" } " selected" }
            button data-decide-all="confirm" { "Accept, or keep the newer" }
            button data-decide-all="reject" { "Reject, or keep the older" }
            button data-decide-all="keep_both" { "Keep both" }
        }
    }
}

/// Groups items by what they are about: the name that most of them mention. A name that only one
/// item mentions makes no group.
fn by_subject(views: &[ReviewView]) -> Vec<(Option<String>, Vec<&ReviewView>)> {
    let named: Vec<Vec<String>> = views.iter().map(subjects).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in named.iter().flatten() {
        *uses.entry(name).or_default() += 1;
    }
    let mut groups: Vec<(Option<String>, Vec<&ReviewView>)> = Vec::new();
    for (view, names) in views.iter().zip(&named) {
        let shared = names.iter().filter(|name| uses[name.as_str()] > 1);
        let subject = shared.max_by_key(|name| uses[name.as_str()]).cloned();
        match groups.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, members)) => members.push(view),
            None => groups.push((subject, vec![view])),
        }
    }
    // The rest comes last, under a heading only if there are groups.
    groups.sort_by_key(|(subject, _)| subject.is_none());
    if let [.., (rest @ None, _)] = groups.as_mut_slice()
        && views.len() > 1
        && uses.values().any(|count| *count > 1)
    {
        *rest = Some("Other subjects".to_owned());
    }
    groups
}

/// Returns the names that an item mentions.
fn subjects(view: &ReviewView) -> Vec<String> {
    let is_subject = |kind: MentionKind| {
        use MentionKind::{Name, Organization, Person, Place};
        matches!(kind, Name | Person | Place | Organization)
    };
    let text = view.subject.as_ref().map(|memory| memory.text.as_str()).unwrap_or_default();
    let mut names: Vec<String> = mentions(text)
        .into_iter()
        .filter(|mention| is_subject(mention.kind))
        .map(|mention| mention.name)
        .collect();
    names.dedup();
    names
}

/// Returns the change of the profile that an item proposes.
fn profile_patch(view: &ReviewView) -> Option<&JsonMap> {
    view.item.details.get("profile")?.as_object()
}

/// Returns the profile if an open item would change it.
async fn profile_if_needed(
    context: &RequestContext,
    views: &[ReviewView],
) -> Result<Option<JsonMap>, Failure> {
    let changes_it =
        |view: &ReviewView| view.item.state == ReviewState::Open && profile_patch(view).is_some();
    if !views.iter().any(changes_it) {
        return Ok(None);
    }
    let current = context.engine.profile().get(&context.caller).await?;
    Ok(current.map(|version| version.data))
}

/// Returns the reason of an item in words; the fields of the profile are named as its page does.
pub(super) fn reason(view: &ReviewView) -> String {
    match profile_patch(view) {
        Some(patch) => format!("would change your profile: {}", fields_in_words(patch)),
        None => view.item.reason.clone(),
    }
}

/// Renders the change of the profile that an item proposes; `current` is the profile that it would
/// change.
fn profile_side(view: &ReviewView, current: Option<&JsonMap>) -> Markup {
    let is_open = view.item.state == ReviewState::Open;
    html! {
        @if let Some(patch) = profile_patch(view) {
            article.side {
                h3 { "Proposed profile change" }
                // A decided change is in the profile already, or never was.
                (change_in_words(patch, current.filter(|_| is_open)))
                a href="/profile" { "Show in the profile" }
            }
        }
    }
}

/// Renders an item with all its sides and the decisions on it. `profile` is the current one, for
/// items that would change it.
pub(super) fn item(view: &ReviewView, profile: Option<&JsonMap>) -> Markup {
    let item = &view.item;
    let is_open = item.state == ReviewState::Open && !view.is_settled;
    html! {
        section.review aria-labelledby={ "review-" (item.id) } {
            div.heading {
                h2 #{ "review-" (item.id) } {
                    span.status data-status=(item.kind.name()) { (item.kind.name()) } " "
                    span dir="auto" { (reason(view)) }
                }
                @if is_open {
                    input.pick type="checkbox" value=(item.id)
                        aria-label={ "Select review item " (item.id) };
                }
            }
            p.about {
                span { "raised by " b dir="auto" { (item.raised_by) } } (time(item.raised_at))
            }
            div.sides {
                (memory_sides(view))
                @if let Some(erasure) = &view.erasure { (erasure_sides(erasure)) }
                (profile_side(view, profile))
            }
            (decision(view))
        }
    }
}

/// Renders the memories of an item, each with what differs from the newest marked.
fn memory_sides(view: &ReviewView) -> Markup {
    let sides = sides(view);
    let newest = sides.first().map(|(_, memory)| memory.text.as_str()).unwrap_or_default();
    html! {
        @for (at, (title, memory)) in sides.iter().enumerate() {
            // The newest is compared with the one after it, every other with the newest.
            @let found = match (at, sides.get(1)) {
                (0, Some((_, older))) => differing_ranges(&older.text, newest).later,
                (0, None) => Vec::new(),
                _ => differing_ranges(&memory.text, newest).earlier,
            };
            (side(title, memory, marked(&memory.text, &found)))
        }
    }
}

/// Renders the texts that a proposal would delete.
fn erasure_sides(view: &ErasureView) -> Markup {
    let title = match view.erasure.mode {
        ErasureMode::Forget => "Would be forgotten for good",
        ErasureMode::Retire => "Would be retired",
    };
    html! {
        @for memory in &view.memories { (side(title, memory, marked(&memory.text, &[]))) }
        @if !view.others.is_empty() {
            article.side {
                h3 { "Would be deleted" }
                ul.plain { @for one in &view.others { li dir="auto" { (one) } } }
            }
        }
        @if view.left_out() > 0 {
            p.note { "and " (counted(view.left_out(), "more memory", "more memories")) }
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

fn side(title: &str, memory: &Memory, text: Markup) -> Markup {
    html! {
        article.side {
            h3 { (title) } p.text dir="auto" { (text) }
            (provenance(memory))
            p.note { "trust " (memory.provenance.trust.0) ", " (memory.provenance.origin.name()) }
            a href={ "/memories/" (memory.id) } { "Read or edit #" (memory.id) }
        }
    }
}

/// Decisions that apply to an item, each with its label.
fn choices(view: &ReviewView) -> &'static [(Resolution, &'static str)] {
    match view.item.kind {
        _ if view.erasure.as_ref().is_some_and(|erasure| !erasure.erasure.is_reversible()) => {
            &[(Resolution::Confirm, "Accept; this is final"), (Resolution::Reject, "Reject")]
        }
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
        ReviewKind::Proposal => &[(Resolution::Confirm, "Accept"), (Resolution::Reject, "Reject")],
    }
}

/// Returns a decision in the words of its button.
fn decision_words(view: &ReviewView, resolution: Resolution) -> String {
    let choice = choices(view).iter().find(|(offered, _)| *offered == resolution);
    choice.map_or_else(|| resolution.name().replace('_', " "), |(_, word)| word.to_lowercase())
}

/// Returns whether a decision can be undone: an accepted deletion is final.
fn can_undo(view: &ReviewView, resolution: Resolution) -> bool {
    let reversible = |erasure: &ErasureView| erasure.erasure.is_reversible();
    resolution != Resolution::Confirm || view.erasure.as_ref().is_none_or(reversible)
}

fn decision(view: &ReviewView) -> Markup {
    let item = &view.item;
    let reversible = can_undo(view, Resolution::Confirm);
    html! {
        @match &item.state {
            ReviewState::Resolved { resolution, by, at }
            => div.banner {
                p {
                    "Decided: " b { (decision_words(view, *resolution)) } " by "
                    span dir="auto" { (by) } ", " (time(*at))
                }
                @if can_undo(view, *resolution) {
                    form.decide data-call={ "POST /v1/review/" (item.id) "/undo" }
                        data-say="Undone; all sides are restored and the item is open again." {
                        button { "Undo" } (form_error())
                    }
                }
            }
            ReviewState::Open if view.is_settled => p.note {
                "Settled by other decisions; nothing is left to decide."
            }
            ReviewState::Open => form.decide data-call={ "POST /v1/review/" (item.id) }
                data-say="Decided." data-vanish=".review"
                data-undo=[reversible.then(|| format!("POST /v1/review/{}/undo", item.id))]
                data-undo-body="{}" {
                @for (at, (resolution, word)) in choices(view).iter().enumerate() {
                    button name="resolution" value=(resolution.name()) {
                        kbd aria-hidden="true" { (at + 1) } " " (word)
                    }
                }
                (form_error())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_keep_each_other() {
        let query = ReviewPageQuery { kind: Some("flag".into()), ..ReviewPageQuery::default() };
        assert_eq!(query.link(query.kind(), true), "/review?kind=flag&decided=1");
        assert_eq!(query.link(None, false), "/review");
    }
}

//! Page of one memory: its text, provenance, links, history, and the actions of the owner.

mod edit;

use super::components::{counted, form_error, percent_encode, time};
use super::shell::PageContent;
use super::words;
use super::{markdown, review};
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::IdPath;
use engine::Showing;
use engine::get::MemoryDetails;
use engine::review::{ListReviewsRequest, ReviewView};
use engine::versions::MemoryVersions;
use maud::{Markup, html};
use model::{Failure, Kind, Link, LinkKind, Memory, MemoryId, Status};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Query of the page for a new memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NewMemoryQuery {
    text: Option<String>,
    /// Id of the question that the memory answers.
    answers: Option<i64>,
}

/// Page for writing a memory.
pub(super) async fn new(
    _: RequestContext,
    _: NoFields,
    query: NewMemoryQuery,
) -> Result<PageContent, Failure> {
    let body = html! {
        h1 { "Write a memory" }
        form.wide data-call="POST /v1/memories" data-go="/memories/{id}" data-outcome="written"
            data-undo="POST /v1/memories/retire" data-undo-body=r#"{"memories": [{id}]}"# {
            label {
                span { "What to remember" }
                textarea name="text" rows="6" required dir="auto" autofocus {
                    (query.text.unwrap_or_default())
                }
            }
            @if let Some(question) = query.answers {
                input type="hidden" name="answers" value=(question) data-as="number";
            }
            div.fields {
                label { span { "Title" } input name="title" maxlength="300" dir="auto"; }
                label {
                    span { "Kind" }
                    select name="kind" {
                        @for kind in Kind::COMMON { option selected[kind == "note"] { (kind) } }
                    }
                }
                label { span { "Project" } input name="project" maxlength="200" dir="auto"; }
                label {
                    span { "Tags, comma-separated" } input name="tags" data-as="list" dir="auto";
                }
            }
            (form_error())
            div.actions { button.primary { "Remember" } a href="/memories" { "Back" } }
        }
    };
    Ok(PageContent { title: "Write a memory".into(), nav_path: "/memories", body })
}

/// Page of a memory.
pub(super) async fn page(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let id = MemoryId(path.id);
    let whole = context.engine.memories().get_details(&context.caller, id).await?;
    let versions = context.engine.memories().versions(&context.caller, id).await?;
    // Who was shown what is for the owner to see.
    let recalls = if context.caller.is_member {
        Vec::new()
    } else {
        context.engine.admin().memory_showings(&context.caller, id).await?
    };
    let reviews = ListReviewsRequest { memory: Some(id), ..ListReviewsRequest::default() };
    let reviews = context.engine.reviews().list(&context.caller, &reviews).await?.items;
    let projects = context.overview().await?.projects;
    let ends: Vec<MemoryId> = link_ends(&whole).collect();
    let linked = if ends.is_empty() {
        Vec::new()
    } else {
        context.engine.memories().get(&context.caller, &ends).await?
    };
    let memory = &whole.memory;
    let body = html! {
        p.crumb { a href="/memories" { "Memories" } " / #" (id) }
        (status_banner(&whole))
        div.columns {
            article {
                h1 dir="auto" { (memory.title.clone().unwrap_or_else(|| format!("Memory {id}"))) }
                div.whole { (markdown::render_note(&memory.text)) }
                (conflicts(&reviews))
                @if let Some(summary) = &memory.summary { p.note dir="auto" { (summary) } }
                p.about {
                    @for tag in &memory.tags {
                        a.tag dir="auto" href={ "/memories?tag=" (percent_encode(tag)) } {
                            (tag)
                        }
                    }
                }
                (edit::actions(memory, &whole, &projects))
                (timeline(&versions))
                (links(&whole, &linked))
            }
            aside {
                (provenance(memory)) (recalled_by(&recalls)) (entities(&whole)) (flags(&whole))
                (records(&whole))
            }
        }
    };
    Ok(PageContent { title: format!("Memory {id}"), nav_path: "/memories", body })
}

/// Renders the open review items about the memory, to decide them here.
fn conflicts(reviews: &[ReviewView]) -> Markup {
    html! {
        @if !reviews.is_empty() {
            section #conflicts data-items aria-label="Waiting for your decision" {
                h2 { "Waiting for your decision" }
                @for view in reviews { (review::item(view, None)) }
            }
        }
    }
}

/// Memories at the other ends of the links.
fn link_ends(whole: &MemoryDetails) -> impl Iterator<Item = MemoryId> {
    let is_shown = |link: &&Link| link.kind != LinkKind::Supersedes;
    let outgoing = whole.links.outgoing.iter().filter(is_shown).map(|link| link.target);
    // Bounds the page of a memory with very many links.
    outgoing.chain(whole.links.incoming.iter().filter(is_shown).map(|link| link.source)).take(100)
}

fn status_banner(whole: &MemoryDetails) -> Markup {
    let memory = &whole.memory;
    html! {
        @match memory.status {
            Status::Active => {}
            Status::Superseded => div.banner {
                p {
                    "A newer memory replaced this one: "
                    a href={ "/memories/" (whole.latest) } { "#" (whole.latest) }
                }
                (restore_form(memory, "Restore beside it"))
            }
            Status::Proposed => p.banner {
                "Waiting for your decision. " a href="/review" { "Review" }
            }
            Status::Rejected => p.banner { "This was rejected and does not appear in recall." }
            Status::Retired => div.banner {
                p { "This was retired and does not appear in recall." }
                (restore_form(memory, "Restore"))
            }
        }
    }
}

fn restore_form(memory: &Memory, label: &str) -> Markup {
    // Retiring a replaced memory again would not bring back what had replaced it.
    let is_retired = memory.status == Status::Retired;
    html! {
        form data-call="POST /v1/memories/unretire" data-say="Restored."
            data-undo=[is_retired.then_some("POST /v1/memories/retire")] {
            input type="hidden" name="memories" value=(memory.id) data-as="ids";
            button { (label) } (form_error())
        }
    }
}

fn provenance(memory: &Memory) -> Markup {
    let from = &memory.provenance;
    html! {
        section {
            h2 { "Provenance" }
            dl.pairs {
                dt { "Kind" } dd { span.kind data-kind=(memory.kind) { (memory.kind) } }
                dt { "Status" } dd { (words::status(memory.status)) }
                dt { "Written" } dd { (time(from.at)) }
                dt { "By" }
                dd dir="auto" {
                    (from.author.agent)
                    @if let Some(client) = &from.author.client { " (" (client) ")" }
                }
                dt { "Via" }
                dd {
                    (words::way(from.author.dialect)) ", "
                    (words::operation(from.author.dialect, &from.author.tool))
                }
                dt { "Source" } dd { (from.origin.name()) }
                dt { "Trust" }
                dd {
                    meter min="0" max="100" value=(from.trust.0) aria-label="Trust" {} " "
                    (from.trust.0)
                }
                dt { "Confidence" }
                dd {
                    meter min="0" max="1" value=(memory.confidence) aria-label="Confidence" {} " "
                    (format!("{:.2}", memory.confidence))
                }
                @if let Some(project) = &memory.project {
                    dt { "Project" }
                    dd dir="auto" {
                        a href={ "/memories?project=" (percent_encode(project)) } {
                            (project)
                        }
                    }
                }
                @if let Some(session) = memory.session {
                    dt { "Session" } dd { a href={ "/memories?session=" (session) } { (session) } }
                }
                dt { "Collection" } dd dir="auto" { (memory.collection) }
                dt { "Priority" } dd { (memory.priority) }
                @if let Some(end) = memory.valid_to { dt { "Valid until" } dd { (time(end)) } }
                dt { "Recalled" }
                dd {
                    (counted(usize::try_from(memory.access.count).unwrap_or(0), "time", "times"))
                    @if let Some(last) = memory.access.last { ", last " (time(last)) }
                }
            }
        }
    }
}

fn timeline(versions: &MemoryVersions) -> Markup {
    html! {
        @if versions.all.len() > 1 {
            section {
                h2 { "Version history" }
                ol.timeline {
                    @for memory in versions.all.iter().rev() {
                        li data-status=(memory.status.name())
                            aria-current=[(memory.id == versions.requested).then_some("true")] {
                            p.about {
                                a href={ "/memories/" (memory.id) } { "#" (memory.id) }
                                (time(memory.provenance.at))
                                span { "by " b { (memory.provenance.author.agent) } }
                                @if memory.id == versions.latest {
                                    span.status data-status="active" { "current" }
                                }
                            }
                            p dir="auto" { (super::components::teaser(&memory.text)) }
                            @if let Some(reason) =
                                memory.metadata.get("reason").and_then(|reason| reason.as_str()) {
                                p.note dir="auto" { "Because: " (reason) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn links(whole: &MemoryDetails, linked: &[Memory]) -> Markup {
    let text = |id: MemoryId| {
        linked
            .iter()
            .find(|memory| memory.id == id)
            .map(|memory| super::components::teaser(&memory.text))
    };
    let link_item = |link: &Link, other: MemoryId| {
        let is_outgoing = other == link.target;
        let body = json!({ "target": link.target.0, "kind": link.kind.name() });
        html! {
            li.link-line {
                @if is_outgoing { span.relation { (link.kind.words()) } " " }
                a href={ "/memories/" (other) } dir="auto" {
                    (text(other).unwrap_or_else(|| format!("#{other}")))
                }
                @if !is_outgoing { " " span.relation { (link.kind.words()) " this one" } }
                form data-call={ "DELETE /v1/memories/" (link.source) "/links" }
                    data-say="Link removed." data-vanish=".link-line"
                    data-undo={ "POST /v1/memories/" (link.source) "/links" }
                    data-undo-body=(body) {
                    input type="hidden" name="target" value=(link.target) data-as="number";
                    input type="hidden" name="kind" value=(link.kind.name());
                    button.plain { "Remove" span.hidden { " the link to #" (other) } }
                    (form_error())
                }
            }
        }
    };
    // The version history shows what replaced what.
    let is_shown = |link: &&Link| link.kind != LinkKind::Supersedes;
    html! {
        @if link_ends(whole).next().is_some() {
            section {
                h2 { "Links" }
                ul.plain {
                    @for link in whole.links.outgoing.iter().filter(is_shown) {
                        (link_item(link, link.target))
                    }
                    @for link in whole.links.incoming.iter().filter(is_shown) {
                        (link_item(link, link.source))
                    }
                }
            }
        }
    }
}

/// Agents that recalled the memory, with times.
fn recalled_by(recalls: &[Showing]) -> Markup {
    html! {
        section #told-to {
            h2 { "Who recalled it" }
            @if recalls.is_empty() { p.note { "No agent has recalled it recently." } }
            ul.plain {
                @for one in recalls {
                    li {
                        @let agent = &one.author.agent;
                        @let parameter = percent_encode(agent.as_str());
                        a dir="auto" href={ "/agents/one?agent=" (parameter) } { (agent) }
                        " " (time(one.at)) " "
                        small dir="auto" {
                            (words::operation(one.author.dialect, &one.author.tool)) ", "
                            (words::way(one.author.dialect))
                            @if let Some(client) = &one.author.client { ", " (client) }
                        }
                    }
                }
            }
        }
    }
}

fn entities(whole: &MemoryDetails) -> Markup {
    html! {
        @if !whole.mentions.is_empty() {
            section {
                h2 { "Mentions" }
                ul.inline {
                    @for one in &whole.mentions {
                        li {
                            a.tag dir="auto" title=(one.kind) href={ "/entities/" (one.entity) } {
                                (one.name)
                            }
                        }
                    }
                }
            }
        }
    }
}

fn flags(whole: &MemoryDetails) -> Markup {
    html! {
        @if !whole.flags.is_empty() {
            section {
                h2 { "Flags" }
                ul.plain {
                    @for flag in &whole.flags {
                        li {
                            span dir="auto" { (flag.reason) }
                            p.about {
                                span { "by " b { (flag.by) } } (time(flag.at))
                                @if flag.settled { span { "settled" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn records(whole: &MemoryDetails) -> Markup {
    html! {
        @if !whole.records.is_empty() {
            section {
                h2 { "Rows" }
                ul.plain {
                    @for record in &whole.records {
                        li {
                            a href={ "/tables/" (percent_encode(&record.table)) }
                                dir="auto" {
                                (record.table)
                            } " row " (record.id)
                        }
                    }
                }
            }
        }
    }
}

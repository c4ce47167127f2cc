//! Page of one memory: its text, provenance, links, history, and the actions of the owner.

use super::parts::{problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::{ById, memory_tag};
use engine::Showing;
use engine::get::Whole;
use engine::versions::Versions;
use maud::{Markup, html};
use model::{Failure, Kind, Link, LinkKind, Memory, MemoryId, Status};
use schemars::JsonSchema;
use serde::Deserialize;

/// Query of the page for a new memory.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Begun {
    text: Option<String>,
}

/// Page for writing a memory.
pub(super) async fn new(_: Desk, _: Nothing, query: Begun) -> Result<Page, Failure> {
    let body = html! {
        h1 { "Write a memory" }
        form.wide data-call="POST /v1/memories" data-go="/memories/{id}" data-say="Remembered." {
            label {
                span { "What to remember" }
                textarea name="text" rows="6" required dir="auto" autofocus {
                    (query.text.unwrap_or_default())
                }
            }
            div.fields {
                label { span { "Title" } input name="title" maxlength="300" dir="auto"; }
                label {
                    span { "Kind" }
                    select name="kind" {
                        @for kind in Kind::USUAL { option selected[kind == "note"] { (kind) } }
                    }
                }
                label { span { "Project" } input name="project" maxlength="200" dir="auto"; }
                label {
                    span { "Tags, comma-separated" } input name="tags" data-as="list" dir="auto";
                }
            }
            (problem())
            div.actions { button.primary { "Remember" } a href="/memories" { "Back" } }
        }
    };
    Ok(Page { title: "Write a memory".into(), place: "/memories", body })
}

/// Page of a memory.
pub(super) async fn page(context: Desk, path: ById, _: Nothing) -> Result<Page, Failure> {
    let id = MemoryId(path.id);
    let whole = context.engine.memories().get_whole(&context.caller, id).await?;
    let versions = context.engine.memories().versions(&context.caller, id).await?;
    let recalls = context.engine.admin().shown_to(&context.caller, id).await?;
    let ends: Vec<MemoryId> = ends(&whole).collect();
    let linked = if ends.is_empty() {
        Vec::new()
    } else {
        context.engine.memories().get(&context.caller, &ends).await?
    };
    let memory = &whole.memory;
    let body = html! {
        p.crumb { a href="/memories" { "Memories" } " / #" (id) }
        (standing(&whole))
        div.columns {
            article {
                h1 dir="auto" { (memory.title.clone().unwrap_or_else(|| format!("Memory {id}"))) }
                div.whole dir="auto" { (memory.text) }
                @if let Some(summary) = &memory.summary { p.note dir="auto" { (summary) } }
                p.about {
                    @for tag in &memory.tags {
                        a.tag dir="auto" href={ "/memories?tag=" (super::parts::encoded(tag)) } {
                            (tag)
                        }
                    }
                }
                (actions(memory))
                (timeline(&versions))
                (links(&whole, &linked))
            }
            aside {
                (facts(memory)) (told_to(&recalls)) (entities(&whole)) (complaints(&whole))
                (rows(&whole))
            }
        }
    };
    Ok(Page { title: format!("Memory {id}"), place: "/memories", body })
}

/// Memories at the other ends of the links.
fn ends(whole: &Whole) -> impl Iterator<Item = MemoryId> {
    let replaces = |link: &&Link| link.kind != LinkKind::Supersedes;
    let outgoing = whole.links.outgoing.iter().filter(replaces).map(|link| link.target);
    // Bounds the page of a memory with very many links.
    outgoing.chain(whole.links.incoming.iter().filter(replaces).map(|link| link.source)).take(100)
}

fn standing(whole: &Whole) -> Markup {
    let memory = &whole.memory;
    html! {
        @match memory.status {
            Status::Active => {}
            Status::Superseded => p.banner {
                "A newer memory replaced this one: "
                a href={ "/memories/" (whole.latest) } { "#" (whole.latest) }
            }
            Status::Proposed => p.banner {
                "Waiting for your decision. " a href="/review" { "Review" }
            }
            Status::Rejected => p.banner { "This was rejected and does not appear in recall." }
            Status::Retired => div.banner {
                p { "This was retired and does not appear in recall." }
                form data-call="POST /v1/memories/unretire" data-say="Restored." {
                    input type="hidden" name="memories" value=(memory.id) data-as="ids";
                    button { "Restore" } (problem())
                }
            }
        }
    }
}

fn facts(memory: &Memory) -> Markup {
    let from = &memory.provenance;
    html! {
        section {
            h2 { "Provenance" }
            dl.pairs {
                dt { "Kind" } dd { span.kind data-kind=(memory.kind) { (memory.kind) } }
                dt { "Status" } dd { (memory.status.name()) }
                dt { "Written" } dd { (when(from.at)) }
                dt { "By" }
                dd dir="auto" {
                    (from.author.agent)
                    @if let Some(client) = &from.author.client { " (" (client) ")" }
                }
                dt { "Via" } dd { (from.author.dialect.name()) " " (from.author.tool) }
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
                        a href={ "/memories?project=" (super::parts::encoded(project)) } {
                            (project)
                        }
                    }
                }
                @if let Some(session) = memory.session {
                    dt { "Session" } dd { a href={ "/memories?session=" (session) } { (session) } }
                }
                dt { "Collection" } dd dir="auto" { (memory.collection) }
                dt { "Priority" } dd { (memory.priority) }
                @if let Some(end) = memory.valid_to { dt { "Valid until" } dd { (when(end)) } }
                dt { "Recalled" }
                dd {
                    (memory.access.count) " times"
                    @if let Some(last) = memory.access.last { ", last " (when(last)) }
                }
            }
        }
    }
}

fn actions(memory: &Memory) -> Markup {
    html! {
        div.does {
            details { summary { "Correct" } (correction(memory)) }
            details {
                summary { "Flag as wrong" }
                form.wide data-call={ "POST /v1/memories/" (memory.id) "/flag" }
                    data-say="Flagged; see Review." {
                    label {
                        span { "What is wrong with it?" }
                        input name="reason" required maxlength="2000" dir="auto";
                    }
                    (problem()) button { "Flag" }
                }
            }
            @if memory.status == Status::Active {
                details {
                    summary { "Retire" }
                    form data-call="POST /v1/memories/retire"
                        data-say="Retired; it no longer appears in recall." {
                        p {
                            "It no longer appears in recall. Its history stays, and you can "
                            "restore it."
                        }
                        input type="hidden" name="memories" value=(memory.id) data-as="ids";
                        (problem()) button { "Retire" }
                    }
                }
            }
            details.danger {
                summary { "Forget" }
                form data-call="POST /v1/memories/forget" data-receipt="#receipt" {
                    p {
                        "Deletes every version everywhere: text, vectors, links, mentions and the "
                        "search index. This cannot be undone."
                    }
                    input type="hidden" name="memories" value=(memory.id) data-as="ids"; (problem())
                    button.danger { "Forget permanently" }
                }
                div #receipt role="status" {}
            }
        }
    }
}

fn correction(memory: &Memory) -> Markup {
    html! {
        form.wide data-call={ "PATCH /v1/memories/" (memory.id) } data-match=(memory_tag(memory))
            data-go="/memories/{id}" data-say="Corrected; the old text stays in the history." {
            label {
                span { "Corrected text" }
                textarea name="text" rows="5" required dir="auto" { (memory.text) }
            }
            label { span { "Why" } input name="reason" maxlength="2000" dir="auto"; }
            (problem()) button.primary { "Correct" }
        }
    }
}

fn timeline(versions: &Versions) -> Markup {
    html! {
        @if versions.all.len() > 1 {
            section {
                h2 { "Version history" }
                ol.timeline {
                    @for memory in versions.all.iter().rev() {
                        li data-status=(memory.status.name())
                            aria-current=[(memory.id == versions.asked).then_some("true")] {
                            p.about {
                                a href={ "/memories/" (memory.id) } { "#" (memory.id) }
                                (when(memory.provenance.at))
                                span { "by " b { (memory.provenance.author.agent) } }
                                @if memory.id == versions.latest {
                                    span.status data-status="active" { "current" }
                                }
                            }
                            p dir="auto" { (super::parts::teaser(&memory.text)) }
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

fn links(whole: &Whole, linked: &[Memory]) -> Markup {
    let text = |id: MemoryId| {
        linked
            .iter()
            .find(|memory| memory.id == id)
            .map(|memory| super::parts::teaser(&memory.text))
    };
    let link_item = |link: &Link, other: MemoryId, word: &str| {
        html! {
            li {
                span.kind { (link.kind.name().replace('_', " ")) } " " (word) " "
                a href={ "/memories/" (other) } dir="auto" {
                    (text(other).unwrap_or_else(|| format!("#{other}")))
                }
            }
        }
    };
    // The version history shows what replaced what.
    let is_shown = |link: &&Link| link.kind != LinkKind::Supersedes;
    html! {
        @if ends(whole).next().is_some() {
            section {
                h2 { "Links" }
                ul.plain {
                    @for link in whole.links.outgoing.iter().filter(is_shown) {
                        (link_item(link, link.target, "→"))
                    }
                    @for link in whole.links.incoming.iter().filter(is_shown) {
                        (link_item(link, link.source, "←"))
                    }
                }
            }
        }
    }
}

/// Agents that recalled the memory, with times.
fn told_to(recalls: &[Showing]) -> Markup {
    html! {
        section #told-to {
            h2 { "Who recalled it" }
            @if recalls.is_empty() { p.note { "No agent has recalled it recently." } }
            ul.plain {
                @for one in recalls {
                    li {
                        @let agent = &one.author.agent;
                        @let parameter = super::parts::encoded(agent.as_str());
                        a dir="auto" href={ "/agents/one?agent=" (parameter) } { (agent) }
                        " " (when(one.at)) " "
                        small dir="auto" {
                            (one.author.dialect.name()) " " (one.author.tool)
                            @if let Some(client) = &one.author.client { ", " (client) }
                        }
                    }
                }
            }
        }
    }
}

fn entities(whole: &Whole) -> Markup {
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

fn complaints(whole: &Whole) -> Markup {
    html! {
        @if !whole.flags.is_empty() {
            section {
                h2 { "Flags" }
                ul.plain {
                    @for flag in &whole.flags {
                        li {
                            span dir="auto" { (flag.reason) }
                            p.about {
                                span { "by " b { (flag.by) } } (when(flag.at))
                                @if flag.settled { span { "settled" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn rows(whole: &Whole) -> Markup {
    html! {
        @if !whole.records.is_empty() {
            section {
                h2 { "Rows" }
                ul.plain {
                    @for record in &whole.records {
                        li {
                            a href={ "/tables/" (super::parts::encoded(&record.table)) }
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

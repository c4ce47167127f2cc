//! One memory: what it says, where it comes from, what it hangs together with, how it was
//! corrected; and what the owner can do with it.

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

/// What the page of a new memory begins with.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Begun {
    text: Option<String>,
}

/// The page to write a memory.
pub(super) async fn new(_: Desk, _: Nothing, begun: Begun) -> Result<Page, Failure> {
    let body = html! {
        h1 { "Write a memory" }
        form.wide data-call="POST /v1/memories" data-go="/memories/{id}" data-say="Remembered." {
            label { span { "What to remember" } textarea name="text" rows="6" required dir="auto" autofocus { (begun.text.unwrap_or_default()) } }
            div.fields {
                label { span { "Title" } input name="title" maxlength="300" dir="auto"; }
                label { span { "Kind" } select name="kind" { @for kind in Kind::USUAL { option selected[kind == "note"] { (kind) } } } }
                label { span { "Project" } input name="project" maxlength="200" dir="auto"; }
                label { span { "Tags, with commas" } input name="tags" data-as="list" dir="auto"; }
            }
            (problem())
            div.actions { button.primary { "Remember" } a href="/memories" { "Back" } }
        }
    };
    Ok(Page { title: "Write a memory".into(), place: "/memories", body })
}

/// The page of a memory.
pub(super) async fn page(desk: Desk, path: ById, _: Nothing) -> Result<Page, Failure> {
    let id = MemoryId(path.id);
    let whole = desk.engine.memories().get_whole(&desk.caller, id).await?;
    let versions = desk.engine.memories().versions(&desk.caller, id).await?;
    let shown = desk.engine.admin().shown_to(&desk.caller, id).await?;
    let ends: Vec<MemoryId> = ends(&whole).collect();
    let linked = if ends.is_empty() {
        Vec::new()
    } else {
        desk.engine.memories().get(&desk.caller, &ends).await?
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
                p.about { @for tag in &memory.tags { a.tag dir="auto" href={ "/memories?tag=" (super::parts::encoded(tag)) } { (tag) } } }
                (actions(memory))
                (timeline(&versions))
                (links(&whole, &linked))
            }
            aside { (facts(memory)) (told_to(&shown)) (entities(&whole)) (complaints(&whole)) (rows(&whole)) }
        }
    };
    Ok(Page { title: format!("Memory {id}"), place: "/memories", body })
}

/// The memories at the other ends of the links.
fn ends(whole: &Whole) -> impl Iterator<Item = MemoryId> {
    let replaces = |link: &&Link| link.kind != LinkKind::Supersedes;
    let outgoing = whole.links.outgoing.iter().filter(replaces).map(|link| link.target);
    outgoing.chain(whole.links.incoming.iter().filter(replaces).map(|link| link.source)).take(100)
}

fn standing(whole: &Whole) -> Markup {
    let memory = &whole.memory;
    html! {
        @match memory.status {
            Status::Active => {}
            Status::Superseded => p.banner { "A newer memory replaced this one: " a href={ "/memories/" (whole.latest) } { "#" (whole.latest) } }
            Status::Proposed => p.banner { "This waits for your decision. " a href="/review" { "Review" } }
            Status::Rejected => p.banner { "This was found wrong; no recall shows it." }
            Status::Retired => div.banner { p { "This was taken out of use; no recall shows it." }
                form data-call="POST /v1/memories/unretire" data-say="It holds again." { input type="hidden" name="memories" value=(memory.id) data-as="ids"; button { "Take it back into use" } (problem()) } }
        }
    }
}

fn facts(memory: &Memory) -> Markup {
    let from = &memory.provenance;
    html! {
        section {
            h2 { "Where it comes from" }
            dl.pairs {
                dt { "Kind" } dd { span.kind data-kind=(memory.kind) { (memory.kind) } }
                dt { "Status" } dd { (memory.status.name()) }
                dt { "Written" } dd { (when(from.at)) }
                dt { "By" } dd dir="auto" { (from.author.agent) @if let Some(client) = &from.author.client { " (" (client) ")" } }
                dt { "Through" } dd { (from.author.dialect.name()) " " (from.author.tool) }
                dt { "Source" } dd { (from.origin.name()) }
                dt { "Trust" } dd { meter min="0" max="100" value=(from.trust.0) aria-label="Trust" {} " " (from.trust.0) }
                dt { "Confidence" } dd { meter min="0" max="1" value=(memory.confidence) aria-label="Confidence" {} " " (format!("{:.2}", memory.confidence)) }
                @if let Some(project) = &memory.project { dt { "Project" } dd dir="auto" { a href={ "/memories?project=" (super::parts::encoded(project)) } { (project) } } }
                @if let Some(session) = memory.session { dt { "Session" } dd { a href={ "/memories?session=" (session) } { (session) } } }
                dt { "Collection" } dd dir="auto" { (memory.collection) }
                dt { "Priority" } dd { (memory.priority) }
                @if let Some(end) = memory.valid_to { dt { "Until" } dd { (when(end)) } }
                dt { "Recalled" } dd { (memory.access.count) " times" @if let Some(last) = memory.access.last { ", last " (when(last)) } }
            }
        }
    }
}

fn actions(memory: &Memory) -> Markup {
    html! {
        div.does {
            details { summary { "Correct" } (correction(memory)) }
            details { summary { "Flag as wrong" }
                form.wide data-call={ "POST /v1/memories/" (memory.id) "/flag" } data-say="Flagged; it waits in Review." {
                    label { span { "What is wrong with it?" } input name="reason" required maxlength="2000" dir="auto"; }
                    (problem()) button { "Flag" }
                } }
            @if memory.status == Status::Active {
                details { summary { "Retire" }
                    form data-call="POST /v1/memories/retire" data-say="Retired; no recall shows it." {
                        p { "It leaves every recall; its history stays, and you can take it back." }
                        input type="hidden" name="memories" value=(memory.id) data-as="ids"; (problem()) button { "Retire" }
                    } }
            }
            details.danger { summary { "Forget" }
                form data-call="POST /v1/memories/forget" data-receipt="#receipt" {
                    p { "Every version of it goes, from every place: text, vectors, links, mentions, the view. This cannot be undone." }
                    input type="hidden" name="memories" value=(memory.id) data-as="ids"; (problem()) button.danger { "Forget it for good" }
                }
                div #receipt role="status" {}
            }
        }
    }
}

fn correction(memory: &Memory) -> Markup {
    html! {
        form.wide data-call={ "PATCH /v1/memories/" (memory.id) } data-match=(memory_tag(memory)) data-go="/memories/{id}" data-say="Corrected; the old text stays in the history." {
            label { span { "What is right" } textarea name="text" rows="5" required dir="auto" { (memory.text) } }
            label { span { "Why" } input name="reason" maxlength="2000" dir="auto"; }
            (problem()) button.primary { "Correct" }
        }
    }
}

fn timeline(versions: &Versions) -> Markup {
    html! {
        @if versions.all.len() > 1 {
            section {
                h2 { "How it was corrected" }
                ol.timeline { @for memory in versions.all.iter().rev() {
                    li data-status=(memory.status.name()) aria-current=[(memory.id == versions.asked).then_some("true")] {
                        p.about { a href={ "/memories/" (memory.id) } { "#" (memory.id) } (when(memory.provenance.at)) span { "by " b { (memory.provenance.author.agent) } }
                            @if memory.id == versions.latest { span.status data-status="active" { "holds" } } }
                        p dir="auto" { (super::parts::teaser(&memory.text)) }
                        @if let Some(reason) = memory.metadata.get("reason").and_then(|reason| reason.as_str()) { p.note dir="auto" { "Because: " (reason) } }
                    }
                } }
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
    let told = |link: &Link, other: MemoryId, word: &str| {
        html! {
            li { span.kind { (link.kind.name().replace('_', " ")) } " " (word) " " a href={ "/memories/" (other) } dir="auto" { (text(other).unwrap_or_else(|| format!("#{other}"))) } }
        }
    };
    html! {
        @if ends(whole).next().is_some() {
            section {
                h2 { "Hangs together with" }
                ul.plain {
                    @for link in whole.links.outgoing.iter().filter(|link| link.kind != LinkKind::Supersedes) { (told(link, link.target, "→")) }
                    @for link in whole.links.incoming.iter().filter(|link| link.kind != LinkKind::Supersedes) { (told(link, link.source, "←")) }
                }
            }
        }
    }
}

/// Who recalled it, and when.
fn told_to(shown: &[Showing]) -> Markup {
    html! {
        section #told-to { h2 { "Who recalled it" }
            @if shown.is_empty() { p.note { "No agent was shown it lately." } }
            ul.plain { @for one in shown {
                li { a dir="auto" href={ "/agents/one?agent=" (super::parts::encoded(one.author.agent.as_str())) } { (one.author.agent) } " " (when(one.at)) " "
                    small dir="auto" { (one.author.dialect.name()) " " (one.author.tool) @if let Some(client) = &one.author.client { ", " (client) } } }
            } }
        }
    }
}

fn entities(whole: &Whole) -> Markup {
    html! {
        @if !whole.mentions.is_empty() {
            section { h2 { "Mentions" } ul.inline { @for one in &whole.mentions {
                li { a.tag dir="auto" title=(one.kind) href={ "/entities/" (one.entity) } { (one.name) } }
            } } }
        }
    }
}

fn complaints(whole: &Whole) -> Markup {
    html! {
        @if !whole.flags.is_empty() {
            section { h2 { "Flags" } ul.plain { @for flag in &whole.flags {
                li { span dir="auto" { (flag.reason) } p.about { span { "by " b { (flag.by) } } (when(flag.at)) @if flag.settled { span { "settled" } } } }
            } } }
        }
    }
}

fn rows(whole: &Whole) -> Markup {
    html! {
        @if !whole.records.is_empty() {
            section { h2 { "Rows" } ul.plain { @for record in &whole.records {
                li { a href={ "/tables/" (super::parts::encoded(&record.table)) } dir="auto" { (record.table) } " row " (record.id) }
            } } }
        }
    }
}

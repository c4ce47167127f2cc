//! References: long documents by folder, filed from here, searched, and read section by section.

use super::markdown::rendered;
use super::parts::{encoded, nothing, pager, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::references::ReferenceHit;
use maud::{Markup, html};
use model::{Failure, Page as Part, Reference};
use schemars::JsonSchema;
use serde::Deserialize;

/// How many documents a page shows.
const SIZE: usize = 200;
/// How many documents a search shows.
const FOUND: usize = 10;

/// What to look up.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    query: Option<String>,
    cursor: Option<usize>,
}

pub(super) async fn page(desk: Desk, _: Nothing, asked: Asked) -> Result<Page, Failure> {
    let part = Part { limit: SIZE, offset: asked.cursor.unwrap_or(0) };
    let listed = desk.engine.references().list(&desk.caller, part).await?;
    let query = asked.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let hits = match query {
        Some(query) => desk.engine.references().search(&desk.caller, query, Some(FOUND)).await?,
        None => Vec::new(),
    };
    let folders = listed.items.chunk_by(|one, next| folder(&one.path) == folder(&next.path));
    let body = html! {
        h1 { "References" }
        p.lead { "Long documents that agents look up when they need them, and that are never recalled by themselves." }
        form.search role="search" action="/references" { div.box {
            label.hidden for="query" { "Look up" } input #query type="search" name="query" value=[query] placeholder="Look something up" dir="auto"; button.primary { "Look up" }
        } }
        @if query.is_some() { (found(&hits)) }
        @if listed.items.is_empty() { (nothing("No documents yet", html! { p { "File a specification or a manual below, or a whole directory with " code { "quipu reference add DIR" } "." } })) }
        @for files in folders { section { h2 dir="auto" { (files.first().map(|file| folder(&file.path)).filter(|folder| !folder.is_empty()).unwrap_or("Documents")) }
            ul.cards { @for file in files { (document(file)) } } } }
        (pager("/references", part.offset, listed.items.len(), listed.total, SIZE))
        (upload())
    };
    Ok(Page { title: "References".into(), place: "/references", body })
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn document(file: &Reference) -> Markup {
    html! {
        li.card { div {
            p.title { a href={ "/references/read?path=" (encoded(&file.path)) } dir="auto" { (file.title) } }
            p.about { code dir="auto" { (file.path) } span { (file.sections) " sections" } (when(file.updated_at)) }
        } }
    }
}

fn found(hits: &[ReferenceHit]) -> Markup {
    html! {
        section { h2 { "Found" }
            @if hits.is_empty() { p { "No document speaks of that." } }
            ul.cards { @for hit in hits { li.card { div {
                p.title { a href={ "/references/read?path=" (encoded(&hit.hit.path)) "#s" (hit.hit.ordinal) } dir="auto" { (hit.hit.section.heading.join(" › ")) } }
                p.text dir="auto" { (super::parts::teaser(&hit.hit.section.text)) }
                p.about { code dir="auto" { (hit.hit.path) } }
            } } } }
        }
    }
}

fn upload() -> Markup {
    html! {
        details { summary { "File a document" }
            form.wide data-call="PUT /v1/references" data-say="Filed." {
                label { span { "A markdown or text file" } input type="file" accept=".md,.markdown,.txt,text/*" data-into="text" data-name="path"; }
                label { span { "Path" } input name="path" required placeholder="specs/kiln.md" dir="auto"; }
                label { span { "Text" } textarea.code name="text" rows="8" required dir="auto" {} }
                (problem()) button.primary { "File" }
            }
        }
    }
}

/// Which document.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AtPath {
    path: String,
}

/// One document, section by section.
pub(super) async fn read(desk: Desk, _: Nothing, asked: AtPath) -> Result<Page, Failure> {
    let sections = desk.engine.references().sections(&desk.caller, &asked.path).await?;
    let body = html! {
        p.crumb { a href="/references" { "References" } " / " span dir="auto" { (asked.path) } }
        h1 dir="auto" { (sections.iter().find_map(|section| section.heading.first().cloned()).unwrap_or_else(|| asked.path.clone())) }
        @for (at, section) in sections.iter().enumerate() { article.whole #{ "s" (at) } { (rendered(&section.text)) } }
        details.danger { summary { "Remove" }
            form data-call="DELETE /v1/references" data-go="/references" data-say="Removed." { input type="hidden" name="path" value=(asked.path); p { "Agents find it no more. The file it came from stays where it is." } (problem()) button.danger { "Remove it" } } }
    };
    Ok(Page { title: asked.path, place: "/references", body })
}

//! References page: long documents by folder; adding, searching and reading them section by
//! section.

use super::components::{counted, empty_state, form_error, pager, percent_encode, time};
use super::markdown::render;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::references::ReferenceHit;
use maud::{Markup, html};
use model::{Failure, Page as Part, Reference};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of documents on a page.
const SIZE: usize = 200;
/// Maximum number of search results.
const RESULTS_MAX: usize = 10;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReferencesPageQuery {
    query: Option<String>,
    cursor: Option<usize>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    page_query: ReferencesPageQuery,
) -> Result<PageContent, Failure> {
    let part = Part { limit: SIZE, offset: page_query.cursor.unwrap_or(0) };
    let listed = context.engine.references().list(&context.caller, part).await?;
    let query = page_query.query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    let hits = match query {
        Some(query) => {
            context.engine.references().search(&context.caller, query, Some(RESULTS_MAX)).await?
        }
        None => Vec::new(),
    };
    // The listing is sorted by path, so the documents of a folder are adjacent.
    let folders = listed.items.chunk_by(|one, next| folder(&one.path) == folder(&next.path));
    let body = html! {
        h1 { "References" }
        p.lead { "Long documents that agents look up when needed. They do not appear in recall." }
        form.search role="search" action="/references" {
            div.box {
                label.hidden for="query" { "Look up" }
                input #query type="search" name="query" value=[query]
                    placeholder="Look something up" dir="auto";
                button.primary { "Look up" }
            }
        }
        @if query.is_some() { (search_results(&hits)) }
        @if listed.items.is_empty() {
            (empty_state("No documents yet", html! {
                p {
                    "Add a specification or a manual below, or a whole directory with "
                    code data-copy { "quipu reference add DIR" } "."
                }
            }))
        }
        @for files in folders {
            section {
                h2 dir="auto" {
                    @let name = files.first().map(|file| folder(&file.path));
                    (name.filter(|name| !name.is_empty()).unwrap_or("Documents"))
                }
                ul.cards { @for file in files { (document(file)) } }
            }
        }
        (pager("/references", part.offset, listed.items.len(), listed.total, SIZE))
        (add_form())
    };
    Ok(PageContent { title: "References".into(), nav_path: "/references", body })
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn document(file: &Reference) -> Markup {
    html! {
        li.card {
            div {
                p.title {
                    a href={ "/references/read?path=" (percent_encode(&file.path)) } dir="auto" {
                        (file.title)
                    }
                }
                p.about {
                    code dir="auto" { (file.path) }
                    span { (counted(file.sections, "section", "sections")) }
                    (time(file.updated_at))
                }
            }
        }
    }
}

fn search_results(hits: &[ReferenceHit]) -> Markup {
    html! {
        section {
            h2 { "Found" }
            @if hits.is_empty() { p { "No document matches." } }
            ul.cards {
                @for hit in hits {
                    li.card {
                        div {
                            p.title {
                                @let path = percent_encode(&hit.hit.path);
                                @let ordinal = hit.hit.ordinal;
                                a dir="auto"
                                    href={ "/references/read?path=" (path) "#s" (ordinal) } {
                                    (hit.hit.section.heading.join(" › "))
                                }
                            }
                            p.text dir="auto" { (super::components::teaser(&hit.hit.section.text)) }
                            p.about { code dir="auto" { (hit.hit.path) } }
                        }
                    }
                }
            }
        }
    }
}

fn add_form() -> Markup {
    html! {
        details {
            summary { "Add a document" }
            form.wide data-call="PUT /v1/references" data-say="Added." {
                label {
                    span { "A markdown or text file" }
                    input type="file" accept=".md,.markdown,.txt,text/*" data-into="text"
                        data-name="path";
                }
                label {
                    span { "Path" }
                    input name="path" required placeholder="specs/kiln.md" dir="auto";
                }
                label { span { "Text" } textarea.code name="text" rows="8" required dir="auto" {} }
                (form_error()) button.primary { "Add" }
            }
        }
    }
}

/// Query of the page of one document.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReferencePageQuery {
    path: String,
}

/// Page of one document, section by section.
pub(super) async fn read(
    context: RequestContext,
    _: NoFields,
    page_query: ReferencePageQuery,
) -> Result<PageContent, Failure> {
    let sections = context.engine.references().sections(&context.caller, &page_query.path).await?;
    let title = sections.iter().find_map(|section| section.heading.first().cloned());
    let body = html! {
        p.crumb {
            a href="/references" { "References" } " / " span dir="auto" { (page_query.path) }
        }
        h1 dir="auto" {
            (title.unwrap_or_else(|| page_query.path.clone()))
        }
        @for (at, section) in sections.iter().enumerate() {
            article.whole #{ "s" (at) } { (render(&section.text)) }
        }
        details.danger {
            summary { "Remove" }
            form data-call="DELETE /v1/references" data-go="/references" data-say="Removed." {
                input type="hidden" name="path" value=(page_query.path);
                p { "Agents will no longer find it. The original file is not touched." }
                (form_error())
                button.danger { "Remove document" }
            }
        }
    };
    Ok(PageContent { title: page_query.path, nav_path: "/references", body })
}

//! Settings for import and export, with their progress, and the download of an export.

use super::super::components::form_error;
use crate::api::NoFields;
use crate::jobs::formats::FileFormat;
use crate::request_context::RequestContext;
use crate::v1::IdPath;
use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use engine::jobs::CreatedFile;
use futures_util::future::ready;
use futures_util::stream::{self, Stream, StreamExt};
use maud::{Markup, html};
use model::Failure;
use std::io;
use std::sync::Arc;

pub(super) fn section() -> Markup {
    html! {
        section #import {
            h2 { "Import and export" }
            form.inline data-work="/v1/imports" data-told="import" {
                label {
                    span { "File" } input type="file" name="file" required
                        accept=".jsonl,.amem,.json,.csv,.tsv,.md,.markdown,.txt";
                }
                label {
                    span { "Texts you had forgotten" }
                    select name="forgotten" {
                        option value="skip" { "leave out" }
                        option value="include" { "import too" }
                    }
                }
                button { "Import" } (form_error())
            }
            (progress("import"))
            form.inline data-work="/v1/exports" data-told="export" {
                label {
                    span { "Format" }
                    select name="format" {
                        @for format in FileFormat::ALL {
                            option value=(format.name()) { (format.label()) }
                        }
                    }
                }
                button { "Export" } (form_error())
            }
            (progress("export"))
            p.note {
                "Accepts exports of Quipu and other programs, .amem files, and lists: JSON, CSV, "
                "Markdown, text. Existing content is not added again. For directories, databases "
                "and files over 64 MB use " code data-copy { "quipu import" } "."
            }
        }
    }
}

/// Renders the progress of a job.
pub(in crate::pages) fn progress(name: &str) -> Markup {
    html! {
        progress #{ (name) "-progress" } aria-label={ "Progress of the " (name) } hidden {}
        p.note #{ (name) "-said" } role="status" {}
    }
}

/// Serves the file of an export.
pub(in crate::pages) async fn exported(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<Response, Failure> {
    context.engine.admin().note_owner_action(&context.caller, "downloaded an export").await?;
    let (owner, erased) =
        (&context.caller.owner, context.engine.admin().newest_erasure(&context.caller).await?);
    let CreatedFile { name, size, .. } = context.jobs.created_file(owner, path.id, erased).await?;
    // Read before the response begins, so that a file that is gone is a failure.
    let first = context.jobs.part(owner, path.id, 0).await;
    let first = first.map_err(|_| Failure::not_found("exported file", path.id))?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_LENGTH, size.bytes.to_string()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    let rest = remaining_parts(context, path.id, size.parts);
    let parts = stream::once(ready(Ok(Bytes::from(first)))).chain(rest);
    Ok((headers, Body::from_stream(parts)).into_response())
}

/// Streams the parts of a file after the first, so that the whole of it is never in memory.
fn remaining_parts(
    context: RequestContext,
    id: i64,
    parts: i64,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let context = Arc::new(context);
    stream::iter(1..parts).then(move |number| {
        let context = Arc::clone(&context);
        async move {
            let part = context.jobs.part(&context.caller.owner, id, number).await;
            part.map(Bytes::from).map_err(|failure| io::Error::other(failure.message))
        }
    })
}

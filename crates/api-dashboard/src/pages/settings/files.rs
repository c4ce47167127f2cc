//! What goes in from a file and what goes out into one, each with how far it is.

use super::super::parts::problem;
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::ById;
use crate::work::State;
use crate::work::formats::Format;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use model::Failure;

pub(super) fn in_and_out() -> Markup {
    html! {
        section { h2 { "Import and export" }
            form.inline data-work="/v1/imports" data-told="import" {
                label { span { "File" } input type="file" name="file" accept=".jsonl,.amem" required; }
                button { "Read it in" } (problem())
            }
            (progress("import"))
            form.inline data-work="/v1/exports" data-told="export" {
                label { span { "Format to write" } select name="format" { @for format in Format::ALL { option value=(format.name()) { (format.says()) } } } }
                button { "Write the file" } (problem())
            }
            (progress("export"))
            p.note { "An export of Quipu or an .amem file. What is there already is not added again. Files that are larger than 64 MB are for " code { "quipu import" } "." }
        }
    }
}

/// Where a piece of work tells how far it is.
pub(super) fn progress(name: &str) -> Markup {
    html! {
        progress #{ (name) "-progress" } aria-label={ "How far the " (name) " is" } hidden {}
        p.note #{ (name) "-said" } role="status" {}
    }
}

/// The file that an export made.
pub(in crate::pages) async fn exported(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Response, Failure> {
    desk.engine.admin().note_of_owner(&desk.caller, "fetched an export").await?;
    let State::Done(_, Some((name, bytes))) = desk.works.state(&desk.caller.owner, path.id)? else {
        return Err(Failure::not_found("file of work", path.id));
    };
    let about = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((about, bytes).into_response())
}

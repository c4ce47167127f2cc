//! Sessions: the stretches of work as a timeline, each with what sums it up.

use super::parts::{nothing, pager, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::sessions::{SessionRef, SessionView};
use maud::{Markup, html};
use model::{Failure, Page as Part};
use schemars::JsonSchema;
use serde::Deserialize;

/// How many sessions a page shows.
const SIZE: usize = 20;

/// Which part of the timeline.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    cursor: Option<usize>,
}

pub(super) async fn page(desk: Desk, _: Nothing, asked: Asked) -> Result<Page, Failure> {
    let part = Part { limit: SIZE, offset: asked.cursor.unwrap_or(0) };
    let listed = desk.engine.sessions().list(&desk.caller, part).await?;
    let mut views = Vec::new();
    for session in &listed.items {
        views.push(desk.engine.sessions().get(&desk.caller, &SessionRef::Id(session.id)).await?);
    }
    let body = html! {
        h1 { "Sessions" }
        @if views.is_empty() {
            (nothing("No sessions yet", html! { p { "When an agent begins and ends a stretch of work, its summary appears here, and the next session starts from it." } }))
        }
        ol.timeline { @for view in &views { (session(view)) } }
        (pager("/sessions", part.offset, views.len(), listed.total, SIZE))
    };
    Ok(Page { title: "Sessions".into(), place: "/sessions", body })
}

fn session(view: &SessionView) -> Markup {
    let session = &view.session;
    html! {
        li data-status=[session.ended_at.is_none().then_some("active")] {
            p.about {
                b { "session " (session.id) }
                @if let Some(key) = &session.key { span dir="auto" { (key) } }
                span { "by " b dir="auto" { (session.agent) } }
                (when(session.started_at))
                @if session.ended_at.is_none() { span.status data-status="active" { "under way" } }
                @if let Some(project) = &session.project { span.project dir="auto" { (project) } }
                a href={ "/memories?session=" (session.id) } { (view.memories) " memories" }
            }
            @if let Some(episode) = &view.episode { p.text dir="auto" { a.quiet href={ "/memories/" (episode.id) } { (super::parts::teaser(&episode.text)) } } }
        }
    }
}

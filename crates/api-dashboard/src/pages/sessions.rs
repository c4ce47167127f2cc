//! Sessions page: a timeline of sessions, each with its summary.

use super::components::{counted, empty_state, pager, time};
use super::markdown;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::sessions::{SessionRef, SessionView};
use maud::{Markup, html};
use model::{Failure, Page as Part};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of sessions on a page.
const SIZE: usize = 20;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SessionsPageQuery {
    cursor: Option<usize>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: SessionsPageQuery,
) -> Result<PageContent, Failure> {
    let part = Part { limit: SIZE, offset: query.cursor.unwrap_or(0) };
    let listed = context.engine.sessions().list(&context.caller, part).await?;
    // At most one page of sessions, so one read for each is cheap enough.
    let mut views = Vec::new();
    for session in &listed.items {
        views.push(
            context.engine.sessions().get(&context.caller, &SessionRef::Id(session.id)).await?,
        );
    }
    let body = html! {
        h1 { "Sessions" }
        @if views.is_empty() {
            (empty_state("No sessions yet", html! { p {
                "When an agent ends a session, its summary appears here, "
                "and the next session starts from it."
            } }))
        }
        ol.timeline { @for view in &views { (session(view)) } }
        (pager("/sessions", part.offset, views.len(), listed.total, SIZE))
    };
    Ok(PageContent { title: "Sessions".into(), nav_path: "/sessions", body })
}

fn session(view: &SessionView) -> Markup {
    let session = &view.session;
    html! {
        li data-status=[session.ended_at.is_none().then_some("active")] {
            p.about {
                b { "session " (session.id) }
                @if let Some(key) = &session.key { span dir="auto" { (key) } }
                span { "by " b dir="auto" { (session.agent) } }
                (time(session.started_at))
                @if session.ended_at.is_none() {
                    span.status data-status="active" { "in progress" }
                }
                @if let Some(project) = &session.project { span.project dir="auto" { (project) } }
                a href={ "/memories?session=" (session.id) } {
                    (counted(view.memories, "memory", "memories"))
                }
            }
            @if let Some(episode) = &view.episode {
                (markdown::render(&episode.text))
                p.note { a href={ "/memories/" (episode.id) } { "Read or edit #" (episode.id) } }
            }
        }
    }
}

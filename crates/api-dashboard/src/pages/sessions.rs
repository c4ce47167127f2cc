//! Sessions page: a timeline of sessions, each with its topic and its summary as it is now.

use super::components::{counted, empty_state, pager, shortened, time};
use super::markdown;
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::sessions::{SessionRef, SessionView};
use engine::{MemoryQuery, MemorySort};
use maud::{Markup, html};
use model::{Failure, Memory, Page as Part, Session, Status};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Number of sessions on a page.
const SIZE: usize = 20;
/// Maximum number of characters of a topic.
const TOPIC_CHARS: usize = 120;

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
    let mut entries = Vec::new();
    for session in &listed.items {
        entries.push(SessionEntry::load(&context, session).await?);
    }
    let body = html! {
        h1 { "Sessions" }
        @if entries.is_empty() {
            (empty_state("No sessions yet", html! { p {
                "When an agent ends a session, its summary appears here, "
                "and the next session starts from it."
            } }))
        }
        ol.timeline { @for entry in &entries { (session(entry)) } }
        (pager("/sessions", part.offset, entries.len(), listed.total, SIZE))
    };
    Ok(PageContent { title: "Sessions".into(), nav_path: "/sessions", body })
}

/// A session with its topic.
struct SessionEntry {
    view: SessionView,
    topic: Option<String>,
}

impl SessionEntry {
    async fn load(context: &RequestContext, session: &Session) -> Result<Self, Failure> {
        let id = SessionRef::Id(session.id);
        let view = context.engine.sessions().get(&context.caller, &id).await?;
        let topic = match (stated_topic(session), &view.episode) {
            (Some(topic), _) => Some(topic),
            (None, Some(episode)) => Some(topic_of(episode)),
            (None, None) => first_memory(context, session).await?.as_ref().map(topic_of),
        };
        Ok(Self { view, topic })
    }
}

/// Returns the topic that the client gave to a session.
fn stated_topic(session: &Session) -> Option<String> {
    let field = |name| session.metadata.get(name).and_then(Value::as_str).map(str::to_owned);
    field("topic").or_else(|| field("title")).filter(|topic| !topic.trim().is_empty())
}

/// Returns the title of a memory, or the beginning of its text without the marks of Markdown.
fn topic_of(memory: &Memory) -> String {
    let lines = memory.text.lines().map(|line| line.trim_start_matches(['#', '-', '*', ' ']));
    let first = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let sentence = first.split_inclusive(['.', '!', '?']).next().unwrap_or(first);
    let title = memory.title.clone().filter(|title| !is_number_of_session(title));
    let text = title.unwrap_or_else(|| sentence.to_owned());
    shortened(text.trim(), TOPIC_CHARS)
}

/// Returns true for the title that an episode gets where nobody gave it one.
fn is_number_of_session(title: &str) -> bool {
    let number = title.strip_prefix("Session ");
    number.is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()))
}

/// Returns the memory that a session began with.
async fn first_memory(
    context: &RequestContext,
    session: &Session,
) -> Result<Option<Memory>, Failure> {
    let query = MemoryQuery {
        sessions: vec![session.id],
        statuses: vec![Status::Active],
        sort: MemorySort::Oldest,
        ..MemoryQuery::default()
    };
    let listed = context.engine.memories().list(&context.caller, &query, Part::first(1)).await?;
    Ok(listed.items.into_iter().next())
}

fn session(entry: &SessionEntry) -> Markup {
    let (view, topic) = (&entry.view, entry.topic.as_deref());
    let session = &view.session;
    html! {
        li data-status=[session.ended_at.is_none().then_some("active")] {
            h2.topic dir="auto" { (topic.unwrap_or("No topic yet")) }
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
                @if topic != Some(episode.text.trim()) { (markdown::render(&episode.text)) }
                p.note { a href={ "/memories/" (episode.id) } { "Read or edit #" (episode.id) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_no_topic() {
        assert!(is_number_of_session("Session 12"));
        assert!(!is_number_of_session("Session about glazes"));
    }
}

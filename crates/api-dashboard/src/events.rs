//! What the server tells by itself while a page is open, as server-sent events: how far long work
//! is, and what happens. Each looks once before it begins, so that whoever may not hear it is
//! refused and not kept waiting.

use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::{ById, EventShown, WorkShown};
use crate::work::State;
use axum::response::sse::Event;
use engine::AuditQuery;
use engine::reembed::EmbeddingProgress;
use futures_util::stream::{self, Stream};
use model::{AuditEvent, ErrorCode, Failure, KeyId, Page};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How often progress is looked at.
const PAUSE: Duration = Duration::from_secs(1);

/// How often work that somebody waits for is looked at.
const SHORT_PAUSE: Duration = Duration::from_millis(200);

/// How many events are told at once at most.
const EVENTS: usize = 100;

/// An event, and whether more follow it.
type Told = (Event, bool);

/// How far a piece of work is, until it has ended; then `done` or `failed`.
pub(crate) async fn work(desk: Desk, path: ById) -> Result<impl Stream<Item = Event>, Failure> {
    if !desk.caller.in_person {
        return Err(Failure::new(ErrorCode::ConsentRequired, "this is the owner's alone"));
    }
    desk.works.state(&desk.caller.owner, path.id)?;
    Ok(looking(desk, SHORT_PAUSE, move |desk| async move {
        let (name, state) = match desk.works.state(&desk.caller.owner, path.id) {
            Ok(state @ State::Done(..)) => ("done", state),
            Ok(state @ State::Failed(_)) => ("failed", state),
            Ok(state) => ("progress", state),
            Err(failure) => ("failed", State::Failed(failure.message)),
        };
        let told = serde_json::to_string(&WorkShown::new(path.id, state)).unwrap_or_default();
        (Event::default().event(name).data(told), name == "progress")
    }))
}

/// How far the vectors are, each second until all are there; then `done`.
pub(crate) async fn embedding(
    desk: Desk,
    _: Nothing,
) -> Result<impl Stream<Item = Event>, Failure> {
    desk.engine.admin().embedding_progress(&desk.caller).await?;
    Ok(looking(desk, PAUSE, |desk| async move {
        match desk.engine.admin().embedding_progress(&desk.caller).await {
            Ok(progress) if progress.is_complete() => (told("done", &progress), false),
            Ok(progress) => (told("progress", &progress), true),
            Err(failure) => failed(failure),
        }
    }))
}

/// Whether a key was used yet, each second until it was; then `connected`.
pub(crate) async fn key(desk: Desk, path: ById) -> Result<impl Stream<Item = Event>, Failure> {
    desk.credentials.used(&desk.caller, KeyId(path.id)).await?;
    Ok(looking(desk, PAUSE, move |desk| async move {
        match desk.credentials.used(&desk.caller, KeyId(path.id)).await {
            Ok(Some(at)) => (Event::default().event("connected").data(at.to_string()), false),
            Ok(None) => (Event::default().event("waiting").data(""), true),
            Err(failure) => failed(failure),
        }
    }))
}

/// What is done from now on, as it happens; looking at it is not told of again.
pub(crate) async fn audit(desk: Desk, _: Nothing) -> Result<impl Stream<Item = Event>, Failure> {
    let last = newest(&desk).await?.first().map(|event| event.id);
    Ok(stream::unfold((desk, last), |(desk, last)| async move {
        tokio::time::sleep(PAUSE).await;
        let listed = newest(&desk).await.ok()?;
        let next = listed.first().map(|event| event.id).max(last);
        let fresh = listed.into_iter().filter(|event| Some(event.id) > last);
        let others = fresh.filter(|event| event.author.tool != desk.caller.author.tool);
        let shown: Vec<EventShown> = others.map(EventShown::from).collect();
        let told = serde_json::to_string(&shown).unwrap_or_default();
        Some((Event::default().event("events").data(told), (desk, next)))
    }))
}

async fn newest(desk: &Desk) -> Result<Vec<AuditEvent>, Failure> {
    let page = Page::first(EVENTS);
    Ok(desk.engine.admin().audit(&desk.caller, &AuditQuery::default(), page).await?.items)
}

/// Looks at once and then after each pause, until nothing more follows.
fn looking<F>(
    desk: Desk,
    pause: Duration,
    look: impl Fn(Arc<Desk>) -> F + Send + 'static,
) -> impl Stream<Item = Event> + Send + 'static
where
    F: Future<Output = Told> + Send + 'static,
{
    let desk = Arc::new(desk);
    stream::unfold(Some(Duration::ZERO), move |before| {
        let looked = look(Arc::clone(&desk));
        async move {
            tokio::time::sleep(before?).await;
            let (event, more) = looked.await;
            Some((event, more.then_some(pause)))
        }
    })
}

fn failed(failure: Failure) -> Told {
    (Event::default().event("failed").data(failure.message), false)
}

fn told(name: &str, progress: &EmbeddingProgress) -> Event {
    Event::default()
        .event(name)
        .data(json!({ "done": progress.done, "total": progress.total }).to_string())
}

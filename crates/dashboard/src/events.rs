//! What the server tells by itself while a page is open, as server-sent events: how far long work is.

use crate::Window;
use crate::api::refused;
use crate::v1::{EventShown, WorkShown};
use crate::work::{State, Works};
use axum::extract::Path;
use axum::http::Extensions;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use engine::{AuditQuery, Caller, Credentials, EmbeddingProgress, Engine};
use futures_util::stream::{self, Stream};
use model::{AuditId, ErrorCode, Failure, KeyId, OwnerId, Page};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often progress is looked at.
const PAUSE: Duration = Duration::from_secs(1);

/// How often work that somebody waits for is looked at.
const SHORT_PAUSE: Duration = Duration::from_millis(200);

/// How many events are told at once at most.
const EVENTS: usize = 100;

/// Every stream of events by its path.
pub(crate) fn routes(window: &Window) -> Vec<(String, MethodRouter)> {
    let engine = Arc::clone(&window.engine);
    let embedding = get(move |request: Extensions| async move { embedding(engine, &request) });
    let engine = Arc::clone(&window.engine);
    let audit = get(move |request: Extensions| async move { audit(engine, &request) });
    let credentials = Arc::clone(&window.credentials);
    let key = get(move |Path(id): Path<i64>, request: Extensions| async move {
        match server::visitor(&request) {
            Ok(caller) => told_live(first_use(credentials, caller.using("watch"), KeyId(id))),
            Err(failure) => refused(&failure),
        }
    });
    let works = window.works.clone();
    let work = get(move |Path(id): Path<i64>, request: Extensions| async move {
        match server::visitor(&request).and_then(in_person) {
            Ok(caller) => told_live(going(works, caller.owner, id)),
            Err(failure) => refused(&failure),
        }
    });
    vec![
        ("/v1/events/work/{id}".to_owned(), work),
        ("/v1/events/embedding".to_owned(), embedding),
        ("/v1/events/audit".to_owned(), audit),
        ("/v1/events/keys/{id}".to_owned(), key),
    ]
}

/// The caller, if it is the owner in person.
fn in_person(caller: Caller) -> Result<Caller, Failure> {
    let no = || Failure::new(ErrorCode::ConsentRequired, "this is the owner's alone");
    caller.in_person.then_some(caller).ok_or_else(no)
}

/// How far a piece of work is, until it has ended; then `done` or `failed`, after which there is nothing to tell.
fn going(works: Works, owner: OwnerId, id: i64) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(Some(Duration::ZERO), move |pause| {
        let (works, owner) = (works.clone(), owner.clone());
        async move {
            tokio::time::sleep(pause?).await;
            let (name, next, told) = match works.state(&owner, id) {
                Ok(state @ State::Done(..)) => ("done", None, WorkShown::new(id, state)),
                Ok(state @ State::Failed(_)) => ("failed", None, WorkShown::new(id, state)),
                Ok(state) => ("progress", Some(SHORT_PAUSE), WorkShown::new(id, state)),
                Err(failure) => ("failed", None, WorkShown::new(id, State::Failed(failure.message))),
            };
            let told = serde_json::to_string(&told).unwrap_or_default();
            Some((Ok(Event::default().event(name).data(told)), next))
        }
    })
}

fn told_live(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// Whether a key was used yet, each second until it was; then `connected`, after which there is nothing to tell.
fn first_use(
    credentials: Arc<Credentials>,
    caller: Caller,
    id: KeyId,
) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(Some(Duration::ZERO), move |pause| {
        let (credentials, caller) = (Arc::clone(&credentials), caller.clone());
        async move {
            tokio::time::sleep(pause?).await;
            let (event, next) = match credentials.used(&caller, id).await {
                Ok(Some(at)) => (Event::default().event("connected").data(at.to_string()), None),
                Ok(None) => (Event::default().event("waiting").data(""), Some(PAUSE)),
                Err(failure) => (Event::default().event("failed").data(failure.message), None),
            };
            Some((Ok(event), next))
        }
    })
}

fn embedding(engine: Arc<Engine>, request: &Extensions) -> Response {
    match server::visitor(request) {
        Ok(caller) => told_live(progress(engine, caller)),
        Err(failure) => refused(&failure),
    }
}

fn audit(engine: Arc<Engine>, request: &Extensions) -> Response {
    match server::visitor(request) {
        Ok(caller) => told_live(tail(engine, caller.using("tail"))),
        Err(failure) => refused(&failure),
    }
}

/// What is done from now on, as it happens; looking at it is not told of again.
fn tail(engine: Arc<Engine>, caller: Caller) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(None, move |last: Option<AuditId>| {
        let (engine, caller) = (Arc::clone(&engine), caller.clone());
        async move {
            tokio::time::sleep(PAUSE).await;
            let listed = engine.audit(&caller, &AuditQuery::default(), Page::first(EVENTS)).await.ok()?;
            let newest = listed.items.first().map(|event| event.id).max(last);
            let fresh = listed.items.into_iter().filter(|event| last.is_some_and(|last| event.id > last));
            let fresh: Vec<EventShown> =
                fresh.filter(|event| event.author.tool != "tail").map(EventShown::from).collect();
            let told = serde_json::to_string(&fresh).unwrap_or_default();
            Some((Ok(Event::default().event("events").data(told)), newest))
        }
    })
}

/// How far the vectors are, each second until all are there; then `done`, after which there is nothing to tell.
fn progress(engine: Arc<Engine>, caller: Caller) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(Some(Duration::ZERO), move |pause| {
        let (engine, caller) = (Arc::clone(&engine), caller.clone());
        async move {
            tokio::time::sleep(pause?).await;
            let (event, next) = match engine.embedding_progress(&caller).await {
                Ok(progress) if progress.is_complete() => (told("done", &progress), None),
                Ok(progress) => (told("progress", &progress), Some(PAUSE)),
                Err(failure) => (Event::default().event("failed").data(failure.message), None),
            };
            Some((Ok(event), next))
        }
    })
}

fn told(name: &str, progress: &EmbeddingProgress) -> Event {
    Event::default().event(name).data(json!({ "done": progress.done, "total": progress.total }).to_string())
}

//! What the server tells by itself while a page is open, as server-sent events: how far long work is.

use crate::Window;
use crate::api::refused;
use crate::v1::EventShown;
use axum::http::Extensions;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use engine::{AuditQuery, Caller, EmbeddingProgress, Engine};
use futures_util::stream::{self, Stream};
use model::{AuditId, Page};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often progress is looked at.
const PAUSE: Duration = Duration::from_secs(1);

/// How many events are told at once at most.
const EVENTS: usize = 100;

/// Every stream of events by its path.
pub(crate) fn routes(window: &Window) -> Vec<(String, MethodRouter)> {
    let engine = Arc::clone(&window.engine);
    let embedding = get(move |request: Extensions| async move { embedding(engine, &request) });
    let engine = Arc::clone(&window.engine);
    let audit = get(move |request: Extensions| async move { audit(engine, &request) });
    vec![("/v1/events/embedding".to_owned(), embedding), ("/v1/events/audit".to_owned(), audit)]
}

fn embedding(engine: Arc<Engine>, request: &Extensions) -> Response {
    match server::visitor(request) {
        Ok(caller) => Sse::new(progress(engine, caller)).keep_alive(KeepAlive::default()).into_response(),
        Err(failure) => refused(&failure),
    }
}

fn audit(engine: Arc<Engine>, request: &Extensions) -> Response {
    match server::visitor(request) {
        Ok(caller) => {
            Sse::new(tail(engine, caller.using("tail"))).keep_alive(KeepAlive::default()).into_response()
        }
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

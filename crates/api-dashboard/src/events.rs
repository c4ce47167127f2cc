//! Server-sent events while a page is open: progress of jobs, and audit events. Each stream reads
//! once before it starts, so that a caller without permission is refused instead of getting an
//! empty stream.

use crate::api::NoFields;
use crate::jobs::JobState;
use crate::question_words::QuestionWords;
use crate::request_context::RequestContext;
use crate::v1::{AuditEventJson, IdPath, JobJson};
use axum::response::sse::Event;
use engine::AuditQuery;
use engine::reembed::EmbeddingProgress;
use futures_util::stream::{self, Stream};
use model::{AuditEvent, ErrorCode, Failure, KeyId, Page};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Interval between two reads of progress.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Interval between two reads of a job, for which somebody is waiting.
const JOB_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum number of audit events sent at once.
const EVENTS_MAX: usize = 100;

/// An event, and whether more events follow.
type EventStep = (Event, bool);

/// Streams the progress of a job until it has ended; then `done` or `failed`.
pub(crate) async fn job(
    context: RequestContext,
    path: IdPath,
) -> Result<impl Stream<Item = Event>, Failure> {
    if !context.caller.in_person {
        return Err(Failure::new(ErrorCode::ConsentRequired, "only the owner may do this"));
    }
    context.jobs.state(&context.caller.owner, path.id).await?;
    Ok(poll(context, JOB_POLL_INTERVAL, move |context| async move {
        let (name, state) = match context.jobs.state(&context.caller.owner, path.id).await {
            Ok(state @ JobState::Done(..)) => ("done", state),
            Ok(state @ JobState::Failed(_)) => ("failed", state),
            Ok(state) => ("progress", state),
            Err(failure) => ("failed", JobState::Failed(failure.message)),
        };
        let data = serde_json::to_string(&JobJson::new(path.id, state)).unwrap_or_default();
        (Event::default().event(name).data(data), name == "progress")
    }))
}

/// Streams the embedding progress each second until it is complete; then `done`.
pub(crate) async fn embedding(
    context: RequestContext,
    _: NoFields,
) -> Result<impl Stream<Item = Event>, Failure> {
    context.engine.admin().embedding_progress(&context.caller).await?;
    Ok(poll(context, POLL_INTERVAL, |context| async move {
        match context.engine.admin().embedding_progress(&context.caller).await {
            Ok(progress) if progress.is_complete() => (progress_event("done", &progress), false),
            Ok(progress) => (progress_event("progress", &progress), true),
            Err(failure) => failed_event(failure),
        }
    }))
}

/// Streams `waiting` each second until a key is used; then `connected`.
pub(crate) async fn key(
    context: RequestContext,
    path: IdPath,
) -> Result<impl Stream<Item = Event>, Failure> {
    context.credentials.last_used(&context.caller, KeyId(path.id)).await?;
    Ok(poll(context, POLL_INTERVAL, move |context| async move {
        match context.credentials.last_used(&context.caller, KeyId(path.id)).await {
            Ok(Some(at)) => (Event::default().event("connected").data(at.to_string()), false),
            Ok(None) => (Event::default().event("waiting").data(""), true),
            Err(failure) => failed_event(failure),
        }
    }))
}

/// Streams new audit events. The reads of this stream itself are filtered out, or each would cause
/// the next.
pub(crate) async fn audit(
    context: RequestContext,
    _: NoFields,
) -> Result<impl Stream<Item = Event>, Failure> {
    let last = newest_events(&context).await?.first().map(|event| event.id);
    Ok(stream::unfold((context, last), |(context, last)| async move {
        tokio::time::sleep(POLL_INTERVAL).await;
        let listed = newest_events(&context).await.ok()?;
        // Ids only grow, so the newest id seen is enough to find what is new.
        let next = listed.first().map(|event| event.id).max(last);
        let fresh = listed.into_iter().filter(|event| Some(event.id) > last);
        let others = fresh.filter(|event| event.author.tool != context.caller.author.tool);
        let others: Vec<AuditEvent> = others.collect();
        let encoded = encode_events(&context, others).await.ok()?;
        let data = serde_json::to_string(&encoded).unwrap_or_default();
        Some((Event::default().event("events").data(data), (context, next)))
    }))
}

async fn encode_events(
    context: &RequestContext,
    events: Vec<AuditEvent>,
) -> Result<Vec<AuditEventJson>, Failure> {
    // Most reads find nothing new, and need no words.
    let asked = match events.is_empty() {
        true => QuestionWords::default(),
        false => QuestionWords::load(context).await?,
    };
    let owner = &context.caller.author.agent;
    Ok(events.into_iter().map(|event| AuditEventJson::new(event, &asked, owner)).collect())
}

async fn newest_events(context: &RequestContext) -> Result<Vec<AuditEvent>, Failure> {
    let page = Page::first(EVENTS_MAX);
    context.check_membership().await?;
    Ok(context.engine.admin().audit(&context.caller, &AuditQuery::default(), page).await?.items)
}

/// Polls at once and then at each interval, until no more events follow.
fn poll<F>(
    context: RequestContext,
    pause: Duration,
    read: impl Fn(Arc<RequestContext>) -> F + Send + 'static,
) -> impl Stream<Item = Event> + Send + 'static
where
    F: Future<Output = EventStep> + Send + 'static,
{
    let context = Arc::new(context);
    stream::unfold(Some(Duration::ZERO), move |before| {
        let (step, member) = (read(Arc::clone(&context)), Arc::clone(&context));
        async move {
            tokio::time::sleep(before?).await;
            let (event, more) = match member.check_membership().await {
                Ok(()) => step.await,
                Err(failure) => failed_event(failure),
            };
            Some((event, more.then_some(pause)))
        }
    })
}

fn failed_event(failure: Failure) -> EventStep {
    (Event::default().event("failed").data(failure.message), false)
}

fn progress_event(name: &str, progress: &EmbeddingProgress) -> Event {
    Event::default()
        .event(name)
        .data(json!({ "done": progress.done, "total": progress.total }).to_string())
}

//! Logging of exchanges: what was said in a session, as a chain of memories.

use super::join::{join_session, last_in_session, session_required};
use crate::Sessions;
use crate::add_memory::{MemoryAddition, session_of};
use crate::sessions::SessionRef;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    Failure, JsonMap, Kind, LinkKind, MemoryId, NewMemory, Permission, SessionId, Source, limits,
};
use store::{Change, ChangeResult, OnDuplicate, OnForgotten, Ref};

/// Input of [`Sessions::log_exchange`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogExchangeRequest {
    /// The client's session when missing. An unknown key starts one.
    pub session: Option<SessionRef>,
    /// Words of the user.
    pub user: Option<String>,
    /// Answer or action of the agent.
    pub agent: Option<String>,
    /// Title of the memory.
    pub topic: Option<String>,
    /// A note when missing.
    pub kind: Option<Kind>,
    /// Between 0 and 1.
    pub confidence: Option<f32>,
    pub tags: Vec<String>,
    pub metadata: JsonMap,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
}

/// Result of logging an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogExchangeOutcome {
    pub memory: MemoryId,
    pub session: SessionId,
    /// Previous memory of the session.
    pub follows: Option<MemoryId>,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

impl<'e> Sessions<'e> {
    /// Logs what the user or the agent said, after the previous memories of the session.
    ///
    /// # Errors
    /// `invalid_argument` when nothing was said or no session is given, `not_found` for an unknown
    /// number.
    pub fn log_exchange(
        self,
        caller: &'e Caller,
        input: &'e LogExchangeRequest,
    ) -> UseCaseFuture<'e, LogExchangeOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, exchange_resource(input), Permission::Write, input)
                    .await?;
            let key = input.idempotency_key.clone();
            limits::chars(
                "idempotency_key",
                key.as_deref().unwrap_or(""),
                limits::IDEMPOTENCY_KEY_CHARS,
            )?;
            let mut plan = BatchPlan::default();
            let joined = join_session(&call, &mut plan, input.session.as_ref())
                .await?
                .ok_or_else(session_required)?;
            let memory = exchange_memory(
                &call,
                input,
                joined.session.as_ref().and_then(|s| s.project.as_deref()),
            )?;
            // The same words may be said twice, so a log keeps both.
            let adding = MemoryAddition {
                memory,
                session: Some(joined.reference),
                on_duplicate: OnDuplicate::Insert,
                on_forgotten: OnForgotten::Refuse,
            };
            let index = adding.plan(&call, &mut plan).await?;
            // A session that this batch starts has no memory to follow.
            let follows = match &joined.session {
                Some(session) => last_in_session(&call, session.id).await?,
                None => None,
            };
            if let Some(last) = follows {
                let (source, target) = (Ref::Id(last), Ref::ResultOf(index));
                plan.push(Change::Link {
                    source,
                    target,
                    kind: LinkKind::TemporalNext,
                    weight: 1.0,
                });
            }
            let committed = call.write_once("logged", plan.changes, key).await?;
            let memory = committed.results.iter().find_map(ChangeResult::memory);
            let memory =
                memory.ok_or_else(|| internal("the store returned no memory for a log"))?;
            let session = match joined.session {
                Some(session) => session.id,
                None => session_of(&committed.results)?,
            };
            Ok(LogExchangeOutcome { memory, session, follows, notes: call.notes() })
        })
    }
}

/// Returns the resource that governs the memory of an exchange.
fn exchange_resource(input: &LogExchangeRequest) -> Resource {
    let table = input.metadata.get(Source::TABLE_FIELD).and_then(serde_json::Value::as_str);
    Resource::for_source(Source::new(NewMemory::DEFAULT_COLLECTION, table))
}

/// Builds the memory of an exchange: who said what, one line each.
fn exchange_memory(
    call: &Call<'_>,
    input: &LogExchangeRequest,
    project: Option<&str>,
) -> Result<NewMemory, Failure> {
    let said = [("User", &input.user), ("Agent", &input.agent)];
    let lines = said.iter().filter_map(|(who, words)| {
        let words = words.as_deref()?.trim();
        (!words.is_empty()).then(|| format!("{who}: {words}"))
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return Err(Failure::invalid(
            "nothing to log; give what the user said, what the agent said, or both",
        ));
    }
    let mut memory = NewMemory::note(text, call.provenance(call.caller.origin()));
    memory.kind = input.kind.clone().unwrap_or_else(Kind::note);
    memory.title =
        input.topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty()).map(str::to_owned);
    memory.confidence = input.confidence.unwrap_or(memory.confidence);
    memory.project = project.map(str::to_owned).or_else(|| call.caller.environment.project.clone());
    memory.tags.clone_from(&input.tags);
    memory.metadata.clone_from(&input.metadata);
    Ok(memory)
}

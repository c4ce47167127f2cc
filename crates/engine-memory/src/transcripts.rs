//! Transcripts: what was said in the sessions of coding agents, word for word and for a time. Each
//! turn is a memory of a collection of its own. It is compared with nothing and states nothing: an
//! ordinary recall weighs it below statements, and a briefing leaves it out.

use crate::Sessions;
use crate::add_memory::MemoryAddition;
use crate::sessions::{SessionRef, find_session, join_session};
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use engine_core::derived::TURN_KIND;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    Failure, JsonMap, Kind, Memory, MemoryId, Moment, NewMemory, Page, Permission, Source, limits,
};
use serde_json::Value;
use std::collections::HashSet;
use store::{ChangeResult, MemoryQuery, OnDuplicate, OnForgotten};

/// Collection of all turns.
// Stored and granted by this name; it must not change.
pub const COLLECTION: &str = "transcripts";
/// Field of the metadata with the id of a turn.
const TURN_FIELD: &str = "turn";
/// Priority of a turn, the lowest.
pub(crate) const PRIORITY: u8 = 5;

/// Input of [`Sessions::record_turn`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordTurnRequest {
    /// Id of the turn. A turn is stored once, however often it is recorded.
    pub turn: String,
    /// Key of the client's session. An unknown one starts a session.
    pub session: String,
    /// `user` or `assistant`.
    pub speaker: String,
    pub text: String,
    /// Now when missing, or when it is in the future.
    pub at: Option<Moment>,
    /// End of validity.
    pub expires: Option<Moment>,
    /// Further fields.
    pub metadata: JsonMap,
}

/// Returns true if a memory is a turn of a transcript.
pub(crate) fn is_turn(memory: &Memory) -> bool {
    memory.collection == COLLECTION
}

impl<'e> Sessions<'e> {
    /// Logs that a hook gave memories to a session without being asked, with their cost in tokens.
    ///
    /// # Errors
    /// Fails when the caller may not read memories.
    pub fn note_injected(
        self,
        caller: &'e Caller,
        memories: &'e [MemoryId],
        tokens: usize,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let everything = Resource::Memories(None);
            let call =
                Call::begin(self.core, caller, everything, Permission::Read, &memories).await?;
            let note = match memories.len() {
                0 => format!("injected a briefing of {tokens} tokens"),
                1 => format!("injected 1 memory in {tokens} tokens"),
                count => format!("injected {count} memories in {tokens} tokens"),
            };
            // They were counted as shown when they were found.
            call.note_shown(note, &[]).await;
            Ok(())
        })
    }

    /// Records what was said in a session. The same turn within a month is stored once; for older
    /// ones ask [`Sessions::recorded_turns`] first.
    ///
    /// # Errors
    /// Fails when the text is empty, too long, or was forgotten, or the store cannot write.
    pub fn record_turn(
        self,
        caller: &'e Caller,
        input: &'e RecordTurnRequest,
    ) -> UseCaseFuture<'e, MemoryId> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, resource(), Permission::Write, &input.turn).await?;
            let key = format!("turn {}", input.turn);
            limits::chars("turn", &key, limits::IDEMPOTENCY_KEY_CHARS)?;
            let mut plan = BatchPlan::default();
            let session = SessionRef::Key(input.session.clone());
            let joined = join_session(&call, &mut plan, Some(&session)).await?;
            let adding = MemoryAddition {
                memory: turn_memory(&call, input)?,
                session: joined.map(|joined| joined.reference),
                // The same words may be said twice, so a transcript keeps both.
                on_duplicate: OnDuplicate::Insert,
                on_forgotten: OnForgotten::Refuse,
            };
            adding.plan(&call, &mut plan).await?;
            let committed = call.write_once("recorded a turn", plan.changes, Some(key)).await?;
            let memory = committed.results.iter().find_map(ChangeResult::memory);
            memory.ok_or_else(|| internal("the store returned no memory for a turn"))
        })
    }

    /// Returns the ids of the turns of a session that are stored.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn recorded_turns(
        self,
        caller: &'e Caller,
        session: &'e str,
    ) -> UseCaseFuture<'e, HashSet<String>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, resource(), Permission::Read, &session).await?;
            let key = SessionRef::Key(session.to_owned());
            let Some(found) = find_session(&call, &key).await? else { return Ok(HashSet::new()) };
            let query = MemoryQuery {
                sessions: vec![found.id],
                collection: Some(COLLECTION.to_owned()),
                ..call.query()
            };
            let mut turns = HashSet::new();
            let mut page = Page::first(limits::PAGE_ITEMS);
            loop {
                let listed = call.store().list_memories(&query, page).await?;
                let count = listed.items.len();
                turns.extend(listed.items.iter().filter_map(turn_id));
                if count < limits::PAGE_ITEMS {
                    return Ok(turns);
                }
                page.offset += count;
            }
        })
    }
}

/// Returns the resource that governs turns and episodes made from them.
pub(crate) fn resource() -> Resource {
    Resource::for_source(Source::new(COLLECTION, None))
}

fn turn_id(memory: &Memory) -> Option<String> {
    memory.metadata.get(TURN_FIELD).and_then(Value::as_str).map(str::to_owned)
}

fn turn_memory(call: &Call<'_>, input: &RecordTurnRequest) -> Result<NewMemory, Failure> {
    if input.text.trim().is_empty() || input.session.trim().is_empty() {
        return Err(Failure::invalid("a turn needs a text and a session"));
    }
    let mut memory = NewMemory::note(input.text.clone(), call.provenance(call.caller.origin()));
    memory.kind = Kind::new(TURN_KIND)?;
    COLLECTION.clone_into(&mut memory.collection);
    memory.project.clone_from(&call.caller.environment.project);
    memory.priority = PRIORITY;
    memory.valid_from = input.at.filter(|at| *at <= call.at).unwrap_or(memory.valid_from);
    memory.valid_to = input.expires.filter(|end| *end > memory.valid_from);
    memory.metadata.clone_from(&input.metadata);
    memory.metadata.insert(TURN_FIELD.to_owned(), input.turn.as_str().into());
    memory.metadata.insert("speaker".to_owned(), input.speaker.as_str().into());
    Ok(memory)
}

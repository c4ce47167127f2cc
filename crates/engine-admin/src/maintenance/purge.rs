//! Removal of many memories: by age, by session, or all. An agent means what was written through
//! its own tool contract; of that it deletes what it wrote itself, and proposes the rest.

use super::removal::{delete_entities, delete_rows, direct_entities, remove_matching};
use super::{RemovalOutcome, confirmation_required};
use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_memory::erasure::{Erasure, ErasureMode};
use engine_memory::sessions::{SessionRef, require_session};
use guard::Resource;
use model::{Failure, Page, Permission, Status, limits};
use store::{MemoryQuery, MemorySort};

/// Input of [`Admin::prune`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PruneRequest {
    /// Age in days, at least 1.
    pub older_than_days: u32,
    /// Fate of the memories.
    pub mode: ErasureMode,
    /// Does it; otherwise the call only states what it would do.
    pub confirm: bool,
}

impl Default for PruneRequest {
    /// Retires: what can be undone is the default.
    fn default() -> Self {
        Self { older_than_days: 0, mode: ErasureMode::Retire, confirm: false }
    }
}

/// Input of [`Admin::purge_session`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeSessionRequest {
    pub session: SessionRef,
    /// Does it; otherwise the call only states what it would do.
    pub confirm: bool,
}

/// Input of [`Admin::purge_all`]. Profile, handoffs, references and the audit log stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PurgeAllRequest {
    /// Does it; otherwise the call only states what it would do.
    pub confirm: bool,
}

impl<'e> Admin<'e> {
    /// Retires or forgets old memories.
    ///
    /// # Errors
    /// `invalid_argument` with the number of memories while it is not confirmed.
    pub fn prune(
        self,
        caller: &'e Caller,
        input: &'e PruneRequest,
    ) -> UseCaseFuture<'e, RemovalOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            limits::range(
                "older_than_days",
                f64::from(input.older_than_days),
                1.0,
                f64::from(u32::MAX),
            )?;
            let before = call.at.plus_days(-i64::from(input.older_than_days));
            let statuses = match input.mode {
                ErasureMode::Retire => vec![Status::Active],
                ErasureMode::Forget => Vec::new(),
            };
            let mut query =
                MemoryQuery { statuses, created_until: Some(before), ..writable_query(&call) };
            // What the profile says now is not old, whenever it was set.
            query.sources.profile = false;
            if !input.confirm {
                let (verb, number) = (input.mode.name(), count(&call, &query).await?);
                let would = format!("{verb} {number} memories written before {before}");
                return Err(confirmation_required(&would));
            }
            let removal =
                remove_matching(&call, &query, Erasure { mode: input.mode, ..Erasure::default() })
                    .await?;
            // Without a batch there is no audit event yet, but the request must be in the log.
            if removal == RemovalOutcome::default() {
                call.note_done("pruned nothing").await?;
            }
            Ok(removal)
        })
    }

    /// Forgets the memories of a session.
    ///
    /// # Errors
    /// `not_found` when there is no such session; `invalid_argument` while it is not confirmed.
    pub fn purge_session(
        self,
        caller: &'e Caller,
        input: &'e PurgeSessionRequest,
    ) -> UseCaseFuture<'e, RemovalOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            let session = require_session(&call, &input.session).await?.id;
            let query = MemoryQuery { sessions: vec![session], ..writable_query(&call) };
            if !input.confirm {
                let would = format!(
                    "forget {} memories of session {}",
                    count(&call, &query).await?,
                    input.session
                );
                return Err(confirmation_required(&would));
            }
            remove_matching(&call, &query, Erasure::default()).await
        })
    }

    /// Forgets everything: for the owner every memory, row and entity, for an agent the memories
    /// that were written through its tool contract. Entities that were stated directly are only
    /// proposed by an agent, because nobody recorded who stated them.
    ///
    /// # Errors
    /// `invalid_argument` with the numbers while it is not confirmed.
    pub fn purge_all(
        self,
        caller: &'e Caller,
        input: &'e PurgeAllRequest,
    ) -> UseCaseFuture<'e, RemovalOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            // All three are required before anything is removed: half a purge is worse than none.
            for resource in [Resource::Memories(None), Resource::Tables(None), Resource::Graph] {
                call.admit_whole(resource, Permission::Write).await?;
            }
            if caller.in_person {
                return purge_everything(&call, input.confirm).await;
            }
            let query = writable_query(&call);
            let entities = direct_entities(&call).await?;
            if !input.confirm {
                let would = format!(
                    "forget all {} memories written through {}, and {} entities stated directly",
                    count(&call, &query).await?,
                    caller.author.dialect.name(),
                    entities.len()
                );
                return Err(confirmation_required(&would));
            }
            remove_matching(&call, &query, Erasure { entities, ..Erasure::default() }).await
        })
    }
}

async fn purge_everything(call: &Call<'_>, confirm: bool) -> Result<RemovalOutcome, Failure> {
    if !confirm {
        let counts = call.store().counts().await?;
        let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
        let would = format!(
            "forget all {memories} memories, {} rows and {} entities",
            counts.records, counts.entities
        );
        return Err(confirmation_required(&would));
    }
    // Memories first: forgetting one removes its row and what it said about entities.
    let all = MemoryQuery { sort: MemorySort::Oldest, ..MemoryQuery::default() };
    let mut removal = remove_matching(call, &all, Erasure::default()).await?;
    delete_rows(call, &mut removal).await?;
    delete_entities(call, &mut removal).await?;
    Ok(removal)
}

/// Returns a query for everything that the caller may change. For an agent a removal in bulk means
/// what was written through its own tool contract.
fn writable_query(call: &Call<'_>) -> MemoryQuery {
    let dialect = (!call.caller.in_person).then_some(call.caller.author.dialect);
    MemoryQuery { dialect, sort: MemorySort::Oldest, ..call.writable_query() }
}

async fn count(call: &Call<'_>, query: &MemoryQuery) -> Result<usize, Failure> {
    let listed = call.store().list_memories(query, Page::first(1)).await;
    Ok(listed?.total)
}

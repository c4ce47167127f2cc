//! A store that fails one chosen call, before or after the call took effect.

use async_trait::async_trait;
use model::{
    AuditEvent, AuditId, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap,
    Listing, Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page, ProfileVersion, Record,
    RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId, ReviewItem, Seq, Session,
    SessionId, StoredVectors, Table, Workspace, WorkspaceId,
};
use parking_lot::Mutex;
use std::path::Path;
use std::pin::Pin;
use store::{
    AttributedRelation, AuditQuery, Batch, ChainReport, Changes, CommittedBatch, Counts,
    DailyAgentUsage, EntityCard, EntityMerge, EntityQuery, ErasureState, HandoffQuery, Health,
    Links, Mac, MemoryQuery, ReadEvent, RecentQuestion, RecordChange, ReviewQuery, Showing, Store,
    StoreError, StoredSection, UnansweredQuestion, UsageDelta, UseCounts, WriteError,
};

/// Moment of an injected failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailurePoint {
    /// The call never reaches the store.
    Before,
    /// The call takes effect, but its result is lost.
    After,
}

/// A store that forwards every call except one, which fails.
#[derive(Debug)]
pub struct FailingStore<S> {
    inner: S,
    plan: Mutex<FailurePlan>,
}

#[derive(Default)]
struct FailurePlan {
    calls: usize,
    fault: Option<PlannedFailure>,
    /// An action of another process, before the call of this number.
    interruption: Option<(usize, Interruption)>,
}

/// An action of another process between two calls.
pub type Interruption = Pin<Box<dyn Future<Output = ()> + Send>>;

impl std::fmt::Debug for FailurePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FailurePlan").field("calls", &self.calls).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct PlannedFailure {
    call: usize,
    when: FailurePoint,
    error: StoreError,
}

impl<S> FailingStore<S> {
    /// Wraps a store, without a failure planned.
    pub fn new(inner: S) -> Self {
        Self { inner, plan: Mutex::default() }
    }

    /// Returns the wrapped store.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> usize {
        self.plan().calls
    }

    /// Fails the `nth` call from now on, where 1 is the next; later calls succeed again.
    pub fn fail_nth(&self, nth: usize, when: FailurePoint, error: StoreError) {
        let mut plan = self.plan();
        plan.fault = Some(PlannedFailure { call: plan.calls + nth, when, error });
    }

    /// Lets something happen right before the `nth` call from now on, where 1 is the next.
    pub fn interrupt_before(&self, nth: usize, by: Interruption) {
        let mut plan = self.plan();
        plan.interruption = Some((plan.calls + nth, by));
    }

    /// Returns what is to happen before the next call.
    fn next_interruption(&self) -> Option<Interruption> {
        let mut plan = self.plan();
        let next = plan.calls + 1;
        let due = plan.interruption.as_ref().is_some_and(|(call, _)| *call == next);
        if due { plan.interruption.take().map(|(_, by)| by) } else { None }
    }

    fn plan(&self) -> parking_lot::MutexGuard<'_, FailurePlan> {
        self.plan.lock()
    }

    /// Counts a call and returns the failure planned for it.
    fn next_call(&self) -> Option<PlannedFailure> {
        let mut plan = self.plan();
        plan.calls += 1;
        let due = plan.fault.as_ref().is_some_and(|fault| fault.call == plan.calls);
        if due { plan.fault.take() } else { None }
    }

    async fn forward<T, E: From<StoreError>>(
        &self,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        if let Some(interruption) = self.next_interruption() {
            interruption.await;
        }
        match self.next_call() {
            None => call.await,
            Some(PlannedFailure { when: FailurePoint::Before, error, .. }) => Err(error.into()),
            Some(PlannedFailure { when: FailurePoint::After, error, .. }) => {
                call.await?;
                Err(error.into())
            }
        }
    }
}

macro_rules! pass_on {
    ($($verb:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)*) => {
        #[async_trait]
        impl<S: Store> Store for FailingStore<S> {
            $(async fn $verb(&self, owner: &OwnerId, $($argument: $kind),*) -> $answer {
                self.forward(self.inner.$verb(owner, $($argument),*)).await
            })*
        }
    };
}

type ReadResult<T> = Result<T, StoreError>;

pass_on! {
    write(batch: Batch) -> Result<CommittedBatch, WriteError>;
    log_reads(uses: Vec<ReadEvent>) -> Result<(), WriteError>;
    add_usage(served: Vec<UsageDelta>) -> Result<(), WriteError>;
    usage(from: Moment) -> ReadResult<Vec<DailyAgentUsage>>;
    showings(memory: MemoryId) -> ReadResult<Vec<Showing>>;
    unanswered_questions(page: Page) -> ReadResult<Listing<UnansweredQuestion>>;
    recent_questions() -> ReadResult<Vec<RecentQuestion>>;
    review_undo_state(id: ReviewId) -> ReadResult<JsonMap>;
    uses(known: Option<AuditId>) -> ReadResult<Option<UseCounts>>;
    seq() -> ReadResult<Seq>;
    identity() -> ReadResult<[u8; 16]>;
    changes(after: Seq, limit: usize) -> ReadResult<Changes>;
    memories(ids: &[MemoryId]) -> ReadResult<Vec<Memory>>;
    list_memories(query: &MemoryQuery, page: Page) -> ReadResult<Listing<Memory>>;
    memory_by_text(hash: ContentHash) -> ReadResult<Option<MemoryId>>;
    forgotten_at(hash: ContentHash) -> ReadResult<Option<Moment>>;
    erasure(ids: &[MemoryId]) -> ReadResult<ErasureState>;
    vector(memory: MemoryId) -> ReadResult<Option<StoredVectors>>;
    memories_without_vector(model: &str, limit: usize) -> ReadResult<Vec<Memory>>;
    links(memory: MemoryId) -> ReadResult<Links>;
    session(id: SessionId) -> ReadResult<Option<Session>>;
    session_by_key(key: &str) -> ReadResult<Option<Session>>;
    sessions(page: Page) -> ReadResult<Listing<Session>>;
    entities(ids: &[EntityId]) -> ReadResult<Vec<Entity>>;
    entity_by_name(name: &str) -> ReadResult<Option<Entity>>;
    people_by_first_name(first: &str) -> ReadResult<Vec<Entity>>;
    list_entities(query: &EntityQuery, page: Page) -> ReadResult<Listing<Entity>>;
    entity_cards(after: EntityId, limit: usize) -> ReadResult<Vec<EntityCard>>;
    merges_into(entity: EntityId) -> ReadResult<Vec<EntityMerge>>;
    observations(entity: EntityId, page: Page) -> ReadResult<Listing<Observation>>;
    relations(entities: &[EntityId]) -> ReadResult<Vec<Relation>>;
    relations_after(after: RelationId, limit: usize) -> ReadResult<Vec<AttributedRelation>>;
    mentions(memory: MemoryId) -> ReadResult<Vec<Mention>>;
    memories_mentioning(entity: EntityId, page: Page) -> ReadResult<Listing<MemoryId>>;
    tables() -> ReadResult<Vec<Table>>;
    records(table: &str, after: RecordId, limit: usize) -> ReadResult<Vec<Record>>;
    record_changes(table: &str, since: Seq, after: RecordId, limit: usize)
        -> ReadResult<Vec<RecordChange>>;
    record(table: &str, id: RecordId) -> ReadResult<Option<Record>>;
    records_of_memory(memory: MemoryId) -> ReadResult<Vec<Record>>;
    profile() -> ReadResult<Option<ProfileVersion>>;
    profile_history(page: Page) -> ReadResult<Listing<ProfileVersion>>;
    handoff(id: HandoffId) -> ReadResult<Option<Handoff>>;
    handoffs(query: &HandoffQuery, page: Page) -> ReadResult<Listing<Handoff>>;
    references(page: Page) -> ReadResult<Listing<Reference>>;
    references_seq() -> ReadResult<Seq>;
    sections(after: Option<(ReferenceId, usize)>, limit: usize) -> ReadResult<Vec<StoredSection>>;
    review(id: ReviewId) -> ReadResult<Option<ReviewItem>>;
    reviews(query: &ReviewQuery, page: Page) -> ReadResult<Listing<ReviewItem>>;
    flags(memory: MemoryId) -> ReadResult<Vec<Flag>>;
    workspace(id: WorkspaceId) -> ReadResult<Option<Workspace>>;
    workspaces() -> ReadResult<Vec<Workspace>>;
    grants() -> ReadResult<Vec<Grant>>;
    audit(query: &AuditQuery, page: Page) -> ReadResult<Listing<AuditEvent>>;
    verify_audit() -> ReadResult<ChainReport>;
    audit_mac(id: AuditId) -> ReadResult<Option<Mac>>;
    prune_audit(before: Moment) -> ReadResult<usize>;
    setting(name: &str) -> ReadResult<Option<serde_json::Value>>;
    location() -> ReadResult<String>;
    size_bytes() -> ReadResult<u64>;
    counts() -> ReadResult<Counts>;
    health() -> ReadResult<Health>;
    prune_idempotency(before: Moment) -> ReadResult<usize>;
    compact() -> ReadResult<()>;
    backup(to: &Path) -> ReadResult<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TempStore;
    use store_conformance::builders::{batch, remember};

    async fn write(store: &impl Store, text: &str) -> Result<CommittedBatch, WriteError> {
        store.write(&OwnerId::me(), batch(vec![remember(text)])).await
    }

    #[tokio::test]
    async fn only_the_chosen_call_fails_and_has_no_effect() {
        let temporary = TempStore::new().await;
        let store = FailingStore::new(temporary.clone());
        store.fail_nth(2, FailurePoint::Before, StoreError::Full);
        write(&store, "one").await.unwrap();
        assert!(matches!(write(&store, "two").await, Err(WriteError::Store(StoreError::Full))));
        write(&store, "three").await.unwrap();
        assert_eq!(store.seq(&OwnerId::me()).await.unwrap(), Seq(2));
        assert_eq!(store.calls(), 4);
    }

    #[tokio::test]
    async fn a_lost_result_leaves_the_write_in_place() {
        let temporary = TempStore::new().await;
        let store = FailingStore::new(temporary.clone());
        store.fail_nth(1, FailurePoint::After, StoreError::Busy);
        assert!(matches!(write(&store, "one").await, Err(WriteError::Store(StoreError::Busy))));
        assert_eq!(store.inner().seq(&OwnerId::me()).await.unwrap(), Seq(1));
    }
}

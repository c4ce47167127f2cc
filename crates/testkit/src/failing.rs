//! A store that fails one chosen call, before or after the call took effect.

use async_trait::async_trait;
use model::{
    AuditEvent, ContentHash, Entity, EntityId, Flag, Grant, Handoff, HandoffId, JsonMap, Listing,
    Memory, MemoryId, Mention, Moment, Observation, OwnerId, Page, ProfileVersion, Record,
    RecordId, Reference, ReferenceId, Relation, RelationId, ReviewId, ReviewItem, Seq, Session,
    SessionId, StoredVector, Table, Workspace, WorkspaceId,
};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use store::{
    AuditQuery, Batch, ChainReport, Changes, Committed, Counts, EntityCard, EntityQuery,
    HandoffQuery, Health, KeptRelation, Links, MemoryQuery, RecordChange, ReviewQuery, Served,
    Showing, Store, StoreError, StoredSection, Unanswered, Usage, Use, WriteError,
};

/// Moment of an injected failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// The call never reaches the store.
    Before,
    /// The call takes effect, but its result is lost.
    After,
}

/// A store that forwards every call except one, which fails.
#[derive(Debug)]
pub struct FailingStore<S> {
    inner: S,
    plan: Mutex<Plan>,
}

#[derive(Debug, Default)]
struct Plan {
    calls: usize,
    fault: Option<Fault>,
}

#[derive(Debug)]
struct Fault {
    call: usize,
    when: When,
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
    pub fn fail_nth(&self, nth: usize, when: When, error: StoreError) {
        let mut plan = self.plan();
        plan.fault = Some(Fault { call: plan.calls + nth, when, error });
    }

    fn plan(&self) -> std::sync::MutexGuard<'_, Plan> {
        // No code panics while it changes the plan, so a poisoned lock still holds a valid one.
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call and returns the failure planned for it.
    fn next_call(&self) -> Option<Fault> {
        let mut plan = self.plan();
        plan.calls += 1;
        let due = plan.fault.as_ref().is_some_and(|fault| fault.call == plan.calls);
        if due { plan.fault.take() } else { None }
    }

    async fn pass_on<T, E: From<StoreError>>(
        &self,
        call: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        match self.next_call() {
            None => call.await,
            Some(Fault { when: When::Before, error, .. }) => Err(error.into()),
            Some(Fault { when: When::After, error, .. }) => {
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
                self.pass_on(self.inner.$verb(owner, $($argument),*)).await
            })*
        }
    };
}

type Read<T> = Result<T, StoreError>;

pass_on! {
    write(batch: Batch) -> Result<Committed, WriteError>;
    note_use(uses: Vec<Use>) -> Result<(), WriteError>;
    note_served(served: Vec<Served>) -> Result<(), WriteError>;
    usage(from: Moment) -> Read<Vec<Usage>>;
    showings(memory: MemoryId) -> Read<Vec<Showing>>;
    questions(page: Page) -> Read<Listing<Unanswered>>;
    review_before(id: ReviewId) -> Read<JsonMap>;
    seq() -> Read<Seq>;
    identity() -> Read<[u8; 16]>;
    changes(after: Seq, limit: usize) -> Read<Changes>;
    memories(ids: &[MemoryId]) -> Read<Vec<Memory>>;
    list_memories(query: &MemoryQuery, page: Page) -> Read<Listing<Memory>>;
    memory_saying(hash: ContentHash) -> Read<Option<MemoryId>>;
    forgotten(hash: ContentHash) -> Read<Option<Moment>>;
    vector(memory: MemoryId) -> Read<Option<StoredVector>>;
    memories_without_vector(model: &str, limit: usize) -> Read<Vec<Memory>>;
    links(memory: MemoryId) -> Read<Links>;
    session(id: SessionId) -> Read<Option<Session>>;
    session_by_key(key: &str) -> Read<Option<Session>>;
    sessions(page: Page) -> Read<Listing<Session>>;
    entities(ids: &[EntityId]) -> Read<Vec<Entity>>;
    entity_named(name: &str) -> Read<Option<Entity>>;
    list_entities(query: &EntityQuery, page: Page) -> Read<Listing<Entity>>;
    entity_cards(after: EntityId, limit: usize) -> Read<Vec<EntityCard>>;
    observations(entity: EntityId, page: Page) -> Read<Listing<Observation>>;
    relations(entities: &[EntityId]) -> Read<Vec<Relation>>;
    relations_after(after: RelationId, limit: usize) -> Read<Vec<KeptRelation>>;
    mentions(memory: MemoryId) -> Read<Vec<Mention>>;
    mentioned_in(entity: EntityId, page: Page) -> Read<Listing<MemoryId>>;
    tables() -> Read<Vec<Table>>;
    records(table: &str, after: RecordId, limit: usize) -> Read<Vec<Record>>;
    record_changes(table: &str, since: Seq, after: RecordId, limit: usize)
        -> Read<Vec<RecordChange>>;
    record(table: &str, id: RecordId) -> Read<Option<Record>>;
    records_of(memory: MemoryId) -> Read<Vec<Record>>;
    profile() -> Read<Option<ProfileVersion>>;
    profile_history(page: Page) -> Read<Listing<ProfileVersion>>;
    handoff(id: HandoffId) -> Read<Option<Handoff>>;
    handoffs(query: &HandoffQuery, page: Page) -> Read<Listing<Handoff>>;
    references(page: Page) -> Read<Listing<Reference>>;
    references_seq() -> Read<Seq>;
    sections(after: Option<(ReferenceId, usize)>, limit: usize) -> Read<Vec<StoredSection>>;
    review(id: ReviewId) -> Read<Option<ReviewItem>>;
    reviews(query: &ReviewQuery, page: Page) -> Read<Listing<ReviewItem>>;
    flags(memory: MemoryId) -> Read<Vec<Flag>>;
    workspace(id: WorkspaceId) -> Read<Option<Workspace>>;
    workspaces() -> Read<Vec<Workspace>>;
    grants() -> Read<Vec<Grant>>;
    audit(query: &AuditQuery, page: Page) -> Read<Listing<AuditEvent>>;
    verify_audit() -> Read<ChainReport>;
    prune_audit(before: Moment) -> Read<usize>;
    setting(name: &str) -> Read<Option<serde_json::Value>>;
    location() -> Read<String>;
    counts() -> Read<Counts>;
    health() -> Read<Health>;
    prune_idempotency(before: Moment) -> Read<usize>;
    compact() -> Read<()>;
    backup(to: &Path) -> Read<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TempStore;
    use store_conformance::build::{batch, remember};

    async fn write(store: &impl Store, text: &str) -> Result<Committed, WriteError> {
        store.write(&OwnerId::me(), batch(vec![remember(text)])).await
    }

    #[tokio::test]
    async fn only_the_chosen_call_fails_and_has_no_effect() {
        let temporary = TempStore::new().await;
        let store = FailingStore::new(temporary.clone());
        store.fail_nth(2, When::Before, StoreError::Full);
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
        store.fail_nth(1, When::After, StoreError::Busy);
        assert!(matches!(write(&store, "one").await, Err(WriteError::Store(StoreError::Busy))));
        assert_eq!(store.inner().seq(&OwnerId::me()).await.unwrap(), Seq(1));
    }
}

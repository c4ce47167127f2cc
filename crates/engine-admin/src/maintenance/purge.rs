//! Removal of many memories: by age, by session, or all. In bounded batches, each complete; an
//! interrupted call has done some of them, and the next one continues.

use super::{RemovalOutcome, confirmation_required};
use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_memory::sessions::{SessionRef, require_session};
use guard::Resource;
use model::{Failure, MemoryId, Page, Permission, Record, RecordId, Status, limits};
use store::{Change, EntityQuery, MemoryQuery, MemorySort, Ref};

/// Method of pruning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PruneMode {
    /// Retires them: they are no longer recalled, their history stays.
    #[default]
    Retire,
    /// Forgets them: removed from every place.
    Forget,
}

/// Input of [`Admin::prune`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PruneRequest {
    /// Age in days, at least 1.
    pub older_than_days: u32,
    pub mode: PruneMode,
    /// Does it; otherwise the call only states what it would do.
    pub confirm: bool,
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
                PruneMode::Retire => vec![Status::Active],
                PruneMode::Forget => Vec::new(),
            };
            let mut query = MemoryQuery {
                statuses,
                created_until: Some(before),
                sort: MemorySort::Oldest,
                ..call.writable_query()
            };
            // What the profile says now is not old, whenever it was set.
            query.sources.profile = false;
            let verb = if input.mode == PruneMode::Retire { "retire" } else { "forget" };
            let would =
                format!("{verb} {} memories written before {before}", count(&call, &query).await?);
            let removal = match (input.confirm, input.mode) {
                (false, _) => return Err(confirmation_required(&would)),
                (true, PruneMode::Retire) => retire_all(&call, &query).await?,
                (true, PruneMode::Forget) => forget_all(&call, &query).await?,
            };
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
            let query = MemoryQuery {
                sessions: vec![session],
                sort: MemorySort::Oldest,
                ..call.writable_query()
            };
            if !input.confirm {
                let would = format!(
                    "forget {} memories of session {}",
                    count(&call, &query).await?,
                    input.session
                );
                return Err(confirmation_required(&would));
            }
            forget_all(&call, &query).await
        })
    }

    /// Forgets every memory, row and entity.
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
            if !input.confirm {
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
            let mut removal = forget_all(&call, &all).await?;
            delete_rows(&call, &mut removal).await?;
            delete_entities(&call, &mut removal).await?;
            Ok(removal)
        })
    }
}

async fn count(call: &Call<'_>, query: &MemoryQuery) -> Result<usize, Failure> {
    let listed = call.store().list_memories(query, Page::first(1)).await;
    Ok(listed?.total)
}

/// Returns the next matching memories that the caller may read. The others are skipped for good, so
/// that each round either removes something or moves on.
async fn next_ids(
    call: &Call<'_>,
    query: &MemoryQuery,
    page: &mut Page,
) -> Result<Vec<MemoryId>, Failure> {
    loop {
        let listed = call.store().list_memories(query, *page).await;
        let listed = listed?.items;
        let found = listed.len();
        let ids: Vec<MemoryId> = call.visible(listed).iter().map(|memory| memory.id).collect();
        page.offset += found - ids.len();
        if found == 0 || !ids.is_empty() {
            return Ok(ids);
        }
    }
}

async fn forget_all(call: &Call<'_>, query: &MemoryQuery) -> Result<RemovalOutcome, Failure> {
    let mut removal = RemovalOutcome::default();
    let mut page = Page::first(limits::IDS_PER_CALL);
    loop {
        let ids = next_ids(call, query, &mut page).await?;
        let asked = ids.len();
        if asked == 0 {
            return Ok(removal);
        }
        let receipt = engine_memory::forget::forget_now(call, ids, Vec::new()).await?.receipt;
        // Another process may have removed them already; without moving on this would loop forever.
        page.offset += if receipt.memories.is_empty() { asked } else { 0 };
        removal.add(&receipt);
    }
}

async fn retire_all(call: &Call<'_>, query: &MemoryQuery) -> Result<RemovalOutcome, Failure> {
    let mut removal = RemovalOutcome::default();
    let mut page = Page::first(limits::IDS_PER_CALL);
    loop {
        let ids = next_ids(call, query, &mut page).await?;
        if ids.is_empty() {
            return Ok(removal);
        }
        let retire =
            |id: &MemoryId| Change::SetStatus { memory: Ref::Id(*id), status: Status::Retired };
        call.write(format!("retired {}", ids.len()), ids.iter().map(retire).collect()).await?;
        removal.memories += ids.len();
        removal.batches += 1;
    }
}

/// Deletes the rows without a memory, which forgetting the memories has left.
async fn delete_rows(call: &Call<'_>, removal: &mut RemovalOutcome) -> Result<(), Failure> {
    let store = call.store();
    for table in store.tables().await? {
        loop {
            let rows = store.records(&table.name, RecordId(0), limits::PAGE_ITEMS).await?;
            if rows.is_empty() {
                break;
            }
            let delete =
                |row: &Record| Change::DeleteRecord { table: table.name.clone(), record: row.id };
            call.write(format!("deleted {} rows", rows.len()), rows.iter().map(delete).collect())
                .await?;
            removal.add_place("records", rows.len());
            removal.batches += 1;
        }
    }
    Ok(())
}

async fn delete_entities(call: &Call<'_>, removal: &mut RemovalOutcome) -> Result<(), Failure> {
    let query = EntityQuery::default();
    loop {
        let page = Page::first(limits::PAGE_ITEMS);
        let listed = call.store().list_entities(&query, page).await;
        let entities = listed?.items;
        if entities.is_empty() {
            return Ok(());
        }
        let changes = entities.iter().map(|entity| Change::DeleteEntity(entity.id)).collect();
        call.write(format!("deleted {} entities", entities.len()), changes).await?;
        removal.add_place("entities", entities.len());
        removal.batches += 1;
    }
}

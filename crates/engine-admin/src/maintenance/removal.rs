//! Removal of everything that matches: in bounded batches, each complete, for whoever may; for any
//! other agent its own memories at once, and the rest as a proposal. An interrupted call has done
//! some of the batches, and the next one continues. Entities that were stated directly have no
//! recorded author, so an agent only proposes them.

use super::RemovalOutcome;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use engine_memory::erasure::{Erasure, ErasureMode, divide_single, plan_proposal};
use engine_memory::forget::{forget_now, plan_forget, write_forget};
use model::{
    Entity, EntityId, Failure, Memory, MemoryId, Observation, Page, Record, RecordId, Relation,
    Status, limits,
};
use store::{Change, EntityQuery, MemoryQuery, Ref};

/// Removes the memories that match, and proposes the entities of the erasure.
pub(super) async fn remove_matching(
    call: &Call<'_>,
    query: &MemoryQuery,
    erasure: Erasure,
) -> Result<RemovalOutcome, Failure> {
    if !call.may_erase().await? {
        return divide_matching(call, query, erasure).await;
    }
    let mut removal = match erasure.mode {
        ErasureMode::Forget => forget_all(call, query).await?,
        ErasureMode::Retire => retire_all(call, query).await?,
    };
    if !erasure.is_empty() {
        removal.proposal = remove_and_propose(call, Vec::new(), erasure).await?.proposal;
    }
    Ok(removal)
}

/// Deletes the caller's own memories and proposes the rest, in one batch; everything is proposed
/// when it is too much at once.
async fn divide_matching(
    call: &Call<'_>,
    query: &MemoryQuery,
    erasure: Erasure,
) -> Result<RemovalOutcome, Failure> {
    let mut proposed = erasure;
    let mut own = Vec::new();
    let few = all_matching(call, query, limits::ERASED_AT_ONCE).await?;
    match few {
        Some(memories) => {
            let division = divide_single(call, memories).await?;
            own.extend(division.own.iter().map(|memory| memory.id));
            proposed.memories.extend(division.others.iter().map(|memory| memory.id));
        }
        None => proposed.memories = all_ids(call, query).await?,
    }
    remove_and_propose(call, own, proposed).await
}

async fn remove_and_propose(
    call: &Call<'_>,
    own: Vec<MemoryId>,
    proposed: Erasure,
) -> Result<RemovalOutcome, Failure> {
    let mut removal = RemovalOutcome { memories: own.len(), ..RemovalOutcome::default() };
    if own.is_empty() && proposed.is_empty() {
        return Ok(removal);
    }
    let note = format!("{} {}, proposed {}", proposed.mode.name(), own.len(), proposed.summary());
    let mut plan = BatchPlan::default();
    match proposed.mode {
        ErasureMode::Forget => _ = plan_forget(call, &mut plan, own, Vec::new()).await?,
        ErasureMode::Retire => plan.changes.extend(own.into_iter().map(retire)),
    }
    let planned = plan_proposal(call, &mut plan, proposed).await?;
    let (proof, results) = write_forget(call, note, plan).await?;
    proof.receipt.removed.iter().for_each(|(place, count)| removal.add_place(place, *count));
    removal.batches = 1;
    removal.proposal = planned.map(|planned| planned.finish(&results)).transpose()?;
    Ok(removal)
}

fn retire(memory: MemoryId) -> Change {
    Change::SetStatus { memory: Ref::Id(memory), status: Status::Retired }
}

/// Returns all matching memories that the caller may read; `None` when there are more than `most`.
async fn all_matching(
    call: &Call<'_>,
    query: &MemoryQuery,
    most: usize,
) -> Result<Option<Vec<Memory>>, Failure> {
    let listed = call.store().list_memories(query, Page::first(most)).await?;
    Ok((listed.total <= most).then(|| call.visible(listed.items)))
}

async fn all_ids(call: &Call<'_>, query: &MemoryQuery) -> Result<Vec<MemoryId>, Failure> {
    let (mut ids, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = call.store().list_memories(query, page).await?;
        limits::count("memories to erase", listed.total, limits::PROPOSED_ERASURES)?;
        page.offset += listed.items.len();
        let last = listed.items.is_empty() || page.offset >= listed.total;
        ids.extend(call.visible(listed.items).iter().map(|memory| memory.id));
        if last {
            return Ok(ids);
        }
    }
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
        let receipt = forget_now(call, ids, Vec::new()).await?.receipt;
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
        let changes = ids.iter().copied().map(retire).collect();
        call.write(format!("retired {}", ids.len()), changes).await?;
        removal.memories += ids.len();
        removal.batches += 1;
    }
}

/// Deletes the rows without a memory, which forgetting the memories has left.
pub(super) async fn delete_rows(
    call: &Call<'_>,
    removal: &mut RemovalOutcome,
) -> Result<(), Failure> {
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

/// Deletes every entity.
pub(super) async fn delete_entities(
    call: &Call<'_>,
    removal: &mut RemovalOutcome,
) -> Result<(), Failure> {
    loop {
        let page = Page::first(limits::PAGE_ITEMS);
        let listed = call.store().list_entities(&EntityQuery::default(), page).await?;
        if listed.items.is_empty() {
            return Ok(());
        }
        let delete = |entity: &Entity| Change::DeleteEntity(entity.id);
        let changes = listed.items.iter().map(delete).collect();
        call.write(format!("deleted {} entities", listed.items.len()), changes).await?;
        removal.add_place("entities", listed.items.len());
        removal.batches += 1;
    }
}

/// Returns the entities that were stated directly and that no memory says anything about.
pub(super) async fn direct_entities(call: &Call<'_>) -> Result<Vec<EntityId>, Failure> {
    let (mut found, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = call.store().list_entities(&EntityQuery::default(), page).await?;
        page.offset += listed.items.len();
        let last = listed.items.is_empty() || page.offset >= listed.total;
        for entity in listed.items.iter().filter(|entity| entity.mentions == 0) {
            if is_stated_directly(call, entity).await? {
                found.push(entity.id);
            }
        }
        if last {
            return Ok(found);
        }
    }
}

async fn is_stated_directly(call: &Call<'_>, entity: &Entity) -> Result<bool, Failure> {
    let page = Page::first(limits::PAGE_ITEMS);
    let said = call.store().observations(entity.id, page).await?.items;
    let related = call.store().relations(&[entity.id]).await?;
    let no_memory = |observation: &Observation| observation.memory.is_none();
    let unattached = |relation: &Relation| relation.memory.is_none();
    Ok(said.iter().all(no_memory) && related.iter().all(unattached))
}

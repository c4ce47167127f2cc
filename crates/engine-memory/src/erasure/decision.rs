//! The owner's decision on a proposed erasure. Accepting deletes exactly what was proposed and
//! still stands as it did; what was corrected since or is gone is skipped and told. Refusing
//! deletes nothing.

use super::authorship::changes_any;
use super::undo::undo_state;
use super::{Erasure, ErasureMode};
use crate::forget::{add_receipt, plan_forget, write_forget};
use crate::tables::plan_row_deletion;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{
    EntityId, Failure, LinkKind, Memory, MemoryId, Moment, Page, Resolution, ReviewItem, Status,
    limits,
};
use std::collections::BTreeSet;
use store::{Change, ForgetReceipt, Ref};

// Bounds the search in a file from elsewhere that chains corrections without end.
const VERSIONS_MAX: usize = 1_000;

/// Decides a proposed erasure. Returns what was removed, and sentences about what was not.
pub(crate) async fn decide(
    call: &Call<'_>,
    item: &ReviewItem,
    erasure: &Erasure,
    resolution: Resolution,
) -> Result<(Option<ForgetReceipt>, Vec<String>), Failure> {
    match resolution {
        Resolution::Confirm => {
            let (receipt, skipped) = accept(call, item, erasure).await?;
            Ok((Some(receipt), skipped))
        }
        Resolution::Reject => {
            let mut plan = BatchPlan::default();
            plan.push(Change::ResolveReview { review: item.id, resolution });
            call.write(format!("refused to erase by review item {}", item.id), plan.changes)
                .await?;
            Ok((None, Vec::new()))
        }
        Resolution::KeepBoth => {
            Err(Failure::invalid("a deletion is accepted with confirm or refused with reject"))
        }
    }
}

async fn accept(
    call: &Call<'_>,
    item: &ReviewItem,
    erasure: &Erasure,
) -> Result<(ForgetReceipt, Vec<String>), Failure> {
    let mut skipped = Vec::new();
    let memories = standing_memories(call, item, erasure, &mut skipped).await?;
    let fields = standing_fields(call, item, erasure, &mut skipped).await?;
    let mut receipt = ForgetReceipt::default();
    // In bounded batches: an interrupted decision has done some of them, and is still open.
    let mut chunks: Vec<&[Memory]> = memories.chunks(limits::IDS_PER_CALL).collect();
    let last = chunks.pop().unwrap_or_default();
    for some in chunks {
        let mut plan = BatchPlan::default();
        plan_memories(call, &mut plan, erasure.mode, some, Vec::new()).await?;
        let (part, _) = write_forget(call, note(item, some.len()), plan).await?;
        add_receipt(&mut receipt, part.receipt);
    }
    let mut plan = BatchPlan::default();
    // Before the memories: forgetting one removes the entities that only it mentioned.
    let entities = plan_entities(call, &mut plan, erasure, &mut skipped).await?;
    let rows = plan_rows(call, &mut plan, item, erasure, &mut skipped).await?;
    plan_memories(call, &mut plan, erasure.mode, last, fields).await?;
    plan.push(Change::ResolveReview { review: item.id, resolution: Resolution::Confirm });
    if erasure.is_reversible() {
        let before = undo_state(&memories, &plan.changes);
        plan.push(Change::SaveUndoState { review: item.id, before });
    }
    let (part, _) = write_forget(call, note(item, last.len()), plan).await?;
    add_receipt(&mut receipt, part.receipt);
    let places = [("entities", entities), ("records", rows)];
    let removed = places.iter().filter(|(_, count)| *count > 0);
    receipt.removed.extend(removed.map(|(place, count)| ((*place).to_owned(), *count)));
    Ok((receipt, skipped))
}

fn note(item: &ReviewItem, memories: usize) -> String {
    format!("erased {memories} memories by review item {}", item.id)
}

async fn plan_memories(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    mode: ErasureMode,
    memories: &[Memory],
    fields: Vec<String>,
) -> Result<(), Failure> {
    let ids = memories.iter().map(|memory| memory.id);
    match mode {
        ErasureMode::Forget => plan_forget(call, plan, ids.collect(), fields).await.map(drop),
        ErasureMode::Retire => {
            ids.for_each(|id| {
                plan.push(Change::SetStatus { memory: Ref::Id(id), status: Status::Retired });
            });
            Ok(())
        }
    }
}

/// Returns the proposed memories that still stand as they did.
async fn standing_memories(
    call: &Call<'_>,
    item: &ReviewItem,
    erasure: &Erasure,
    skipped: &mut Vec<String>,
) -> Result<Vec<Memory>, Failure> {
    let mut standing = Vec::new();
    let mut gone = Vec::new();
    for some in erasure.memories.chunks(limits::IDS_PER_CALL) {
        let found = call.memories(some).await?;
        gone.extend(some.iter().filter(|id| !found.iter().any(|memory| memory.id == **id)));
        for memory in found {
            match reason_to_skip(call, item, erasure, &memory).await? {
                Some(reason) => skipped.push(reason),
                None => standing.push(memory),
            }
        }
    }
    if !gone.is_empty() {
        skipped.push(format!("{} were gone already", id_list(&gone)));
    }
    Ok(standing)
}

fn id_list(ids: &[MemoryId]) -> String {
    const LISTED: usize = 20;
    let few: Vec<String> = ids.iter().take(LISTED).map(ToString::to_string).collect();
    let more = ids.len().saturating_sub(few.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("memories {}{more}", few.join(", "))
}

async fn reason_to_skip(
    call: &Call<'_>,
    item: &ReviewItem,
    erasure: &Erasure,
    memory: &Memory,
) -> Result<Option<String>, Failure> {
    let id = memory.id;
    if let Some(newer) = corrected_since(call, id, item.raised_at).await? {
        return Ok(Some(format!("memory {id} was corrected since the proposal, by {newer}")));
    }
    let inactive = erasure.mode == ErasureMode::Retire && memory.status != Status::Active;
    Ok(inactive.then(|| format!("memory {id} is {} by now", memory.status.name())))
}

/// Returns the memory that replaced this one, or a version that replaced it before, after a moment.
async fn corrected_since(
    call: &Call<'_>,
    id: MemoryId,
    since: Moment,
) -> Result<Option<MemoryId>, Failure> {
    let (mut seen, mut open) = (BTreeSet::from([id]), vec![id]);
    while let Some(id) = open.pop() {
        let links = call.store().links(id).await?;
        for link in links.incoming.iter().filter(|link| link.kind == LinkKind::Supersedes) {
            if link.created_at > since {
                return Ok(Some(link.source));
            }
            if seen.len() < VERSIONS_MAX && seen.insert(link.source) {
                open.push(link.source);
            }
        }
    }
    Ok(None)
}

/// Returns the proposed profile fields that nobody has changed since.
async fn standing_fields(
    call: &Call<'_>,
    item: &ReviewItem,
    erasure: &Erasure,
    skipped: &mut Vec<String>,
) -> Result<Vec<String>, Failure> {
    if erasure.profile_fields.is_empty() {
        return Ok(Vec::new());
    }
    // Newest first, so a change since the proposal is on the first page.
    let history = call.store().profile_history(Page::first(limits::PAGE_ITEMS)).await?.items;
    let since = history.iter().filter(|version| version.provenance.at > item.raised_at);
    let since: Vec<_> = since.collect();
    let is_changed = |field: &&String| {
        since.iter().any(|version| changes_any(version, std::slice::from_ref(*field)))
    };
    let (changed, same): (Vec<&String>, Vec<&String>) =
        erasure.profile_fields.iter().partition(is_changed);
    skipped.extend(
        changed.iter().map(|field| format!("profile field {field} changed since the proposal")),
    );
    Ok(same.into_iter().cloned().collect())
}

/// Plans the deletion of the proposed rows that nobody has changed since. Returns their number.
async fn plan_rows(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    item: &ReviewItem,
    erasure: &Erasure,
    skipped: &mut Vec<String>,
) -> Result<usize, Failure> {
    let mut planned = 0;
    for (table, id) in &erasure.rows {
        match call.store().record(table, *id).await? {
            None => skipped.push(format!("row {id} of {table} was gone already")),
            Some(row) if row.updated_at > item.raised_at => {
                skipped.push(format!("row {id} of {table} changed since the proposal"));
            }
            Some(row) => {
                plan_row_deletion(call, plan, &row).await?;
                planned += 1;
            }
        }
    }
    Ok(planned)
}

/// Plans the deletion and the merging of the proposed entities that still exist. Returns the number
/// of those that are removed.
async fn plan_entities(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    erasure: &Erasure,
    skipped: &mut Vec<String>,
) -> Result<usize, Failure> {
    let before = plan.changes.len();
    let exists = async |id: EntityId| -> Result<bool, Failure> {
        Ok(!call.store().entities(&[id]).await?.is_empty())
    };
    for id in &erasure.entities {
        if exists(*id).await? {
            plan.push(Change::DeleteEntity(*id));
        } else {
            skipped.push(format!("entity {id} was gone already"));
        }
    }
    for (from, into) in &erasure.merges {
        if exists(*from).await? && exists(*into).await? {
            let (from, into) = (Ref::Id(*from), Ref::Id(*into));
            plan.push(Change::MergeEntities { from, into });
        } else {
            skipped.push(format!("entity {from} or {into} was gone already"));
        }
    }
    Ok(plan.changes.len() - before)
}

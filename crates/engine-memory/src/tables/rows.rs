//! Updating and deleting single rows. A row and the memory that describes it change together, in
//! one batch.

use super::{current_rows, record_text, table_named};
use crate::Tables;
use crate::add_memory::MemoryAddition;
use crate::erasure::{Erasure, ErasureMode, ErasureProposal, propose, wrote};
use crate::versions::all_versions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::{BatchPlan, result_at};
use guard::Resource;
use model::{
    ErrorCode, Failure, JsonMap, Memory, MemoryId, NewMemory, Permission, Record, RecordId, Status,
    changed_fields, merge_patch,
};
use store::{Change, OnDuplicate, Ref};

/// Input of [`Tables::update_row`].
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateRowRequest {
    pub table: String,
    pub row: RecordId,
    /// Merged by the rules of RFC 7396: null removes a field.
    pub patch: JsonMap,
}

/// Result of updating a row.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateRowOutcome {
    pub record: Record,
    /// Changed fields; empty when the row was the same already.
    pub changed: Vec<String>,
    /// Memory that describes the row now; `None` when none did before.
    pub memory: Option<MemoryId>,
    /// Memories that described it before.
    pub superseded: Vec<MemoryId>,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// Result of deleting a row.
#[derive(Debug, Clone, PartialEq)]
pub struct DeleteRowOutcome {
    pub record: Record,
    /// Memories that described it: no longer recalled, their history stays.
    pub retired: Vec<MemoryId>,
    /// Proposal that waits for the owner's consent; the row is still there.
    pub proposal: Option<ErasureProposal>,
}

impl<'e> Tables<'e> {
    /// Updates a row; the memory that described it is superseded by a new one.
    ///
    /// # Errors
    /// `not_found` when there is no such table or row; `invalid_argument` when no field would be
    /// left; `conflict` when a stronger source wrote it; `consent_required` when an agent would
    /// remove a field that has no history.
    pub fn update_row(
        self,
        caller: &'e Caller,
        input: &'e UpdateRowRequest,
    ) -> UseCaseFuture<'e, UpdateRowOutcome> {
        Box::pin(async move {
            let table = Record::normalize_table_name(&input.table)?;
            let call = Call::begin(
                self.core,
                caller,
                Resource::Tables(Some(table.clone())),
                Permission::Write,
                input,
            )
            .await?;
            let record = visible_row(&call, &table, input.row).await?;
            let mut patch = input.patch.clone();
            // Before merging, so that the text of the memory below is made of screened values.
            call.screen().object("patch", &mut patch)?;
            let after = merge_patch(&record.data, &patch);
            let changed = changed_fields(&record.data, &after);
            let descriptions = describing_memories(&call, &record).await?;
            // Nothing is written, so that a repeated update does not add versions.
            if changed.is_empty() {
                let memory = descriptions.last().map(|memory| memory.id);
                return Ok(UpdateRowOutcome {
                    record,
                    changed,
                    memory,
                    superseded: Vec::new(),
                    notes: call.notes(),
                });
            }
            require_overwritable(&call, &record, &descriptions)?;
            require_removable(&call, &record, &after).await?;
            Record::check_data(&after)?;
            let mut plan = BatchPlan::default();
            plan.push(Change::UpdateRecord { table: table.clone(), record: input.row, patch });
            let index =
                plan_row_memory(&call, &mut plan, record_text(&table, &after), &descriptions)
                    .await?;
            let committed = call.write(format!("changed row {}", input.row), plan.changes).await?;
            Ok(UpdateRowOutcome {
                record: visible_row(&call, &table, input.row).await?,
                changed,
                memory: index.and_then(|index| result_at(&committed.results, index).memory()),
                superseded: descriptions.iter().map(|memory| memory.id).collect(),
                notes: call.notes(),
            })
        })
    }

    /// Deletes a row and retires the memory that described it. For an agent that did not write the
    /// row itself this becomes a proposal.
    ///
    /// # Errors
    /// `not_found` when there is no such table or row.
    pub fn delete_row(
        self,
        caller: &'e Caller,
        table: &'e str,
        id: RecordId,
    ) -> UseCaseFuture<'e, DeleteRowOutcome> {
        Box::pin(async move {
            let table = Record::normalize_table_name(table)?;
            let resource = Resource::Tables(Some(table.clone()));
            let call = Call::begin(
                self.core,
                caller,
                resource,
                Permission::Write,
                &("delete", &table, id),
            )
            .await?;
            let record = visible_row(&call, &table, id).await?;
            if !wrote_row(&call, &record).await? && !call.may_erase().await? {
                let proposal = Some(propose_row_deletion(&call, &record).await?);
                return Ok(DeleteRowOutcome { record, retired: Vec::new(), proposal });
            }
            let mut plan = BatchPlan::default();
            let retired = plan_row_deletion(&call, &mut plan, &record).await?;
            call.write(format!("deleted row {id}"), plan.changes).await?;
            Ok(DeleteRowOutcome { record, retired, proposal: None })
        })
    }
}

/// Returns whether the caller wrote a row and everything that changed it since. A row without a
/// memory has no recorded author.
async fn wrote_row(call: &Call<'_>, record: &Record) -> Result<bool, Failure> {
    let Some(memory) = record.memory else { return Ok(false) };
    let versions = all_versions(call, memory).await?;
    Ok(versions.iter().all(|version| wrote(call, &version.provenance)))
}

async fn propose_row_deletion(
    call: &Call<'_>,
    record: &Record,
) -> Result<ErasureProposal, Failure> {
    let rows = vec![(record.table.clone(), record.id)];
    let erasure = Erasure { mode: ErasureMode::Retire, rows, ..Erasure::default() };
    propose(call, erasure).await
}

/// Adds the deletion of a row to a batch, and retires the memories that described it. Returns
/// their ids.
pub(crate) async fn plan_row_deletion(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    record: &Record,
) -> Result<Vec<MemoryId>, Failure> {
    let described = describing_memories(call, record).await?;
    plan.push(Change::DeleteRecord { table: record.table.clone(), record: record.id });
    for memory in &described {
        plan.push(Change::SetStatus { memory: Ref::Id(memory.id), status: Status::Retired });
    }
    Ok(described.iter().map(|memory| memory.id).collect())
}

/// Returns the row, if the caller may see it.
async fn visible_row(call: &Call<'_>, table: &str, id: RecordId) -> Result<Record, Failure> {
    table_named(call, table).await?;
    let record = call.store().record(table, id).await?;
    // A row of a retired memory is gone for callers, although the store still has it.
    let current = current_rows(call, record.into_iter().collect()).await?.pop();
    current.ok_or_else(|| {
        Failure::not_found("row", format!("{id} in {table}; query the table for its rows"))
    })
}

/// Returns the current versions of a row's memory, oldest first.
async fn describing_memories(call: &Call<'_>, record: &Record) -> Result<Vec<Memory>, Failure> {
    // A row need not have a memory.
    let Some(memory) = record.memory else { return Ok(Vec::new()) };
    let mut versions = all_versions(call, memory).await?;
    versions.retain(|version| version.status == Status::Active);
    Ok(versions)
}

/// Refuses to overwrite what a stronger source wrote.
fn require_overwritable(
    call: &Call<'_>,
    record: &Record,
    descriptions: &[Memory],
) -> Result<(), Failure> {
    let own = call.provenance(call.caller.origin()).trust;
    let Some(stronger) = descriptions.iter().find(|memory| memory.provenance.trust > own) else {
        return Ok(());
    };
    let message = format!(
        "row {} of {} was {} by {}, a stronger source than you, and was not changed; ask the owner \
         to change it, or remember what you know in words",
        record.id,
        record.table,
        stronger.provenance.origin.name(),
        stronger.provenance.author.agent,
    );
    Err(Failure::new(ErrorCode::Conflict, message))
}

/// Refuses to remove fields from a row without a memory: nothing would remain of them, and nobody
/// recorded who wrote them.
async fn require_removable(
    call: &Call<'_>,
    record: &Record,
    after: &JsonMap,
) -> Result<(), Failure> {
    let removed = record.data.keys().find(|field| !after.contains_key(*field));
    let Some(removed) = removed.filter(|_| record.memory.is_none()) else { return Ok(()) };
    if call.may_erase().await? {
        return Ok(());
    }
    let message = format!(
        "`{removed}` of row {} of {} has no history, so only the owner removes it, and nothing was \
         changed; change its value, or ask the owner",
        record.id, record.table
    );
    Err(Failure::new(ErrorCode::ConsentRequired, message))
}

/// Supersedes the memories that described the row; does nothing when there are none.
async fn plan_row_memory(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    text: String,
    descriptions: &[Memory],
) -> Result<Option<usize>, Failure> {
    let Some(last) = descriptions.last() else { return Ok(None) };
    // Two rows may say the same, so the memory of one is never a duplicate of the other's.
    let adding = MemoryAddition {
        memory: reworded(call, text, last),
        session: last.session.map(Ref::Id),
        on_duplicate: OnDuplicate::Insert,
    };
    let index = adding.plan(call, plan).await?;
    for old in descriptions {
        plan.push(Change::Supersede { old: old.id, new: Ref::ResultOf(index) });
    }
    Ok(Some(index))
}

/// Builds the same memory with another text: kind, collection, labels and priority stay.
fn reworded(call: &Call<'_>, text: String, old: &Memory) -> NewMemory {
    NewMemory {
        kind: old.kind.clone(),
        title: old.title.clone(),
        collection: old.collection.clone(),
        project: old.project.clone(),
        tags: old.tags.clone(),
        applies_to: old.applies_to.clone(),
        priority: old.priority,
        confidence: old.confidence,
        metadata: old.metadata.clone(),
        valid_to: old.valid_to,
        ..NewMemory::note(text, call.provenance(call.caller.origin()))
    }
}

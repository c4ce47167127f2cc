//! One row at a time: changing and deleting. A row and the memory that tells of it change together,
//! in one batch.

use super::{record_text, standing, table_named};
use crate::Tables;
use crate::adding::Adding;
use crate::versions::every_version_of;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::{Plan, made_at};
use guard::Resource;
use model::{
    ErrorCode, Failure, JsonMap, Memory, MemoryId, NewMemory, Permission, Record, RecordId, Status,
    changed_fields, merge_patch,
};
use store::{Change, OnDuplicate, Ref};

/// A change to a row.
#[derive(Debug, Clone, PartialEq)]
pub struct UpdateRow {
    /// The table.
    pub table: String,
    /// The row.
    pub row: RecordId,
    /// What to merge in, by RFC 7396: null removes a field.
    pub patch: JsonMap,
}

/// A row that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct RowChanged {
    /// The row as it stands.
    pub record: Record,
    /// The fields that changed; none when it said all that already.
    pub changed: Vec<String>,
    /// The memory that tells of it now; `None` when nothing did.
    pub memory: Option<MemoryId>,
    /// The memories that told of it before and are superseded.
    pub superseded: Vec<MemoryId>,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

/// A row that is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct RowDeleted {
    /// The row as it stood.
    pub record: Record,
    /// The memories that told of it: retired, so that no recall shows them and their history stays.
    pub retired: Vec<MemoryId>,
}

impl Tables<'_> {
    /// Changes a row; the memory that told of it is superseded by one that tells of it as it is
    /// now.
    ///
    /// # Errors
    /// `not_found` when there is no such table or row; `invalid_argument` when nothing would be
    /// left of it; `conflict` when a stronger source than the caller wrote it.
    pub async fn update_row(
        self,
        caller: &Caller,
        input: &UpdateRow,
    ) -> Result<RowChanged, Failure> {
        let table = Record::table_name(&input.table)?;
        let call = Call::begin(
            self.core,
            caller,
            Resource::Tables(Some(table.clone())),
            Permission::Write,
            input,
        )
        .await?;
        let record = row(&call, &table, input.row).await?;
        let mut patch = input.patch.clone();
        call.screen().object("patch", &mut patch)?;
        let after = merge_patch(&record.data, &patch);
        let changed = changed_fields(&record.data, &after);
        let told = telling(&call, &record).await?;
        if changed.is_empty() {
            let memory = told.last().map(|memory| memory.id);
            return Ok(RowChanged {
                record,
                changed,
                memory,
                superseded: Vec::new(),
                notes: call.notes(),
            });
        }
        may_overwrite(&call, &record, &told)?;
        Record::check_data(&after)?;
        let mut plan = Plan::default();
        plan.push(Change::UpdateRecord { table: table.clone(), record: input.row, patch });
        let place = plan_words(&call, &mut plan, record_text(&table, &after), &told).await?;
        let committed = call.write(format!("changed row {}", input.row), plan.changes).await?;
        Ok(RowChanged {
            record: row(&call, &table, input.row).await?,
            changed,
            memory: place.and_then(|place| made_at(&committed.made, place).memory()),
            superseded: told.iter().map(|memory| memory.id).collect(),
            notes: call.notes(),
        })
    }

    /// Deletes a row and retires the memory that told of it.
    ///
    /// # Errors
    /// `not_found` when there is no such table or row.
    pub async fn delete_row(
        self,
        caller: &Caller,
        table: &str,
        id: RecordId,
    ) -> Result<RowDeleted, Failure> {
        let table = Record::table_name(table)?;
        let resource = Resource::Tables(Some(table.clone()));
        let call =
            Call::begin(self.core, caller, resource, Permission::Write, &("delete", &table, id))
                .await?;
        let record = row(&call, &table, id).await?;
        let retired: Vec<MemoryId> =
            telling(&call, &record).await?.iter().map(|memory| memory.id).collect();
        let mut plan = Plan::default();
        plan.push(Change::DeleteRecord { table, record: id });
        for memory in &retired {
            plan.push(Change::SetStatus { memory: Ref::Id(*memory), status: Status::Retired });
        }
        call.write(format!("deleted row {id}"), plan.changes).await?;
        Ok(RowDeleted { record, retired })
    }
}

/// The row, as far as it exists for this caller.
async fn row(call: &Call<'_>, table: &str, id: RecordId) -> Result<Record, Failure> {
    table_named(call, table).await?;
    let record = call.store().record(table, id).await?;
    let standing = standing(call, record.into_iter().collect()).await?.pop();
    standing.ok_or_else(|| {
        Failure::not_found("row", format!("{id} in {table}; query the table for its rows"))
    })
}

/// The versions of a row's memory that hold, oldest first.
async fn telling(call: &Call<'_>, record: &Record) -> Result<Vec<Memory>, Failure> {
    let Some(memory) = record.memory else { return Ok(Vec::new()) };
    let mut versions = every_version_of(call, memory).await?;
    versions.retain(|version| version.status == Status::Active);
    Ok(versions)
}

/// What a stronger source wrote stays as it is.
fn may_overwrite(call: &Call<'_>, record: &Record, told: &[Memory]) -> Result<(), Failure> {
    let own = call.provenance(call.caller.origin()).trust;
    let Some(stronger) = told.iter().find(|memory| memory.provenance.trust > own) else {
        return Ok(());
    };
    let message = format!(
        "row {} of {} was {} by {}, a stronger source than you, and stays as it is; ask the owner to change it, or \
         remember what you know in words",
        record.id,
        record.table,
        stronger.provenance.origin.name(),
        stronger.provenance.author.agent,
    );
    Err(Failure::new(ErrorCode::Conflict, message))
}

/// Puts new words in place of those that told of the row; nothing when nothing told of it.
async fn plan_words(
    call: &Call<'_>,
    plan: &mut Plan,
    text: String,
    told: &[Memory],
) -> Result<Option<usize>, Failure> {
    let Some(last) = told.last() else { return Ok(None) };
    // Two rows may say the same, so that the words of one are never taken for the other's.
    let adding = Adding {
        memory: reworded(call, text, last),
        session: last.session.map(Ref::Id),
        on_duplicate: OnDuplicate::Keep,
    };
    let place = adding.plan(call, plan).await?;
    for old in told {
        plan.push(Change::Supersede { old: old.id, new: Ref::Made(place) });
    }
    Ok(Some(place))
}

/// The same memory in other words: it keeps its kind, place, labels and importance.
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

//! Edits without a new version: labels, retiring and reactivating. A new text is a correction.

use crate::Memories;
use crate::erasure::{ErasureMode, ErasureProposal, divide_single, plan_proposal, wrote};
use crate::profile::{CorrectedValue, profile_fields, refuse_change};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{ErrorCode, Failure, LinkKind, Memory, MemoryId, Permission, Status, limits};
use store::{Change, MemoryEdit, Ref};

/// Input of [`Memories::tag`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagMemoriesRequest {
    pub memories: Vec<MemoryId>,
    pub add: Vec<String>,
    pub remove: Vec<String>,
}

/// Memories with changed labels.
#[derive(Debug, Clone, PartialEq)]
pub struct TagMemoriesOutcome {
    pub memories: Vec<Memory>,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// Retired memories, and those that wait for the owner.
#[derive(Debug, Clone, PartialEq)]
pub struct RetireOutcome {
    pub memories: Vec<Memory>,
    /// Memories that wait for the owner's consent.
    pub proposal: Option<ErasureProposal>,
}

impl<'e> Memories<'e> {
    /// Changes the labels of memories and returns them. An agent removes labels only from what it
    /// wrote itself.
    ///
    /// # Errors
    /// `not_found` naming the first missing memory; `consent_required` when labels of others would
    /// be removed; `limit_exceeded` when one would get too many labels.
    pub fn tag(
        self,
        caller: &'e Caller,
        input: &'e TagMemoriesRequest,
    ) -> UseCaseFuture<'e, TagMemoriesOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            let add = clean_tags(&input.add)?;
            // All or nothing: one missing memory refuses the whole call.
            let memories = require_all(&call, &input.memories).await?;
            require_own_labels(&call, &memories, &input.remove).await?;
            let mut changes = Vec::new();
            for memory in &memories {
                let tags = retagged(&memory.tags, &add, &input.remove);
                limits::count("tags", tags.len(), limits::TAGS)?;
                // An unchanged memory must not get a new sequence number, which every view would
                // read.
                if tags != memory.tags {
                    let edit = MemoryEdit { tags: Some(tags), ..MemoryEdit::default() };
                    changes.push(Change::EditMemory { memory: memory.id, edit: Box::new(edit) });
                }
            }
            if !changes.is_empty() {
                call.write(format!("tagged {}", changes.len()), changes).await?;
            }
            Ok(TagMemoriesOutcome {
                memories: call.memories(&input.memories).await?,
                notes: call.notes(),
            })
        })
    }

    /// Retires memories: they are no longer recalled, their history stays. For an agent, those that
    /// it did not write itself, or all when they are many, become a proposal.
    ///
    /// # Errors
    /// `not_found` naming the first missing memory; `conflict` when one is not active;
    /// `invalid_argument` when one states a value of the profile.
    pub fn retire(
        self,
        caller: &'e Caller,
        ids: &'e [MemoryId],
    ) -> UseCaseFuture<'e, RetireOutcome> {
        Box::pin(async move {
            let call = begin_status_change(self, caller, ids, Status::Retired).await?;
            let memories = require_status(&call, ids, &[Status::Active]).await?;
            require_own_status(&memories, Status::Retired)?;
            let division = divide_single(&call, memories).await?;
            let own: Vec<MemoryId> = division.own.iter().map(|memory| memory.id).collect();
            let mut plan = BatchPlan::from(status_changes(&own, Status::Retired));
            let proposed = division.proposed(ErasureMode::Retire);
            let note = format!("retired {}, proposed {}", own.len(), proposed.memories.len());
            let proposal = plan_proposal(&call, &mut plan, proposed).await?;
            let results = match plan.changes.is_empty() {
                true => call.note_done(note).await.map(|()| Vec::new())?,
                false => call.write_plan(note, plan).await?.results,
            };
            Ok(RetireOutcome {
                memories: call.memories(&own).await?,
                proposal: proposal.map(|proposal| proposal.finish(&results)).transpose()?,
            })
        })
    }

    /// Reactivates retired memories, and replaced ones beside what replaced them. The owner may
    /// have retired them on purpose, so no agent without the grant `erase` can.
    ///
    /// # Errors
    /// `not_found` naming the first missing memory; `conflict` when one is neither retired nor
    /// superseded; `invalid_argument` when one is about a field of the profile, or an earlier
    /// version of a row; `consent_required` for an agent.
    pub fn unretire(
        self,
        caller: &'e Caller,
        ids: &'e [MemoryId],
    ) -> UseCaseFuture<'e, Vec<Memory>> {
        Box::pin(async move {
            let call = begin_status_change(self, caller, ids, Status::Active).await?;
            let out_of_use = [Status::Retired, Status::Superseded];
            let memories = require_status(&call, ids, &out_of_use).await?;
            require_own_status(&memories, Status::Active)?;
            if !call.may_erase().await? {
                return Err(restore_refused(ids));
            }
            let mut changes = replacements_of(&call, &memories).await?;
            changes.extend(status_changes(ids, Status::Active));
            call.write(format!("restored {}", ids.len()), changes).await?;
            call.memories(ids).await
        })
    }
}

async fn begin_status_change<'e>(
    handle: Memories<'e>,
    caller: &'e Caller,
    ids: &[MemoryId],
    to: Status,
) -> Result<Call<'e>, Failure> {
    let resource = Resource::Memories(None);
    Call::begin(handle.core, caller, resource, Permission::Write, &(ids, to)).await
}

/// Returns all of these memories, or a failure that names the first with any other status.
async fn require_status(
    call: &Call<'_>,
    ids: &[MemoryId],
    statuses: &[Status],
) -> Result<Vec<Memory>, Failure> {
    let memories = require_all(call, ids).await?;
    match memories.iter().find(|memory| !statuses.contains(&memory.status)) {
        None => Ok(memories),
        Some(other) => {
            let names: Vec<&str> = statuses.iter().map(|status| status.name()).collect();
            let message = format!(
                "memory {} is {}, not {}; nothing was changed",
                other.id,
                other.status.name(),
                names.join(" or ")
            );
            Err(Failure::new(ErrorCode::Conflict, message))
        }
    }
}

/// Refuses to change the status of a memory that only the profile or its row decides about.
fn require_own_status(memories: &[Memory], to: Status) -> Result<(), Failure> {
    if let Some((memory, path)) = memories.iter().find_map(|memory| fixed_by_profile(memory, to)) {
        return Err(refuse_change(memory, path));
    }
    let earlier = |memory: &&Memory| memory.status == Status::Superseded;
    match memories.iter().filter(|memory| memory.table().is_some()).find(earlier) {
        Some(memory) => Err(Failure::invalid(format!(
            "memory {} is an earlier version of a row; update the row instead, and nothing was \
             changed",
            memory.id
        ))),
        None => Ok(()),
    }
}

/// Removes the replacements of superseded memories, which then hold beside their successors.
async fn replacements_of(call: &Call<'_>, memories: &[Memory]) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    for memory in memories.iter().filter(|memory| memory.status == Status::Superseded) {
        let links = call.store().links(memory.id).await?.incoming;
        let replaced = links.into_iter().filter(|link| link.kind == LinkKind::Supersedes);
        changes.extend(replaced.map(|link| Change::Unlink {
            source: link.source,
            target: link.target,
            kind: link.kind,
        }));
    }
    Ok(changes)
}

fn status_changes(ids: &[MemoryId], status: Status) -> Vec<Change> {
    ids.iter().map(|id| Change::SetStatus { memory: Ref::Id(*id), status }).collect()
}

fn restore_refused(ids: &[MemoryId]) -> Failure {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let message = format!(
        "only the owner restores retired memories; ask them to run `quipu retire --undo {}`",
        ids.join(" ")
    );
    Failure::new(ErrorCode::ConsentRequired, message)
}

/// Refuses to remove labels from memories that the caller did not write.
async fn require_own_labels(
    call: &Call<'_>,
    memories: &[Memory],
    remove: &[String],
) -> Result<(), Failure> {
    let loses = |memory: &&Memory| {
        memory.tags.iter().any(|tag| remove.contains(tag)) && !wrote(call, &memory.provenance)
    };
    match memories.iter().find(loses) {
        Some(other) if !call.may_erase().await? => {
            let message = format!(
                "memory {} was written by {}; only the owner removes labels from it, and nothing \
                 was changed",
                other.id, other.provenance.author.agent
            );
            Err(Failure::new(ErrorCode::ConsentRequired, message))
        }
        _ => Ok(()),
    }
}

/// Returns a memory whose status only the profile decides, with its field: that of a value always,
/// and a sentence about a field when it is to come back.
fn fixed_by_profile(memory: &Memory, to: Status) -> Option<(&Memory, &str)> {
    let path = profile_fields(memory).next()?;
    let value = CorrectedValue::of(memory).is_some();
    (value || to == Status::Active).then_some((memory, path))
}

/// Returns all of these memories, or a failure that names the first missing one.
async fn require_all(call: &Call<'_>, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
    limits::count("memories", ids.len(), limits::IDS_PER_CALL)?;
    if ids.is_empty() {
        return Err(Failure::invalid("no memory was given; give at least one id"));
    }
    let memories = call.memories(ids).await?;
    match ids.iter().find(|id| !memories.iter().any(|memory| memory.id == **id)) {
        Some(missing) => Err(Failure::not_found("memory", missing)),
        // Missing ones were reported first: a hidden memory must look like a missing one.
        None => call.require_changeable(&memories).await.map(|()| memories),
    }
}

fn clean_tags(tags: &[String]) -> Result<Vec<String>, Failure> {
    let tags: Vec<String> =
        tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    for tag in &tags {
        limits::chars("tags", tag, limits::TAG_CHARS)?;
    }
    Ok(tags)
}

fn retagged(tags: &[String], add: &[String], remove: &[String]) -> Vec<String> {
    let mut after: Vec<String> = tags.iter().filter(|tag| !remove.contains(tag)).cloned().collect();
    for tag in add {
        if !after.contains(tag) {
            after.push(tag.clone());
        }
    }
    after
}

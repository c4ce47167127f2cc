//! Edits without a new version: labels, retiring and reactivating. A new text is a correction.

use crate::Memories;
use crate::profile::{CorrectedValue, profile_fields, refuse_change};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ErrorCode, Failure, Memory, MemoryId, Permission, Status, limits};
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

impl<'e> Memories<'e> {
    /// Changes the labels of memories and returns them.
    ///
    /// # Errors
    /// `not_found` naming the first missing memory; `limit_exceeded` when one would get too many
    /// labels.
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

    /// Retires memories: they are no longer recalled, their history stays.
    ///
    /// # Errors
    /// `not_found` naming the first missing memory; `conflict` when one is not active;
    /// `invalid_argument` when one states a value of the profile.
    pub fn retire(self, caller: &'e Caller, ids: &'e [MemoryId]) -> UseCaseFuture<'e, Vec<Memory>> {
        Box::pin(async move { self.set_status(caller, ids, Status::Active, Status::Retired).await })
    }

    /// Reactivates retired memories.
    ///
    /// # Errors
    /// `not_found` naming the first missing memory; `conflict` when one is not retired;
    /// `invalid_argument` when one is about a field of the profile.
    pub fn unretire(
        self,
        caller: &'e Caller,
        ids: &'e [MemoryId],
    ) -> UseCaseFuture<'e, Vec<Memory>> {
        Box::pin(async move { self.set_status(caller, ids, Status::Retired, Status::Active).await })
    }

    async fn set_status(
        self,
        caller: &Caller,
        ids: &[MemoryId],
        from: Status,
        to: Status,
    ) -> Result<Vec<Memory>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &(ids, to))
                .await?;
        let memories = require_all(&call, ids).await?;
        if let Some(other) = memories.iter().find(|memory| memory.status != from) {
            let message = format!(
                "memory {} is {}, not {}; nothing was changed",
                other.id,
                other.status.name(),
                from.name()
            );
            return Err(Failure::new(ErrorCode::Conflict, message));
        }
        if let Some((memory, path)) =
            memories.iter().find_map(|memory| fixed_by_profile(memory, to))
        {
            return Err(refuse_change(memory, path));
        }
        let moved = |id: &MemoryId| Change::SetStatus { memory: Ref::Id(*id), status: to };
        call.write(format!("{} {}", to.name(), ids.len()), ids.iter().map(moved).collect()).await?;
        call.memories(ids).await
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

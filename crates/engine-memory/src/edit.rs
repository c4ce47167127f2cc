//! Edits that make no new version: labels, and taking memories out of use and back in. A new text
//! is a correction.

use crate::Memories;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ErrorCode, Failure, Memory, MemoryId, Permission, Status, limits};
use store::{Change, MemoryEdit, Ref};

/// Labels to put on memories and to take off them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagMemories {
    /// Which memories.
    pub memories: Vec<MemoryId>,
    /// Labels they get.
    pub add: Vec<String>,
    /// Labels they lose.
    pub remove: Vec<String>,
}

/// Memories with other labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Tagged {
    /// The memories as they stand.
    pub memories: Vec<Memory>,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

impl Memories<'_> {
    /// Changes the labels of memories, and answers with them as they stand.
    ///
    /// # Errors
    /// `not_found` naming the first that is not there; `limit_exceeded` when one would get too many
    /// labels.
    pub async fn tag(self, caller: &Caller, input: &TagMemories) -> Result<Tagged, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                .await?;
        let add = kept_tags(&input.add)?;
        let memories = all_of(&call, &input.memories).await?;
        let mut changes = Vec::new();
        for memory in &memories {
            let tags = retagged(&memory.tags, &add, &input.remove);
            limits::count("tags", tags.len(), limits::TAGS)?;
            if tags != memory.tags {
                let edit = MemoryEdit { tags: Some(tags), ..MemoryEdit::default() };
                changes.push(Change::EditMemory { memory: memory.id, edit: Box::new(edit) });
            }
        }
        if !changes.is_empty() {
            call.write(format!("tagged {}", changes.len()), changes).await?;
        }
        Ok(Tagged { memories: call.memories(&input.memories).await?, notes: call.notes() })
    }

    /// Takes memories out of use: no recall shows them, their history stays.
    ///
    /// # Errors
    /// `not_found` naming the first that is not there; `conflict` when one is not active.
    pub async fn retire(self, caller: &Caller, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        self.move_memories(caller, ids, Status::Active, Status::Retired).await
    }

    /// Takes retired memories back into use.
    ///
    /// # Errors
    /// `not_found` naming the first that is not there; `conflict` when one is not retired.
    pub async fn unretire(self, caller: &Caller, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        self.move_memories(caller, ids, Status::Retired, Status::Active).await
    }

    async fn move_memories(
        self,
        caller: &Caller,
        ids: &[MemoryId],
        from: Status,
        to: Status,
    ) -> Result<Vec<Memory>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &(ids, to))
                .await?;
        let memories = all_of(&call, ids).await?;
        if let Some(other) = memories.iter().find(|memory| memory.status != from) {
            let message = format!(
                "memory {} is {}, not {}; nothing changed",
                other.id,
                other.status.name(),
                from.name()
            );
            return Err(Failure::new(ErrorCode::Conflict, message));
        }
        let moved = |id: &MemoryId| Change::SetStatus { memory: Ref::Id(*id), status: to };
        call.write(format!("{} {}", to.name(), ids.len()), ids.iter().map(moved).collect()).await?;
        call.memories(ids).await
    }
}

/// Every one of them, or the failure that names the first that is not there.
async fn all_of(call: &Call<'_>, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
    limits::count("memories", ids.len(), limits::IDS)?;
    if ids.is_empty() {
        return Err(Failure::invalid("no memory is named; give at least one id"));
    }
    let memories = call.memories(ids).await?;
    match ids.iter().find(|id| !memories.iter().any(|memory| memory.id == **id)) {
        Some(missing) => Err(Failure::not_found("memory", missing)),
        None => call.may_change(&memories).await.map(|()| memories),
    }
}

fn kept_tags(tags: &[String]) -> Result<Vec<String>, Failure> {
    let kept: Vec<String> =
        tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    for tag in &kept {
        limits::chars("tags", tag, limits::TAG_CHARS)?;
    }
    Ok(kept)
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

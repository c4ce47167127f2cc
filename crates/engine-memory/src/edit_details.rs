//! Edits of the attributes of one memory and of its links, without a new version. The text is not
//! among them: a new text is a correction.

use crate::Memories;
use crate::erasure::wrote;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ErrorCode, Failure, Kind, LinkKind, Memory, MemoryId, Moment, Permission, limits};
use store::{Change, MemoryEdit, Ref};

/// Input of [`Memories::edit_details`]; `None` leaves an attribute as it is and `Some(None)` clears
/// it.
#[derive(Debug, Clone, PartialEq)]
pub struct EditDetailsRequest {
    pub memory: MemoryId,
    pub title: Option<Option<String>>,
    pub kind: Option<String>,
    /// New labels, replacing all existing ones.
    pub tags: Option<Vec<String>>,
    pub project: Option<Option<String>>,
    /// From 1 (most important) to 5.
    pub priority: Option<u8>,
    /// End of validity.
    pub expires: Option<Option<Moment>>,
}

impl EditDetailsRequest {
    /// Creates an edit that changes nothing.
    #[must_use]
    pub fn new(memory: MemoryId) -> Self {
        Self {
            memory,
            title: None,
            kind: None,
            tags: None,
            project: None,
            priority: None,
            expires: None,
        }
    }

    fn edit(&self, memory: &Memory) -> Result<MemoryEdit, Failure> {
        let tags = self.tags.as_ref().map(|tags| cleaned(tags));
        if let Some(tags) = &tags {
            limits::count("tags", tags.len(), limits::TAGS)?;
        }
        let ends = self.expires.flatten();
        if ends.is_some_and(|end| end <= memory.valid_from) {
            return Err(Failure::invalid("expires is before the start of the memory's validity"));
        }
        Ok(MemoryEdit {
            kind: self.kind.as_deref().map(Kind::new).transpose()?,
            title: self.title.clone(),
            project: self.project.clone(),
            tags,
            priority: self.priority,
            valid_to: self.expires,
            ..MemoryEdit::default()
        })
    }
}

/// Input of [`Memories::link`] and [`Memories::unlink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkMemoriesRequest {
    pub source: MemoryId,
    pub target: MemoryId,
    pub kind: LinkKind,
}

impl<'e> Memories<'e> {
    /// Changes attributes of a memory and returns it. An agent edits only what it wrote itself.
    ///
    /// # Errors
    /// `not_found` when there is no such memory; `consent_required` when an agent did not write it;
    /// `invalid_argument` or `limit_exceeded` when a value is not valid.
    pub fn edit_details(
        self,
        caller: &'e Caller,
        input: &'e EditDetailsRequest,
    ) -> UseCaseFuture<'e, Memory> {
        Box::pin(async move {
            let call = begin(self, caller, input).await?;
            let memory = editable(&call, input.memory).await?;
            let edit = input.edit(&memory)?;
            if edit != MemoryEdit::default() {
                let change = Change::EditMemory { memory: memory.id, edit: Box::new(edit) };
                call.write("edited the details", vec![change]).await?;
            }
            call.memory(input.memory).await
        })
    }

    /// Links two memories. What replaces what is decided by a correction or in review, not here.
    ///
    /// # Errors
    /// `not_found` when one of them does not exist; `invalid_argument` for a memory with itself or
    /// for a replacement; `consent_required` when an agent did not write the first one.
    pub fn link(self, caller: &'e Caller, input: &'e LinkMemoriesRequest) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = begin_linking(self, caller, input).await?;
            let LinkMemoriesRequest { source, target, kind } = *input;
            let (source, target) = (Ref::Id(source), Ref::Id(target));
            let change = Change::Link { source, target, kind, weight: 1.0 };
            call.write("linked two memories", vec![change]).await?;
            Ok(())
        })
    }

    /// Removes a link between two memories.
    ///
    /// # Errors
    /// As [`Memories::link`].
    pub fn unlink(
        self,
        caller: &'e Caller,
        input: &'e LinkMemoriesRequest,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = begin_linking(self, caller, input).await?;
            let LinkMemoriesRequest { source, target, kind } = *input;
            call.write("unlinked two memories", vec![Change::Unlink { source, target, kind }])
                .await?;
            Ok(())
        })
    }
}

async fn begin<'e>(
    handle: Memories<'e>,
    caller: &'e Caller,
    input: &(dyn std::fmt::Debug + Sync),
) -> Result<Call<'e>, Failure> {
    Call::begin(handle.core, caller, Resource::Memories(None), Permission::Write, input).await
}

async fn begin_linking<'e>(
    handle: Memories<'e>,
    caller: &'e Caller,
    input: &LinkMemoriesRequest,
) -> Result<Call<'e>, Failure> {
    let call = begin(handle, caller, input).await?;
    if input.source == input.target {
        return Err(Failure::invalid("a memory cannot be linked with itself"));
    }
    if input.kind == LinkKind::Supersedes {
        let message = "a replacement is made by a correction or decided in review";
        return Err(Failure::invalid(message));
    }
    editable(&call, input.source).await?;
    call.memory(input.target).await?;
    Ok(call)
}

/// Returns a memory that the caller may edit.
async fn editable(call: &Call<'_>, id: MemoryId) -> Result<Memory, Failure> {
    let memory = call.memory(id).await?;
    call.require_changeable(std::slice::from_ref(&memory)).await?;
    if wrote(call, &memory.provenance) || call.may_erase().await? {
        return Ok(memory);
    }
    let message = format!(
        "memory {id} was written by {}; only the owner edits it, and nothing was changed",
        memory.provenance.author.agent
    );
    Err(Failure::new(ErrorCode::ConsentRequired, message))
}

fn cleaned(tags: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
        if !kept.iter().any(|known| known == tag) {
            kept.push(tag.to_owned());
        }
    }
    kept
}

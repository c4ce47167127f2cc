//! Erasing fields of the profile: from the document, from every version of it, and from the
//! memories that describe them. Reasons given with such changes are erased too, since they may
//! quote the value.

use super::{COLLECTION, overlaps, profile_fields};
use crate::Profile;
use crate::erasure::{Erasure, ErasureProposal, propose, wrote, wrote_fields};
use crate::forget::forget_now;
use crate::versions::visible_versions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, Memory, MemoryId, Page, Permission, limits};
use std::collections::BTreeSet;
use store::{ForgetReceipt, MemoryQuery};

/// Result of erasing fields of the profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraseProfileOutcome {
    pub fields: Vec<String>,
    /// Number of items removed by place; empty while a proposal waits.
    pub receipt: ForgetReceipt,
    /// Proposal that waits for the owner's consent; nothing was erased.
    pub proposal: Option<ErasureProposal>,
}

impl<'e> Profile<'e> {
    /// Erases fields of the profile by their dotted paths. For an agent that did not write every
    /// version of them itself this becomes a proposal.
    ///
    /// # Errors
    /// `not_found` when the profile never had such a field.
    pub fn erase(
        self,
        caller: &'e Caller,
        fields: &'e [String],
    ) -> UseCaseFuture<'e, EraseProfileOutcome> {
        Box::pin(async move {
            limits::count("fields", fields.len(), limits::IDS_PER_CALL)?;
            let call = Call::begin(
                self.core,
                caller,
                Resource::Profile,
                Permission::Write,
                &("erase", fields),
            )
            .await?;
            let memories = describing_memories(&call, fields).await?;
            if !may_erase_fields(&call, fields, &memories).await? {
                return propose_erasure(&call, fields, memories).await;
            }
            let receipt = forget_now(&call, memories, fields.to_vec()).await?.receipt;
            if receipt.memories.is_empty() && receipt.removed_from("profile versions") == 0 {
                return Err(no_such_field(fields));
            }
            Ok(EraseProfileOutcome { fields: fields.to_vec(), receipt, proposal: None })
        })
    }
}

fn no_such_field(fields: &[String]) -> Failure {
    Failure::not_found("field of the profile", fields.join(", "))
}

/// Returns whether the caller may erase fields with these memories without asking the owner.
async fn may_erase_fields(
    call: &Call<'_>,
    fields: &[String],
    memories: &[MemoryId],
) -> Result<bool, Failure> {
    if call.may_erase().await? {
        return Ok(true);
    }
    let memories = call.memories_unchecked(memories).await?;
    let own = memories.iter().all(|memory| wrote(call, &memory.provenance));
    Ok(own && wrote_fields(call, fields).await?)
}

async fn propose_erasure(
    call: &Call<'_>,
    fields: &[String],
    memories: Vec<MemoryId>,
) -> Result<EraseProfileOutcome, Failure> {
    let profile_fields = fields.to_vec();
    let erasure = Erasure { profile_fields, memories, ..Erasure::default() };
    let proposal = Some(propose(call, erasure).await?);
    let receipt = ForgetReceipt::default();
    Ok(EraseProfileOutcome { fields: fields.to_vec(), receipt, proposal })
}

/// Returns the memories that describe these fields or fields inside them, in any status, with all
/// versions.
pub(crate) async fn describing_memories(
    call: &Call<'_>,
    fields: &[String],
) -> Result<Vec<MemoryId>, Failure> {
    let query = MemoryQuery { collection: Some(COLLECTION.to_owned()), ..MemoryQuery::default() };
    let mut page = Page::first(limits::PAGE_ITEMS);
    let mut found = BTreeSet::new();
    loop {
        let listed = call.store().list_memories(&query, page).await?;
        let describes = |memory: &&Memory| {
            profile_fields(memory).any(|stated| fields.iter().any(|field| overlaps(stated, field)))
        };
        for memory in listed.items.iter().filter(describes) {
            found.extend(
                visible_versions(call, memory.id).await?.all.iter().map(|version| version.id),
            );
        }
        page.offset += listed.items.len();
        if listed.items.is_empty() || page.offset >= listed.total {
            return Ok(found.into_iter().collect());
        }
    }
}

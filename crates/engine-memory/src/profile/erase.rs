//! Erasing fields of the profile: from the document, from every version of it, and from the
//! memories that describe them. Reasons given with such changes are erased too, since they may
//! quote the value.

use super::{COLLECTION, overlaps, profile_fields};
use crate::Profile;
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
    /// Number of items removed by place.
    pub receipt: ForgetReceipt,
}

impl<'e> Profile<'e> {
    /// Erases fields of the profile by their dotted paths.
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
            let receipt = forget_now(&call, memories, fields.to_vec()).await?.receipt;
            if receipt.memories.is_empty() && receipt.removed_from("profile versions") == 0 {
                return Err(Failure::not_found("field of the profile", fields.join(", ")));
            }
            Ok(EraseProfileOutcome { fields: fields.to_vec(), receipt })
        })
    }
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

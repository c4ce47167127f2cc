//! Erasing everything of an owner at once: in the store, in the caches of this process and in the
//! snapshot. Grants, settings, keys and the audit log stay, and so do backups, which are files of
//! their own. Only the owner in person may do this.

use super::{RemovalOutcome, confirmation_required};
use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::Permission;
use store::{Change, ChangeResult};

impl<'e> Admin<'e> {
    /// Erases everything, and returns the number of items by place.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `invalid_argument` with the number
    /// of memories while it is not confirmed.
    pub fn erase_everything(
        self,
        caller: &'e Caller,
        confirm: bool,
    ) -> UseCaseFuture<'e, RemovalOutcome> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Administration,
                Permission::Write,
                &confirm,
            )
            .await?;
            if !confirm {
                let counts = call.store().counts().await?;
                let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
                return Err(confirmation_required(&format!(
                    "erase {memories} memories and everything else of this owner"
                )));
            }
            // Usage still in memory belongs to the owner too; written later it would survive the
            // erasure.
            self.core.flush_usage().await;
            let results =
                call.write("erased everything", vec![Change::EraseEverything]).await?.results;
            let Some(ChangeResult::Forgotten(receipt)) = results.first() else {
                return Err(internal("the store returned no receipt for EraseEverything"));
            };
            let mut removal = RemovalOutcome::default();
            removal.add(receipt);
            removal.memories = receipt.removed_from("memories");
            // Other processes notice by the sequence number; the copies of this one are dropped
            // right away.
            self.caches.drop_tables_of(&caller.owner);
            let had_snapshot = self.core.forget_in_view(&caller.owner).await?;
            removal.add_place("snapshot", usize::from(had_snapshot));
            removal.places.retain(|(_, count)| *count > 0);
            Ok(removal)
        })
    }
}

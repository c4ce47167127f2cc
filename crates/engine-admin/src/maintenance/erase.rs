//! Erasing everything that is the owner's, at once: what is remembered, said, filed, asked and
//! passed on, in the store, in what this process holds of it and in the snapshot beside it. Grants,
//! settings, keys and the audit log stay, and so do backups, which are files of their own. The
//! owner's alone.

use super::{Removal, unconfirmed};
use crate::Admin;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, Permission};
use store::{Change, Made};

impl Admin<'_> {
    /// Erases everything, and tells place by place how much that was.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `invalid_argument` telling how much
    /// it would be while it is not confirmed.
    pub async fn erase_everything(
        self,
        caller: &Caller,
        confirm: bool,
    ) -> Result<Removal, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Administration, Permission::Write, &confirm)
                .await?;
        if !confirm {
            let counts = call.store().counts().await?;
            let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
            return Err(unconfirmed(&format!(
                "erase {memories} memories and everything else of this owner"
            )));
        }
        // What was read and is not written down yet is the owner's too.
        self.core.flush_usage().await;
        let made = call.write("erased everything", vec![Change::EraseEverything]).await?.made;
        let Some(Made::Forgotten(receipt)) = made.first() else {
            return Err(internal("erasing everything gave no receipt"));
        };
        let mut removal = Removal::default();
        removal.add(receipt);
        removal.memories = receipt.removed_from("memories");
        self.caches.drop_tables_of(&caller.owner);
        let had_snapshot = self.core.forget_in_view(&caller.owner).await?;
        removal.add_place("snapshot", usize::from(had_snapshot));
        removal.places.retain(|(_, count)| *count > 0);
        Ok(removal)
    }
}

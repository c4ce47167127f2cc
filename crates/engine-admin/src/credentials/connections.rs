//! OAuth connections: listing the programs an owner has authorized, and disconnecting them. The
//! authorization itself happens elsewhere.

use super::Credentials;
use engine_core::UseCaseFuture;
use engine_core::caller::Caller;
use model::{Failure, TokenFamily, TokenFamilyId};

impl Credentials {
    /// Returns the owner's active connections, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn connections<'e>(&'e self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<TokenFamily>> {
        Box::pin(async move {
            let call = self.begin(caller, &"connected").await?;
            let Some(clients) = &self.clients else { return Ok(Vec::new()) };
            let mut families = clients.families(&caller.owner).await?;
            families.retain(|family| family.revoked_at.is_none());
            call.note_shown(format!("listed {} connections", families.len()), &[]).await;
            Ok(families)
        })
    }

    /// Ends a connection: its tokens are refused from the next request on.
    ///
    /// # Errors
    /// `not_found` when the owner has no such connection.
    pub fn disconnect<'e>(
        &'e self,
        caller: &'e Caller,
        family: TokenFamilyId,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = self.begin(caller, &("disconnect", family)).await?;
            let known = match &self.clients {
                Some(clients) => clients.revoke_family(&caller.owner, family, call.at).await?,
                None => false,
            };
            if !known {
                return Err(Failure::not_found("connection", family.0));
            }
            call.note_done(format!("ended connection {}", family.0)).await
        })
    }

    /// Logs an action of the owner whose effect is stored elsewhere, such as a consent or a new
    /// password.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; the action must not be done then.
    pub async fn note_owner_action(
        &self,
        caller: &Caller,
        arguments: &(dyn std::fmt::Debug + Sync),
        note: impl Into<String>,
    ) -> Result<(), Failure> {
        self.begin(caller, arguments).await?.note_done(note).await
    }
}

//! Connections: the programs that an owner let in over OAuth, listed and shut out again. How they
//! came in is another room's.

use super::Credentials;
use engine_core::caller::Caller;
use model::{Failure, Family, FamilyId};

impl Credentials {
    /// What the owner agreed to over OAuth and has not taken back, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn connected(&self, caller: &Caller) -> Result<Vec<Family>, Failure> {
        let call = self.begin(caller, &"connected").await?;
        let Some(clients) = &self.clients else { return Ok(Vec::new()) };
        let mut families = clients.families(&caller.owner).await?;
        families.retain(|family| family.revoked_at.is_none());
        call.note_shown(format!("listed {} connections", families.len()), &[]).await;
        Ok(families)
    }

    /// Takes back what was agreed to: none of its tokens opens anything from the next request on.
    ///
    /// # Errors
    /// `not_found` when the owner agreed to no such thing.
    pub async fn disconnect(&self, caller: &Caller, family: FamilyId) -> Result<(), Failure> {
        let call = self.begin(caller, &("disconnect", family)).await?;
        let known = match &self.clients {
            Some(clients) => clients.revoke_family(&caller.owner, family, call.at).await?,
            None => false,
        };
        if !known {
            return Err(Failure::not_found("connection", family.0));
        }
        call.note_done(format!("ended connection {}", family.0)).await
    }

    /// Tells of something that is the owner's alone and is kept elsewhere: who was let in, a new
    /// password.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person, who then must not do it.
    pub async fn note_owners_act(
        &self,
        caller: &Caller,
        arguments: &impl std::fmt::Debug,
        note: impl Into<String>,
    ) -> Result<(), Failure> {
        self.begin(caller, arguments).await?.note_done(note).await
    }
}

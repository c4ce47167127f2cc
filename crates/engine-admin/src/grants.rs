//! Grants: what each agent may read and write, managed by the owner in person, and whether agents
//! under the owner's own account need them too.

use crate::Admin;
use engine_core::Core;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, GRANTS_ENFORCED};
use engine_core::caller::Caller;
use guard::{Resource, check_permission, normalize_resource, resource_in_words};
use model::{AgentName, Failure, Grant, Permission, limits};
use store::Change;

/// Largest number of grants of an owner.
const GRANTS_MAX: usize = 10_000;

/// A grant to set, in place of an existing one on the same resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetGrantRequest {
    pub agent: AgentName,
    /// Resource: `everything`, `profile`, `tables/meals`, `memories/work`, or its stored name.
    pub resource: String,
    /// `none` denies, even below a wider grant.
    pub permission: Permission,
}

impl<'e> Admin<'e> {
    /// Returns the grants, by agent and resource.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn grants(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<Grant>> {
        Box::pin(async move {
            let call = administer(self.core, caller, &"grants").await?;
            let grants = call.store().grants().await?;
            call.note_shown(format!("listed {} grants", grants.len()), &[]).await;
            Ok(grants)
        })
    }

    /// Sets grants, all or none, and returns them as they are stored.
    ///
    /// # Errors
    /// `invalid_argument` for a resource that does not exist; `consent_required` for anybody but
    /// the owner in person.
    pub fn set_grants(
        self,
        caller: &'e Caller,
        input: &'e [SetGrantRequest],
    ) -> UseCaseFuture<'e, Vec<Grant>> {
        Box::pin(async move {
            let call = administer(self.core, caller, &input).await?;
            let existing = call.store().grants().await?;
            limits::count("grants", existing.len() + input.len(), GRANTS_MAX)?;
            let grant = |set: &SetGrantRequest| {
                let resource = normalize_resource(&set.resource)?;
                check_permission(&resource, set.permission)?;
                Ok(Grant {
                    agent: set.agent.clone(),
                    resource,
                    permission: set.permission,
                    granted_at: call.at,
                })
            };
            let grants: Vec<Grant> = input.iter().map(grant).collect::<Result<_, Failure>>()?;
            if !grants.is_empty() {
                let changes = grants.iter().cloned().map(Change::PutGrant).collect();
                call.write(format!("granted {}", summarize(&grants)), changes).await?;
            }
            Ok(grants)
        })
    }

    /// Removes a grant.
    ///
    /// # Errors
    /// `not_found` when there is none; `consent_required` for anybody but the owner in person.
    pub fn remove_grant(
        self,
        caller: &'e Caller,
        agent: &'e AgentName,
        resource: &'e str,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = administer(self.core, caller, &("remove", agent, resource)).await?;
            let resource = normalize_resource(resource)?;
            let note = format!("revoked {} from {agent}", resource_in_words(&resource));
            call.write(note, vec![Change::RevokeGrant { agent: agent.clone(), resource }]).await?;
            Ok(())
        })
    }

    /// Sets whether agents under the owner's own account need grants too.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn enforce_grants(self, caller: &'e Caller, enforced: bool) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = administer(self.core, caller, &("enforce", enforced)).await?;
            let change =
                Change::PutSetting { name: GRANTS_ENFORCED.to_owned(), value: enforced.into() };
            call.write(format!("grants enforced: {enforced}"), vec![change]).await?;
            Ok(())
        })
    }

    /// Returns whether agents under the owner's own account need grants too.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn are_grants_enforced(self, caller: &'e Caller) -> UseCaseFuture<'e, bool> {
        Box::pin(async move {
            administer(self.core, caller, &"enforced").await?;
            self.core.grants_enforced(caller).await
        })
    }
}

// An agent can neither grant itself anything nor see the grants of others.
async fn administer<'e>(
    core: &'e Core,
    caller: &'e Caller,
    arguments: &(dyn std::fmt::Debug + Sync),
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, Permission::Write, arguments).await
}

// The note of an audit event stays short: it names three grants and counts the rest.
fn summarize(grants: &[Grant]) -> String {
    let one = |grant: &Grant| {
        let resource = resource_in_words(&grant.resource);
        format!("{} {resource} to {}", grant.permission.name(), grant.agent)
    };
    let few: Vec<String> = grants.iter().take(3).map(one).collect();
    let more = grants.len().saturating_sub(few.len());
    if more == 0 { few.join(", ") } else { format!("{} and {more} more", few.join(", ")) }
}

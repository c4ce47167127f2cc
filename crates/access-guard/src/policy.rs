//! The access policy: decides once per call what one caller may access, from its grants and the
//! scope of its credential. A resource that the caller may not read is treated as if it did not
//! exist.

use crate::{GrantRules, Resource, resource_in_words};
use model::{AgentName, ErrorCode, Failure, Permission, SourceFilter};

/// Access policy for one caller.
#[derive(Debug, Clone)]
pub struct Policy {
    agent: AgentName,
    is_owner: bool,
    /// Maximum permission of the credential.
    scope: Permission,
    /// `None` when the caller needs no grants.
    rules: Option<GrantRules>,
}

/// Proof that the policy admitted an access. Only a policy creates one, so that no call can begin
/// without the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessProof {
    resource: Resource,
    permission: Permission,
}

impl AccessProof {
    /// Returns the admitted resource.
    #[must_use]
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// Returns the admitted permission.
    #[must_use]
    pub fn permission(&self) -> Permission {
        self.permission
    }
}

/// Reason of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// Reserved to the owner.
    Ownership,
    /// Beyond the scope of the credential, whatever is granted.
    Scope,
    /// Not granted by the owner.
    Grant,
}

/// Refusal of an access by the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRefusal {
    pub agent: AgentName,
    pub resource: Resource,
    pub permission: Permission,
    pub reason: RefusalReason,
}

impl AccessRefusal {
    /// Detail of a failure that names the missing scope.
    pub const SCOPE_DETAIL: &str = "scope";
    /// Detail of a failure that names the resource to grant.
    pub const RESOURCE_DETAIL: &str = "resource";
    /// Detail of a failure that names the permission to grant.
    pub const PERMISSION_DETAIL: &str = "permission";
}

impl From<AccessRefusal> for Failure {
    fn from(refusal: AccessRefusal) -> Self {
        let AccessRefusal { agent, resource, permission, reason } = refusal;
        let words = resource_in_words(&resource.to_string());
        let refused = format!("{agent} may not {} {words}", permission.name());
        match reason {
            RefusalReason::Ownership => Self::new(
                ErrorCode::ConsentRequired,
                format!("{refused}; this is reserved to the owner"),
            ),
            RefusalReason::Scope => {
                let message =
                    format!("{refused}: its credential has no {} scope", permission.name());
                Self::new(ErrorCode::Forbidden, message)
                    .with_detail(AccessRefusal::SCOPE_DETAIL, permission.name())
            }
            RefusalReason::Grant => {
                let grant = format!(
                    "quipu grants set {} {words} {}",
                    shell_quoted(&agent),
                    permission.name()
                );
                let message = format!("{refused}; the owner can grant it with `{grant}`");
                let failure = Self::new(ErrorCode::ConsentRequired, message);
                let failure =
                    failure.with_detail(AccessRefusal::RESOURCE_DETAIL, resource.to_string());
                failure.with_detail(AccessRefusal::PERMISSION_DETAIL, permission.name())
            }
        }
    }
}

/// Quotes a name for the shell.
fn shell_quoted(agent: &AgentName) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = agent.as_str();
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

impl Policy {
    /// Policy for the owner in person.
    #[must_use]
    pub fn for_owner(agent: AgentName) -> Self {
        Self { agent, is_owner: true, scope: Permission::Write, rules: None }
    }

    /// Policy for an agent that may do everything except what is reserved to the owner.
    #[must_use]
    pub fn for_trusted(agent: AgentName) -> Self {
        Self { agent, is_owner: false, scope: Permission::Write, rules: None }
    }

    /// Policy for an agent under its grants, limited by the scope of its credential.
    #[must_use]
    pub fn for_granted(agent: AgentName, scope: Permission, rules: GrantRules) -> Self {
        Self { agent, is_owner: false, scope, rules: Some(rules) }
    }

    /// Checks access to a resource. A resource as a whole (`None` for the name) is open to a caller
    /// that may access any part of it; the other parts are then left out of its results.
    ///
    /// # Errors
    /// Fails when the caller may not.
    pub fn admit(
        &self,
        resource: Resource,
        permission: Permission,
    ) -> Result<AccessProof, AccessRefusal> {
        let granted = match &resource {
            // Rows and profile fields are memories too, so access to any source is enough.
            Resource::Memories(None) => self.sources(permission).any(),
            Resource::Tables(None) => {
                self.permits(&resource, permission) || self.sources(permission).tables.any()
            }
            other => self.permits(other, permission),
        };
        self.decide(resource, permission, granted)
    }

    /// Checks access to a resource including all of its parts.
    ///
    /// # Errors
    /// Fails when the caller may not access some part of it.
    pub fn admit_whole(
        &self,
        resource: Resource,
        permission: Permission,
    ) -> Result<AccessProof, AccessRefusal> {
        let sources = self.sources(permission);
        let granted = match &resource {
            Resource::Memories(None) => sources.is_all(),
            Resource::Tables(None) => {
                self.permits(&resource, permission) && sources.tables.is_all()
            }
            other => self.permits(other, permission),
        };
        self.decide(resource, permission, granted)
    }

    /// Returns true if the caller may, for a part of a response that is otherwise left out.
    #[must_use]
    pub fn allows(&self, resource: Resource, permission: Permission) -> bool {
        self.admit(resource, permission).is_ok()
    }

    /// Returns the sources of memories on which the caller has at least this permission.
    #[must_use]
    pub fn sources(&self, least: Permission) -> SourceFilter {
        if self.scope < least {
            return SourceFilter::none();
        }
        let Some(rules) = &self.rules else { return SourceFilter::all() };
        SourceFilter {
            profile: rules.permission(&Resource::Profile) >= least,
            tables: rules.allowed("tables", least),
            collections: rules.allowed("vectors", least),
        }
    }

    /// Returns true if the caller may read everything.
    #[must_use]
    pub fn reads_everything(&self) -> bool {
        self.rules.is_none() && self.scope >= Permission::Read
    }

    fn permits(&self, resource: &Resource, permission: Permission) -> bool {
        if self.is_owner {
            return true;
        }
        // Before the rules, because the wildcard `*` must not include administration.
        if *resource == Resource::Administration || self.scope < permission {
            return false;
        }
        match &self.rules {
            Some(rules) => rules.permission(resource) >= permission,
            // An agent that needs no grants still needs the one for deletions.
            None => *resource != Resource::Erase,
        }
    }

    fn decide(
        &self,
        resource: Resource,
        permission: Permission,
        granted: bool,
    ) -> Result<AccessProof, AccessRefusal> {
        if granted {
            return Ok(AccessProof { resource, permission });
        }
        let reason = match resource {
            Resource::Administration => RefusalReason::Ownership,
            // A grant would not help while the scope is missing, so the scope is reported first.
            _ if self.scope < permission => RefusalReason::Scope,
            _ => RefusalReason::Grant,
        };
        Err(AccessRefusal { agent: self.agent.clone(), resource, permission, reason })
    }
}

#[cfg(test)]
mod tests;

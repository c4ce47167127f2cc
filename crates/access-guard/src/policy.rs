//! The one policy point: decides for one caller what it may reach, from its grants and its scope,
//! once per call. A place that the caller may not read does not exist for it.

use crate::{Resource, Rules};
use model::{AgentName, ErrorCode, Failure, Memory, Permission, Sources};

/// Decides for one caller what it may reach.
#[derive(Debug, Clone)]
pub struct Policy {
    agent: AgentName,
    is_owner: bool,
    /// The most that the credential allows.
    scope: Permission,
    /// `None` where no grant is asked for.
    rules: Option<Rules>,
}

/// Proof that the policy was asked and agreed. Whatever reads or writes wants to see one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    resource: Resource,
    permission: Permission,
}

impl Pass {
    /// What it was given for.
    #[must_use]
    pub fn resource(&self) -> &Resource {
        &self.resource
    }

    /// How far it reaches.
    #[must_use]
    pub fn permission(&self) -> Permission {
        self.permission
    }
}

/// What was missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// It is the owner's alone.
    Ownership,
    /// The credential does not reach so far, whatever is granted.
    Scope,
    /// The owner has not granted it.
    Grant,
}

/// The policy said no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Who asked.
    pub agent: AgentName,
    /// For what.
    pub resource: Resource,
    /// To do what.
    pub permission: Permission,
    /// What was missing.
    pub lacking: Lacking,
}

impl Refusal {
    /// The detail of a failure that names the scope which the credential lacks.
    pub const SCOPE: &str = "scope";
    /// The detail that names what the owner has not granted.
    pub const RESOURCE: &str = "resource";
    /// The detail that names how far it would have to be granted.
    pub const PERMISSION: &str = "permission";
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { agent, resource, permission, lacking } = refusal;
        let refused = format!("{agent} may not {} {resource}", permission.name());
        match lacking {
            Lacking::Ownership => {
                Self::new(ErrorCode::ConsentRequired, format!("{refused}; only the owner may"))
            }
            Lacking::Scope => {
                let message =
                    format!("{refused}: its credential has no {} scope", permission.name());
                Self::new(ErrorCode::Forbidden, message)
                    .with_detail(Refusal::SCOPE, permission.name())
            }
            Lacking::Grant => {
                let grant =
                    format!("quipu grants set {} {resource} {}", quoted(&agent), permission.name());
                let message = format!("{refused}; the owner grants it with `{grant}`");
                let failure = Self::new(ErrorCode::ConsentRequired, message);
                let failure = failure.with_detail(Refusal::RESOURCE, resource.to_string());
                failure.with_detail(Refusal::PERMISSION, permission.name())
            }
        }
    }
}

/// A name as a shell takes it.
fn quoted(agent: &AgentName) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = agent.as_str();
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

impl Policy {
    /// The policy for the owner in person.
    #[must_use]
    pub fn for_owner(agent: AgentName) -> Self {
        Self { agent, is_owner: true, scope: Permission::Write, rules: None }
    }

    /// The policy for an agent that the owner trusts with everything but what is theirs alone.
    #[must_use]
    pub fn for_trusted(agent: AgentName) -> Self {
        Self { agent, is_owner: false, scope: Permission::Write, rules: None }
    }

    /// The policy for an agent under its grants, as far as the scope of its credential.
    #[must_use]
    pub fn for_granted(agent: AgentName, scope: Permission, rules: Rules) -> Self {
        Self { agent, is_owner: false, scope, rules: Some(rules) }
    }

    /// Asks for a place. A place as a whole is open to whoever may reach any part of it: what lies
    /// in the other parts is left out of what it then sees.
    ///
    /// # Errors
    /// When the caller may not.
    pub fn admit(&self, resource: Resource, permission: Permission) -> Result<Pass, Refusal> {
        let granted = match &resource {
            Resource::Memories(None) => self.sources(permission).any(),
            Resource::Tables(None) => {
                self.permits(&resource, permission) || self.sources(permission).tables.any()
            }
            other => self.permits(other, permission),
        };
        self.decide(resource, permission, granted)
    }

    /// Asks for a place with everything in it.
    ///
    /// # Errors
    /// When any part of it is closed to the caller.
    pub fn admit_whole(&self, resource: Resource, permission: Permission) -> Result<Pass, Refusal> {
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

    /// Whether the caller may, for a part of an answer that is left out when it may not.
    #[must_use]
    pub fn may(&self, resource: Resource, permission: Permission) -> bool {
        self.admit(resource, permission).is_ok()
    }

    /// Where memories may come from, or go to, for this caller.
    #[must_use]
    pub fn sources(&self, least: Permission) -> Sources {
        if self.scope < least {
            return Sources::none();
        }
        let Some(rules) = &self.rules else { return Sources::all() };
        Sources {
            profile: rules.permission(&Resource::Profile) >= least,
            tables: rules.allowed("tables", least),
            collections: rules.allowed("vectors", least),
        }
    }

    /// Whether nothing at all is closed to the caller for reading.
    #[must_use]
    pub fn reads_everything(&self) -> bool {
        self.rules.is_none() && self.scope >= Permission::Read
    }

    /// Whether a memory exists for this caller. What it may not read does not exist for it.
    #[must_use]
    pub fn shows(&self, memory: &Memory) -> bool {
        self.permits(&Resource::of(memory.source()), Permission::Read)
    }

    fn permits(&self, resource: &Resource, permission: Permission) -> bool {
        if self.is_owner {
            return true;
        }
        if *resource == Resource::Administration || self.scope < permission {
            return false;
        }
        self.rules.as_ref().is_none_or(|rules| rules.permission(resource) >= permission)
    }

    fn decide(
        &self,
        resource: Resource,
        permission: Permission,
        granted: bool,
    ) -> Result<Pass, Refusal> {
        if granted {
            return Ok(Pass { resource, permission });
        }
        let lacking = match resource {
            Resource::Administration => Lacking::Ownership,
            _ if self.scope < permission => Lacking::Scope,
            _ => Lacking::Grant,
        };
        Err(Refusal { agent: self.agent.clone(), resource, permission, lacking })
    }
}

#[cfg(test)]
mod tests;

//! The one policy point. Today it lets every agent of the owner in and keeps administration to the owner;
//! grants narrow it from here, and nowhere else.

use crate::Resource;
use model::{AgentName, ErrorCode, Failure, Memory, Permission};

/// Decides for one caller what it may reach.
#[derive(Debug, Clone)]
pub struct Policy {
    agent: AgentName,
    is_owner: bool,
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

/// The policy said no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Who asked.
    pub agent: AgentName,
    /// For what.
    pub resource: Resource,
    /// To do what.
    pub permission: Permission,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { agent, resource, permission } = refusal;
        let message = format!("{agent} may not {} {resource}; only the owner may", permission.name());
        Self::new(ErrorCode::ConsentRequired, message)
    }
}

impl Policy {
    /// The policy for an agent that the owner let in.
    #[must_use]
    pub fn for_agent(agent: AgentName) -> Self {
        Self { agent, is_owner: false }
    }

    /// The policy for the owner in person.
    #[must_use]
    pub fn for_owner(agent: AgentName) -> Self {
        Self { agent, is_owner: true }
    }

    /// Asks for a place.
    ///
    /// # Errors
    /// When the caller may not.
    pub fn admit(&self, resource: Resource, permission: Permission) -> Result<Pass, Refusal> {
        if self.is_owner || resource != Resource::Administration {
            return Ok(Pass { resource, permission });
        }
        Err(Refusal { agent: self.agent.clone(), resource, permission })
    }

    /// Whether a memory exists for this caller. What it may not read does not exist for it.
    #[must_use]
    pub fn shows(&self, pass: &Pass, _memory: &Memory) -> bool {
        pass.permission >= Permission::Read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn administration_is_the_owners_alone() {
        let agent = Policy::for_agent(AgentName::new("codex"));
        let refusal = agent.admit(Resource::Administration, Permission::Write).unwrap_err();
        assert_eq!(Failure::from(refusal).code, ErrorCode::ConsentRequired);
        let owner = Policy::for_owner(AgentName::new("me"));
        assert!(owner.admit(Resource::Administration, Permission::Write).is_ok());
    }

    #[test]
    fn an_agent_that_was_let_in_may_write_memories() {
        let agent = Policy::for_agent(AgentName::new("codex"));
        let pass = agent.admit(Resource::Memories(None), Permission::Write).unwrap();
        assert_eq!(pass.resource().to_string(), "vectors");
    }
}

//! Operations on grants: the permissions of each agent.

use super::keys::permission;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::grants::SetGrant;
use model::{AgentName, Failure, Grant, Permission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Chosen permission for each resource.
pub(super) type Chosen = BTreeMap<String, String>;

/// A grant.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GrantShown {
    /// Name of the agent.
    agent: String,
    /// Resource: `profile`, `tables/meals`, `vectors/*`.
    resource: String,
    /// Permission: `none`, `read` or `write`.
    permission: &'static str,
    /// Time of the grant.
    granted_at: String,
}

impl From<Grant> for GrantShown {
    fn from(grant: Grant) -> Self {
        Self {
            agent: grant.agent.to_string(),
            resource: grant.resource,
            permission: grant.permission.name(),
            granted_at: time(grant.granted_at),
        }
    }
}

pub(super) async fn list(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<GrantShown>>, Failure> {
    Answer::of(
        context
            .engine
            .admin()
            .grants(&context.caller)
            .await?
            .into_iter()
            .map(GrantShown::from)
            .collect(),
    )
}

/// Grants to set for one agent, replacing existing ones for the same resources.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToGrant {
    /// Name of the agent.
    agent: String,
    /// Permission for each resource: `none`, `read` or `write`; an empty text removes the rule.
    grants: Chosen,
}

pub(super) async fn set(
    context: Desk,
    _: Nothing,
    input: ToGrant,
) -> Result<Answer<Vec<GrantShown>>, Failure> {
    let agent = AgentName::new(&input.agent);
    let Rules { given, taken } = Rules::read(&agent, input.grants, Permission::Write)?;
    let set = context.engine.admin().set_grants(&context.caller, &given).await?;
    for resource in taken {
        context.engine.admin().remove_grant(&context.caller, &agent, &resource).await?;
    }
    Answer::of(set.into_iter().map(GrantShown::from).collect())
}

/// Changes to rules, as a form sends them.
pub(super) struct Rules {
    /// Rules to set.
    pub given: Vec<SetGrant>,
    /// Resources whose rule is removed.
    pub taken: Vec<String>,
}

impl Rules {
    /// Parses the chosen permissions of an agent, capped at `most`.
    pub fn read(agent: &AgentName, chosen: Chosen, most: Permission) -> Result<Self, Failure> {
        let mut rules = Self { given: Vec::new(), taken: Vec::new() };
        for (resource, word) in chosen {
            if word.is_empty() {
                rules.taken.push(resource);
            } else {
                // Capped, not refused: a program never gets more than it requested.
                let permission = permission(&word)?.min(most);
                rules.given.push(SetGrant { agent: agent.clone(), resource, permission });
            }
        }
        Ok(rules)
    }
}

/// Switch for enforcing grants.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Enforced {
    /// True when agents of the owner's own account need grants too.
    enforced: bool,
}

pub(super) async fn enforce(
    context: Desk,
    _: Nothing,
    input: Enforced,
) -> Result<Answer<Done>, Failure> {
    context.engine.admin().enforce_grants(&context.caller, input.enforced).await?;
    let said = if input.enforced {
        "Every agent needs a grant now"
    } else {
        "Agents of your own account have access to everything"
    };
    Answer::of(Done { said: said.to_owned() })
}

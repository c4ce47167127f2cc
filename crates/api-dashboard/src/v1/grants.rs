//! Grants: what each agent may read and write.

use super::keys::permission;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::grants::SetGrant;
use model::{AgentName, Failure, Grant, Permission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was chosen for each resource.
pub(super) type Chosen = BTreeMap<String, String>;

/// A consent rule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GrantShown {
    /// For whom.
    agent: String,
    /// On what: `profile`, `tables/meals`, `vectors/*`.
    resource: String,
    /// How far: `none`, `read` or `write`.
    permission: &'static str,
    /// Since when.
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
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<GrantShown>>, Failure> {
    Answer::of(
        desk.engine.admin().grants(&desk.caller).await?.into_iter().map(GrantShown::from).collect(),
    )
}

/// Grants to give to one agent, in place of those that are there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToGrant {
    /// To whom.
    agent: String,
    /// How far on each resource: `none`, `read` or `write`; an empty text takes the rule away.
    grants: Chosen,
}

pub(super) async fn set(
    desk: Desk,
    _: Nothing,
    input: ToGrant,
) -> Result<Answer<Vec<GrantShown>>, Failure> {
    let agent = AgentName::new(&input.agent);
    let Rules { given, taken } = Rules::read(&agent, input.grants, Permission::Write)?;
    let set = desk.engine.admin().set_grants(&desk.caller, &given).await?;
    for resource in taken {
        desk.engine.admin().remove_grant(&desk.caller, &agent, &resource).await?;
    }
    Answer::of(set.into_iter().map(GrantShown::from).collect())
}

/// Rules as a form sends them.
pub(super) struct Rules {
    /// Those to give.
    pub given: Vec<SetGrant>,
    /// The resources whose rule is taken away.
    pub taken: Vec<String>,
}

impl Rules {
    /// Reads how far each resource is opened to an agent, and never further than this.
    pub fn read(agent: &AgentName, chosen: Chosen, most: Permission) -> Result<Self, Failure> {
        let mut rules = Self { given: Vec::new(), taken: Vec::new() };
        for (resource, word) in chosen {
            if word.is_empty() {
                rules.taken.push(resource);
            } else {
                let permission = permission(&word)?.min(most);
                rules.given.push(SetGrant { agent: agent.clone(), resource, permission });
            }
        }
        Ok(rules)
    }
}

/// Whether grants are needed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Enforced {
    /// Whether agents under the owner's own account need them too.
    enforced: bool,
}

pub(super) async fn enforce(
    desk: Desk,
    _: Nothing,
    input: Enforced,
) -> Result<Answer<Done>, Failure> {
    desk.engine.admin().enforce_grants(&desk.caller, input.enforced).await?;
    let said = if input.enforced {
        "Every agent needs a grant now"
    } else {
        "Agents of your own account reach everything"
    };
    Answer::of(Done { said: said.to_owned() })
}

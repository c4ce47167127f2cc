//! Grants: what each agent may read and write.

use super::keys::permission;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::SetGrant;
use model::{AgentName, Failure, Grant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

pub(super) async fn list(desk: Desk, _: Nothing, _: Nothing) -> Result<Answer<Vec<GrantShown>>, Failure> {
    Answer::of(desk.engine.grants(&desk.caller).await?.into_iter().map(GrantShown::from).collect())
}

/// Grants to give to one agent, in place of those that are there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToGrant {
    /// To whom.
    agent: String,
    /// How far on each resource: `none`, `read` or `write`; an empty text takes the rule away.
    grants: std::collections::BTreeMap<String, String>,
}

pub(super) async fn set(desk: Desk, _: Nothing, input: ToGrant) -> Result<Answer<Vec<GrantShown>>, Failure> {
    let agent = AgentName::new(&input.agent);
    let (taken, given): (Vec<_>, Vec<_>) = input.grants.into_iter().partition(|(_, word)| word.is_empty());
    let set = |(resource, word): (String, String)| {
        Ok(SetGrant { agent: agent.clone(), resource, permission: permission(&word)? })
    };
    let grants: Vec<SetGrant> = given.into_iter().map(set).collect::<Result<_, Failure>>()?;
    let set = desk.engine.set_grants(&desk.caller, &grants).await?;
    for (resource, _) in taken {
        desk.engine.remove_grant(&desk.caller, &agent, &resource).await?;
    }
    Answer::of(set.into_iter().map(GrantShown::from).collect())
}

/// Whether grants are needed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Enforced {
    /// Whether agents under the owner's own account need them too.
    enforced: bool,
}

pub(super) async fn enforce(desk: Desk, _: Nothing, input: Enforced) -> Result<Answer<Done>, Failure> {
    desk.engine.enforce_grants(&desk.caller, input.enforced).await?;
    let said = if input.enforced {
        "Every agent needs a grant now"
    } else {
        "Agents of your own account reach everything"
    };
    Answer::of(Done { said: said.to_owned() })
}

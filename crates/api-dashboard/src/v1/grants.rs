//! Operations on grants: the permissions of each agent.

use super::json::{MessageJson, format_time};
use super::keys::parse_permission;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::grants::SetGrantRequest;
use model::{AgentName, Failure, Grant, Permission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Chosen permission for each resource.
pub(super) type PermissionChoices = BTreeMap<String, String>;

/// A grant.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GrantJson {
    /// Name of the agent.
    agent: String,
    /// Resource: `profile`, `tables/meals`, `vectors/*`.
    resource: String,
    /// Permission: `none`, `read` or `write`.
    permission: &'static str,
    /// Time of the grant.
    granted_at: String,
}

impl From<Grant> for GrantJson {
    fn from(grant: Grant) -> Self {
        Self {
            agent: grant.agent.to_string(),
            resource: grant.resource,
            permission: grant.permission.name(),
            granted_at: format_time(grant.granted_at),
        }
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<GrantJson>>, Failure> {
    ApiResponse::new(
        context
            .engine
            .admin()
            .grants(&context.caller)
            .await?
            .into_iter()
            .map(GrantJson::from)
            .collect(),
    )
}

/// Grants to set for one agent, replacing existing ones for the same resources.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetGrantsBody {
    /// Name of the agent.
    agent: String,
    /// Permission for each resource: `none`, `read` or `write`; an empty text removes the rule.
    grants: PermissionChoices,
}

pub(super) async fn set(
    context: RequestContext,
    _: NoFields,
    input: SetGrantsBody,
) -> Result<ApiResponse<Vec<GrantJson>>, Failure> {
    let agent = AgentName::new(&input.agent);
    let changes = RuleChanges::parse(&agent, input.grants, Permission::Write)?;
    let grants = context.engine.admin().set_grants(&context.caller, &changes.set).await?;
    for resource in changes.removed {
        context.engine.admin().remove_grant(&context.caller, &agent, &resource).await?;
    }
    ApiResponse::new(grants.into_iter().map(GrantJson::from).collect())
}

/// Changes to rules, as a form sends them.
pub(super) struct RuleChanges {
    /// Rules to set.
    pub set: Vec<SetGrantRequest>,
    /// Resources whose rule is removed.
    pub removed: Vec<String>,
}

impl RuleChanges {
    /// Parses the chosen permissions of an agent, capped at `most`.
    pub fn parse(
        agent: &AgentName,
        chosen: PermissionChoices,
        most: Permission,
    ) -> Result<Self, Failure> {
        let mut rules = Self { set: Vec::new(), removed: Vec::new() };
        for (resource, word) in chosen {
            if word.is_empty() {
                rules.removed.push(resource);
            } else {
                // Capped, not refused: a program never gets more than it requested.
                let permission = parse_permission(&word)?.min(most);
                rules.set.push(SetGrantRequest { agent: agent.clone(), resource, permission });
            }
        }
        Ok(rules)
    }
}

/// Switch for enforcing grants.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnforceGrantsBody {
    /// True when agents of the owner's own account need grants too.
    enforced: bool,
}

pub(super) async fn enforce(
    context: RequestContext,
    _: NoFields,
    input: EnforceGrantsBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    context.engine.admin().enforce_grants(&context.caller, input.enforced).await?;
    let said = if input.enforced {
        "Every agent needs a grant now"
    } else {
        "Agents of your own account have access to everything"
    };
    ApiResponse::new(MessageJson { said: said.to_owned() })
}

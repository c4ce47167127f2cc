//! Operations on agents: the number of their memories, and retiring what one wrote.

use super::json::{MessageJson, NamedCount, named_counts};
use super::memories::parse_moment;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::maintenance::{RestoreAgentRequest, RetireAgentRequest};
use model::{AgentName, Failure, Moment};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<NamedCount>>, Failure> {
    ApiResponse::new(named_counts(
        context.engine.memories().overview(&context.caller, 1).await?.agents,
    ))
}

/// Memories of an agent to retire.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetireAgentBody {
    /// Name of the agent.
    agent: String,
    /// Start of the period; default: everything.
    since: Option<String>,
    /// True to do it; false only reports what would be done.
    #[serde(default)]
    confirm: bool,
}

pub(super) async fn retire(
    context: RequestContext,
    _: NoFields,
    input: RetireAgentBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let since = parse_moment(input.since.as_deref().filter(|since| !since.is_empty()))?
        .unwrap_or(Moment(0));
    let retire =
        RetireAgentRequest { agent: AgentName::new(&input.agent), since, confirm: input.confirm };
    let done = context.engine.admin().retire_agent(&context.caller, &retire).await?;
    ApiResponse::new(MessageJson {
        said: format!("{} memories retired, {} restored", done.retired, done.revived),
    })
}

/// A retirement to undo.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreAgentBody {
    /// Name of the agent.
    agent: String,
}

pub(super) async fn restore(
    context: RequestContext,
    _: NoFields,
    input: RestoreAgentBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let restore = RestoreAgentRequest { agent: AgentName::new(&input.agent), retired_at: None };
    let done = context.engine.admin().restore_agent(&context.caller, &restore).await?;
    ApiResponse::new(MessageJson {
        said: format!("{} memories restored, {} replaced again", done.restored, done.replaced),
    })
}

//! Operations on agents: the number of their memories, and retiring what one wrote.

use super::memories::moment;
use super::shown::{Counted, Done, counted};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::maintenance::{RestoreAgent, RetireAgent};
use model::{AgentName, Failure, Moment};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) async fn list(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<Counted>>, Failure> {
    Answer::of(counted(context.engine.memories().overview(&context.caller, 1).await?.agents))
}

/// Memories of an agent to retire.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToTakeBack {
    /// Name of the agent.
    agent: String,
    /// Start of the period; default: everything.
    since: Option<String>,
    /// True to do it; false only reports what would be done.
    #[serde(default)]
    confirm: bool,
}

pub(super) async fn take_back(
    context: Desk,
    _: Nothing,
    input: ToTakeBack,
) -> Result<Answer<Done>, Failure> {
    let since =
        moment(input.since.as_deref().filter(|since| !since.is_empty()))?.unwrap_or(Moment(0));
    let retire = RetireAgent { agent: AgentName::new(&input.agent), since, confirm: input.confirm };
    let done = context.engine.admin().retire_agent(&context.caller, &retire).await?;
    Answer::of(Done {
        said: format!("{} memories retired, {} restored", done.retired, done.revived),
    })
}

/// A retirement to undo.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToGiveBack {
    /// Name of the agent.
    agent: String,
}

pub(super) async fn give_back(
    context: Desk,
    _: Nothing,
    input: ToGiveBack,
) -> Result<Answer<Done>, Failure> {
    let restore = RestoreAgent { agent: AgentName::new(&input.agent), retired_at: None };
    let done = context.engine.admin().restore_agent(&context.caller, &restore).await?;
    Answer::of(Done {
        said: format!("{} memories restored, {} replaced again", done.restored, done.replaced),
    })
}

//! Agents: who wrote how much, and taking it back.

use super::memories::moment;
use super::shown::{Counted, Done, counted};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::maintenance::{RestoreAgent, RetireAgent};
use model::{AgentName, Failure, Moment};
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<Counted>>, Failure> {
    Answer::of(counted(desk.engine.memories().overview(&desk.caller, 1).await?.agents))
}

/// What an agent wrote, to take back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToTakeBack {
    /// Which agent.
    agent: String,
    /// Written at this moment or later; everything when missing.
    since: Option<String>,
    /// Whether to do it, or only say what would be done.
    #[serde(default)]
    confirm: bool,
}

pub(super) async fn take_back(
    desk: Desk,
    _: Nothing,
    input: ToTakeBack,
) -> Result<Answer<Done>, Failure> {
    let since =
        moment(input.since.as_deref().filter(|since| !since.is_empty()))?.unwrap_or(Moment(0));
    let retire = RetireAgent { agent: AgentName::new(&input.agent), since, confirm: input.confirm };
    let done = desk.engine.admin().retire_agent(&desk.caller, &retire).await?;
    Answer::of(Done {
        said: format!("{} memories are retired, {} hold again", done.retired, done.revived),
    })
}

/// A taking back to undo.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToGiveBack {
    /// Which agent.
    agent: String,
}

pub(super) async fn give_back(
    desk: Desk,
    _: Nothing,
    input: ToGiveBack,
) -> Result<Answer<Done>, Failure> {
    let restore = RestoreAgent { agent: AgentName::new(&input.agent), retired_at: None };
    let done = desk.engine.admin().restore_agent(&desk.caller, &restore).await?;
    Answer::of(Done {
        said: format!("{} memories hold again, and replace {}", done.restored, done.replaced),
    })
}

//! Use: how much is asked and found, to whom a memory was shown, and what found nothing.

use super::memories::ById;
use super::paging::{Listed, page};
use super::profile::Paged;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use model::{Failure, MemoryId, QuestionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many days are told unless asked otherwise.
const DAYS: u16 = 30;

/// Of how many days.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Days {
    /// How many; 30 when missing, at most 400.
    days: Option<u16>,
}

/// How much was asked and found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActivityShown {
    /// Each day, oldest first.
    days: Vec<DayShown>,
    /// Each agent, the one that was there last first.
    agents: Vec<UseShown>,
}

/// One day.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DayShown {
    /// When it began, in UTC.
    day: String,
    /// How many questions were asked.
    recalls: usize,
    /// How many of them found nothing.
    empty: usize,
}

/// What an agent asked for and got.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UseShown {
    agent: String,
    /// How many calls.
    calls: usize,
    /// About how many tokens it was given.
    tokens: usize,
    /// How many questions it asked.
    recalls: usize,
    /// How many of them found nothing.
    empty: usize,
    /// When it was last there.
    last_seen: String,
}

pub(super) async fn activity(
    desk: Desk,
    _: Nothing,
    input: Days,
) -> Result<Answer<ActivityShown>, Failure> {
    let days = usize::from(input.days.unwrap_or(DAYS));
    let activity = desk.engine.admin().activity(&desk.caller, days).await?;
    let day = |day: engine::activity::DayOfUse| DayShown {
        day: time(day.day),
        recalls: day.recalls,
        empty: day.empty,
    };
    let agent = |one: engine::activity::AgentUse| UseShown {
        agent: one.agent.to_string(),
        calls: one.calls,
        tokens: one.tokens,
        recalls: one.recalls,
        empty: one.empty,
        last_seen: time(one.last),
    };
    Answer::of(ActivityShown {
        days: activity.days.into_iter().map(day).collect(),
        agents: activity.agents.into_iter().map(agent).collect(),
    })
}

/// That a memory was shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShowingShown {
    /// To whom.
    agent: String,
    /// The client program, as it told.
    client: Option<String>,
    /// Through which contract.
    dialect: &'static str,
    /// By which tool.
    tool: String,
    /// When.
    at: String,
}

pub(super) async fn shown(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<Vec<ShowingShown>>, Failure> {
    let showings = desk.engine.admin().shown_to(&desk.caller, MemoryId(path.id)).await?;
    let shown = |one: engine::Showing| ShowingShown {
        agent: one.author.agent.to_string(),
        client: one.author.client,
        dialect: one.author.dialect.name(),
        tool: one.author.tool,
        at: time(one.at),
    };
    Answer::of(showings.into_iter().map(shown).collect())
}

/// A question that found nothing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionShown {
    /// Its number.
    id: i64,
    /// Its words.
    text: String,
    /// Who asked last.
    agent: String,
    /// How often it was asked.
    times: usize,
    /// When it was asked last.
    at: String,
}

pub(super) async fn questions(
    desk: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<QuestionShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = desk.engine.admin().unanswered(&desk.caller, page).await?;
    let shown = |one: engine::Unanswered| QuestionShown {
        id: one.id.0,
        text: one.text,
        agent: one.agent.to_string(),
        times: one.times,
        at: time(one.at),
    };
    Answer::of(Listed::new(listed.items.into_iter().map(shown).collect(), listed.total, page))
}

pub(super) async fn dismiss(desk: Desk, path: ById, _: Nothing) -> Result<Answer<Done>, Failure> {
    desk.engine.admin().dismiss_question(&desk.caller, QuestionId(path.id)).await?;
    Answer::of(Done { said: "It is not shown any more".to_owned() })
}

/// Whether questions that find nothing are kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// Whether; saying no gives up those that are there.
    kept: bool,
}

pub(super) async fn keep(desk: Desk, _: Nothing, input: Kept) -> Result<Answer<Done>, Failure> {
    desk.engine.admin().keep_questions(&desk.caller, input.kept).await?;
    let said =
        if input.kept { "Questions that find nothing are kept" } else { "No question is kept" };
    Answer::of(Done { said: said.to_owned() })
}

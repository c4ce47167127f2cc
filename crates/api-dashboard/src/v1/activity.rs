//! Operations on usage: questions per day, agents, recalls of a memory, and unanswered questions.

use super::memories::ById;
use super::paging::{Listed, page};
use super::profile::Paged;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use model::{Failure, MemoryId, QuestionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Default number of days.
const DAYS: u16 = 30;

/// Period of the usage.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Days {
    /// Number of days; default 30, at most 400.
    days: Option<u16>,
}

/// Usage by day and by agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActivityShown {
    /// Days, oldest first.
    days: Vec<DayShown>,
    /// Agents, most recently active first.
    agents: Vec<UseShown>,
}

/// Usage of one day.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DayShown {
    /// Start of the day in UTC.
    day: String,
    /// Number of questions.
    recalls: usize,
    /// Number of questions that found nothing.
    empty: usize,
}

/// Usage of one agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UseShown {
    agent: String,
    /// Number of calls.
    calls: usize,
    /// Approximate number of tokens served.
    tokens: usize,
    /// Number of questions.
    recalls: usize,
    /// Number of questions that found nothing.
    empty: usize,
    /// Time of the last call.
    last_seen: String,
}

pub(super) async fn activity(
    context: Desk,
    _: Nothing,
    input: Days,
) -> Result<Answer<ActivityShown>, Failure> {
    let days = usize::from(input.days.unwrap_or(DAYS));
    let activity = context.engine.admin().activity(&context.caller, days).await?;
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

/// A recall of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShowingShown {
    /// Agent that recalled it.
    agent: String,
    /// Client program, as it introduced itself.
    client: Option<String>,
    /// Dialect of the call.
    dialect: &'static str,
    /// Tool of the call.
    tool: String,
    /// Time of the recall.
    at: String,
}

pub(super) async fn shown(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<Vec<ShowingShown>>, Failure> {
    let showings = context.engine.admin().shown_to(&context.caller, MemoryId(path.id)).await?;
    let encode = |one: engine::Showing| ShowingShown {
        agent: one.author.agent.to_string(),
        client: one.author.client,
        dialect: one.author.dialect.name(),
        tool: one.author.tool,
        at: time(one.at),
    };
    Answer::of(showings.into_iter().map(encode).collect())
}

/// A question that found nothing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionShown {
    /// Id of the question.
    id: i64,
    /// Text of the question.
    text: String,
    /// Agent that asked last.
    agent: String,
    /// Number of times it was asked.
    times: usize,
    /// Time it was last asked.
    at: String,
}

pub(super) async fn questions(
    context: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<QuestionShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.admin().unanswered(&context.caller, page).await?;
    let encode = |one: engine::Unanswered| QuestionShown {
        id: one.id.0,
        text: one.text,
        agent: one.agent.to_string(),
        times: one.times,
        at: time(one.at),
    };
    Answer::of(Listed::new(listed.items.into_iter().map(encode).collect(), listed.total, page))
}

pub(super) async fn dismiss(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<Done>, Failure> {
    context.engine.admin().dismiss_question(&context.caller, QuestionId(path.id)).await?;
    Answer::of(Done { said: "The question is dismissed".to_owned() })
}

/// Switch for storing unanswered questions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    /// True to store them; false also deletes the stored ones.
    kept: bool,
}

pub(super) async fn keep(context: Desk, _: Nothing, input: Kept) -> Result<Answer<Done>, Failure> {
    context.engine.admin().keep_questions(&context.caller, input.kept).await?;
    let said =
        if input.kept { "Unanswered questions are stored" } else { "No questions are stored" };
    Answer::of(Done { said: said.to_owned() })
}

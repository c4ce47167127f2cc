//! Operations on usage: questions per day, agents, recalls of a memory, and unanswered questions.

use super::json::{MessageJson, format_time};
use super::memories::IdPath;
use super::paging::{ListJson, parse_page};
use super::profile::PageQuery;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use model::{Failure, MemoryId, QuestionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Default number of days.
const DAYS: u16 = 30;

/// Period of the usage.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActivityQuery {
    /// Number of days; default 30, at most 400.
    days: Option<u16>,
}

/// Usage by day and by agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActivityJson {
    /// Days, oldest first.
    days: Vec<DayUsageJson>,
    /// Agents, most recently active first.
    agents: Vec<AgentUsageJson>,
}

/// Usage of one day.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DayUsageJson {
    /// Start of the day in UTC.
    day: String,
    /// Number of questions.
    recalls: usize,
    /// Number of questions that found nothing.
    empty: usize,
}

/// Usage of one agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentUsageJson {
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
    context: RequestContext,
    _: NoFields,
    input: ActivityQuery,
) -> Result<ApiResponse<ActivityJson>, Failure> {
    let days = usize::from(input.days.unwrap_or(DAYS));
    let activity = context.engine.admin().activity(&context.caller, days).await?;
    let day = |day: engine::activity::DailyUsage| DayUsageJson {
        day: format_time(day.day),
        recalls: day.recalls,
        empty: day.empty,
    };
    let agent = |one: engine::activity::AgentUsage| AgentUsageJson {
        agent: one.agent.to_string(),
        calls: one.calls,
        tokens: one.tokens,
        recalls: one.recalls,
        empty: one.empty,
        last_seen: format_time(one.last),
    };
    ApiResponse::new(ActivityJson {
        days: activity.days.into_iter().map(day).collect(),
        agents: activity.agents.into_iter().map(agent).collect(),
    })
}

/// A recall of a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryRecallJson {
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

pub(super) async fn recalls_of_memory(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<Vec<MemoryRecallJson>>, Failure> {
    let showings =
        context.engine.admin().memory_showings(&context.caller, MemoryId(path.id)).await?;
    let encode = |one: engine::Showing| MemoryRecallJson {
        agent: one.author.agent.to_string(),
        client: one.author.client,
        dialect: one.author.dialect.name(),
        tool: one.author.tool,
        at: format_time(one.at),
    };
    ApiResponse::new(showings.into_iter().map(encode).collect())
}

/// A question that found nothing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionJson {
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
    context: RequestContext,
    _: NoFields,
    input: PageQuery,
) -> Result<ApiResponse<ListJson<QuestionJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.admin().unanswered_questions(&context.caller, page).await?;
    let encode = |one: engine::UnansweredQuestion| QuestionJson {
        id: one.id.0,
        text: one.text,
        agent: one.agent.to_string(),
        times: one.times,
        at: format_time(one.at),
    };
    ApiResponse::new(ListJson::new(
        listed.items.into_iter().map(encode).collect(),
        listed.total,
        page,
    ))
}

pub(super) async fn dismiss(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<MessageJson>, Failure> {
    context.engine.admin().dismiss_question(&context.caller, QuestionId(path.id)).await?;
    ApiResponse::new(MessageJson { said: "The question is dismissed".to_owned() })
}

/// Switch for storing unanswered questions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoreQuestionsBody {
    /// True to store them; false also deletes the stored ones.
    kept: bool,
}

pub(super) async fn store_questions(
    context: RequestContext,
    _: NoFields,
    input: StoreQuestionsBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    context.engine.admin().set_question_retention(&context.caller, input.kept).await?;
    let said =
        if input.kept { "Unanswered questions are stored" } else { "No questions are stored" };
    ApiResponse::new(MessageJson { said: said.to_owned() })
}

//! Operations on the audit log: its events, and the verification of its chain.

use super::json::format_time;
use super::memories::parse_moment;
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::pages::words;
use crate::question_words::QuestionWords;
use crate::request_context::RequestContext;
use engine::AuditQuery;
use model::{AgentName, AuditEvent, AuditOutcome, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Filter for audit events. A missing field does not filter.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditQueryParams {
    /// Name of the agent.
    pub agent: Option<String>,
    /// Name of the tool or operation.
    pub tool: Option<String>,
    /// Resource, including those below it.
    pub resource: Option<String>,
    /// `done`, `refused` or `failed`.
    pub outcome: Option<String>,
    /// Start of the period.
    pub from: Option<String>,
    /// End of the period, exclusive.
    pub until: Option<String>,
    /// Maximum number of items.
    pub limit: Option<u16>,
    /// Value of `next` from the previous page.
    pub cursor: Option<String>,
}

impl AuditQueryParams {
    /// Converts the filter into a query of the engine.
    pub fn query(&self) -> Result<AuditQuery, Failure> {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let outcome = some(&self.outcome).map(|name| {
            AuditOutcome::parse(&name)
                .ok_or_else(|| Failure::invalid("the outcome must be one of done, refused, failed"))
        });
        Ok(AuditQuery {
            agent: some(&self.agent).map(|agent| AgentName::new(&agent)),
            tool: some(&self.tool),
            resource: some(&self.resource),
            outcome: outcome.transpose()?,
            from: parse_moment(some(&self.from).as_deref())?,
            until: parse_moment(some(&self.until).as_deref())?,
        })
    }
}

/// An audit event.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditEventJson {
    /// Id of the event.
    pub id: i64,
    /// Start time of the call.
    pub at: String,
    /// Name of the agent.
    pub agent: String,
    /// Client program, as it introduced itself.
    pub client: Option<String>,
    /// Dialect of the call.
    pub dialect: &'static str,
    /// Tool or operation.
    pub tool: String,
    /// Resource of the call.
    pub resource: String,
    /// `done`, `refused` or `failed`.
    pub outcome: &'static str,
    /// Duration in microseconds.
    pub duration_us: u64,
    /// Result in a sentence.
    pub note: String,
    /// Words of the question that the call asked, if it is one of the newest and they are stored.
    pub question: Option<String>,
    /// Predicate of a sentence about the agent, for a person.
    pub happened: String,
    /// Subject of that sentence.
    pub actor: String,
    /// True when the owner only looked at the dashboard or at a preview.
    pub looking: bool,
}

impl AuditEventJson {
    pub fn new(event: AuditEvent, asked: &QuestionWords, owner: &AgentName) -> Self {
        let question = asked.get(&event);
        Self {
            happened: words::happened(&event, question),
            question: question.map(str::to_owned),
            actor: words::actor(&event.author, owner).to_owned(),
            looking: words::is_looking(&event, owner),
            id: event.id.0,
            at: format_time(event.at),
            agent: event.author.agent.to_string(),
            client: event.author.client,
            dialect: event.author.dialect.name(),
            tool: event.author.tool,
            resource: event.resource,
            outcome: event.outcome.name(),
            duration_us: event.duration_us,
            note: event.note,
        }
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    input: AuditQueryParams,
) -> Result<ApiResponse<ListJson<AuditEventJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.admin().audit(&context.caller, &input.query()?, page).await?;
    let asked = QuestionWords::load(&context).await?;
    let owner = &context.caller.author.agent;
    let encode = |event| AuditEventJson::new(event, &asked, owner);
    let items = listed.items.into_iter().map(encode).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

/// Result of the verification.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditChainJson {
    /// True when the whole chain is intact.
    holds: bool,
    /// Number of verified events.
    events: usize,
    /// Faults, in sentences.
    faults: Vec<String>,
    /// Head of the log, a line to keep elsewhere for `quipu audit verify --head`; missing when a
    /// fault was found.
    head: Option<String>,
    /// Result in a sentence.
    summary: String,
}

pub(super) async fn verify(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<AuditChainJson>, Failure> {
    let report = context.engine.admin().verify_audit(&context.caller).await?;
    let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    let summary = match faults.first() {
        None => format!("The log is intact: {} events.", report.events),
        Some(first) => format!("The log is not intact ({} faults). {first}.", faults.len()),
    };
    ApiResponse::new(AuditChainJson {
        holds: report.is_intact(),
        events: report.events,
        faults,
        head: report.anchor(&context.caller.owner).map(|anchor| anchor.to_line()),
        summary,
    })
}

//! The audit log: who did what, and whether the log is whole.

use super::memories::moment;
use super::paging::{Listed, page};
use super::shown::time;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::AuditQuery;
use model::{AgentName, AuditEvent, Failure, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which events. Whatever is missing lets all through.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Events {
    /// By this agent.
    pub agent: Option<String>,
    /// Through this tool.
    pub tool: Option<String>,
    /// About this resource or one below it.
    pub resource: Option<String>,
    /// `done`, `refused` or `failed`.
    pub outcome: Option<String>,
    /// At this moment or later.
    pub from: Option<String>,
    /// Before this moment.
    pub until: Option<String>,
    /// How many at most.
    pub limit: Option<u16>,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Events {
    /// The same as the engine asks it.
    pub fn query(&self) -> Result<AuditQuery, Failure> {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let outcome = some(&self.outcome).map(|name| {
            Outcome::parse(&name)
                .ok_or_else(|| Failure::invalid("the outcome is none of done, refused, failed"))
        });
        Ok(AuditQuery {
            agent: some(&self.agent).map(|agent| AgentName::new(&agent)),
            tool: some(&self.tool),
            resource: some(&self.resource),
            outcome: outcome.transpose()?,
            from: moment(some(&self.from).as_deref())?,
            until: moment(some(&self.until).as_deref())?,
        })
    }
}

/// One line of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventShown {
    /// Its number.
    pub id: i64,
    /// When it began.
    pub at: String,
    /// Who.
    pub agent: String,
    /// The client program, as it told.
    pub client: Option<String>,
    /// The contract it came through.
    pub dialect: &'static str,
    /// The tool or operation.
    pub tool: String,
    /// What it was about.
    pub resource: String,
    /// `done`, `refused` or `failed`.
    pub outcome: &'static str,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What came of it.
    pub note: String,
}

impl From<AuditEvent> for EventShown {
    fn from(event: AuditEvent) -> Self {
        Self {
            id: event.id.0,
            at: time(event.at),
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
    desk: Desk,
    _: Nothing,
    input: Events,
) -> Result<Answer<Listed<EventShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = desk.engine.admin().audit(&desk.caller, &input.query()?, page).await?;
    let items = listed.items.into_iter().map(EventShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// Whether the log is whole.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChainShown {
    /// Whether it holds from end to end.
    holds: bool,
    /// How many events hold together.
    events: usize,
    /// Where it does not hold, in sentences.
    faults: Vec<String>,
}

pub(super) async fn verify(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<ChainShown>, Failure> {
    let report = desk.engine.admin().verify_audit(&desk.caller).await?;
    let faults = report
        .faults
        .iter()
        .map(|fault| format!("{} to {}: {}", fault.first, fault.last, fault.what))
        .collect();
    Answer::of(ChainShown { holds: report.holds(), events: report.events, faults })
}

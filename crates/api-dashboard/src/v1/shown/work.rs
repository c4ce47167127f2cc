//! Sessions and handoffs, as `/v1` shows them.

use super::time;
use model::{Claim, Handoff, Session};
use schemars::JsonSchema;
use serde::Serialize;

/// A stretch of work.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionShown {
    /// Its number.
    pub id: i64,
    /// The name a client gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Who began it.
    pub agent: String,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// The memory that sums it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<i64>,
}

impl From<Session> for SessionShown {
    fn from(session: Session) -> Self {
        Self {
            id: session.id.0,
            key: session.key,
            project: session.project,
            agent: session.agent.to_string(),
            started_at: time(session.started_at),
            ended_at: session.ended_at.map(time),
            episode: session.episode.map(|episode| episode.0),
        }
    }
}

/// A document that passes unfinished work on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HandoffShown {
    /// Its number.
    pub id: i64,
    /// A headline.
    pub title: String,
    /// The document, in markdown.
    pub document: String,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `open`, `claimed`, `completed` or `cancelled`.
    pub state: &'static str,
    /// Who has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimShown>,
    /// Who wrote it.
    pub created_by: String,
    /// When.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

/// Who has a handoff.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimShown {
    /// The agent.
    pub by: String,
    /// Since when.
    pub since: String,
    /// Until when.
    pub until: String,
}

impl From<Claim> for ClaimShown {
    fn from(claim: Claim) -> Self {
        Self { by: claim.by.to_string(), since: time(claim.since), until: time(claim.until) }
    }
}

impl From<Handoff> for HandoffShown {
    fn from(handoff: Handoff) -> Self {
        Self {
            id: handoff.id.0,
            title: handoff.title,
            document: handoff.document,
            project: handoff.project,
            state: handoff.state.name(),
            claim: handoff.claim.map(ClaimShown::from),
            created_by: handoff.created_by.to_string(),
            created_at: time(handoff.created_at),
            updated_at: time(handoff.updated_at),
        }
    }
}

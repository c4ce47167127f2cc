//! JSON forms of sessions and handoffs.

use super::format_time;
use model::{Claim, Handoff, Session};
use schemars::JsonSchema;
use serde::Serialize;

/// A session of work.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionJson {
    /// Id of the item.
    pub id: i64,
    /// Name given by the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Name of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Agent that started it.
    pub agent: String,
    /// Start time.
    pub started_at: String,
    /// End time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Id of the memory with the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub episode: Option<i64>,
}

impl From<Session> for SessionJson {
    fn from(session: Session) -> Self {
        Self {
            id: session.id.0,
            key: session.key,
            project: session.project,
            agent: session.agent.to_string(),
            started_at: format_time(session.started_at),
            ended_at: session.ended_at.map(format_time),
            episode: session.episode.map(|episode| episode.0),
        }
    }
}

/// A handoff: a document that passes unfinished work on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HandoffJson {
    /// Id of the item.
    pub id: i64,
    /// Title of the handoff.
    pub title: String,
    /// Document in markdown.
    pub document: String,
    /// Name of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `open`, `claimed`, `completed` or `cancelled`.
    pub state: &'static str,
    /// Claim on the handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimJson>,
    /// Agent that wrote it.
    pub created_by: String,
    /// Creation time.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

/// A claim on a handoff.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimJson {
    /// Agent that holds it.
    pub by: String,
    /// Time of the claim.
    pub since: String,
    /// Expiry of the claim; missing when it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl From<Claim> for ClaimJson {
    fn from(claim: Claim) -> Self {
        Self {
            by: claim.by.to_string(),
            since: format_time(claim.since),
            until: claim.end().map(format_time),
        }
    }
}

impl From<Handoff> for HandoffJson {
    fn from(handoff: Handoff) -> Self {
        Self {
            id: handoff.id.0,
            title: handoff.title,
            document: handoff.document,
            project: handoff.project,
            state: handoff.state.name(),
            claim: handoff.claim.map(ClaimJson::from),
            created_by: handoff.created_by.to_string(),
            created_at: format_time(handoff.created_at),
            updated_at: format_time(handoff.updated_at),
        }
    }
}

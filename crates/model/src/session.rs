//! Sessions: periods of work of one agent.

use crate::{AgentName, Failure, JsonMap, MemoryId, Moment, SessionId, limits};

/// A period of work of one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub id: SessionId,
    /// Name chosen by the client.
    pub key: Option<String>,
    pub project: Option<String>,
    /// Agent that started it.
    pub agent: AgentName,
    /// Further fields from the client.
    pub metadata: JsonMap,
    pub started_at: Moment,
    pub ended_at: Option<Moment>,
    /// Memory that summarises the session.
    pub episode: Option<MemoryId>,
}

/// A session to be started. An existing one with the same key or number is resumed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewSession {
    /// Number chosen by the caller.
    pub id: Option<SessionId>,
    /// Name chosen by the caller.
    pub key: Option<String>,
    pub project: Option<String>,
    /// Further fields from the caller.
    pub metadata: JsonMap,
}

impl NewSession {
    /// Checks every field against its limit.
    ///
    /// # Errors
    /// Names the first field that is too long or out of range.
    pub fn check(&self) -> Result<(), Failure> {
        if self.id.is_some_and(|id| id.0 < 0) {
            return Err(Failure::invalid("a session's number must not be negative"));
        }
        limits::chars("session", self.key.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
        limits::chars("project", self.project.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
        limits::json("metadata", &self.metadata, limits::METADATA_BYTES)
    }
}

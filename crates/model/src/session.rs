//! Sessions: stretches of work.

use crate::{AgentName, Failure, JsonMap, MemoryId, Moment, SessionId, limits};

/// A stretch of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its number.
    pub id: SessionId,
    /// The name a client gave it.
    pub key: Option<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Who began it.
    pub agent: AgentName,
    /// Whatever else was told.
    pub metadata: JsonMap,
    /// When it began.
    pub started_at: Moment,
    /// When it ended.
    pub ended_at: Option<Moment>,
    /// The memory that sums it up.
    pub episode: Option<MemoryId>,
}

/// A session that is about to begin; one with a known key or number is taken up again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewSession {
    /// A number of the caller's choice.
    pub id: Option<SessionId>,
    /// A name of the caller's choice.
    pub key: Option<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Whatever else is told.
    pub metadata: JsonMap,
}

impl NewSession {
    /// Holds every field against its limit.
    ///
    /// # Errors
    /// The first field that is too long or out of range.
    pub fn check(&self) -> Result<(), Failure> {
        if self.id.is_some_and(|id| id.0 < 1) {
            return Err(Failure::invalid("a session's number must be 1 or more"));
        }
        limits::chars("session", self.key.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
        limits::chars("project", self.project.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
        limits::json("metadata", &self.metadata, limits::METADATA_BYTES)
    }
}

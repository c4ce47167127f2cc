//! Handoffs: documents that pass unfinished work on. A claim is a lease held by one agent.

use crate::{AgentName, Failure, HandoffId, Moment, limits};

/// State of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandoffState {
    Open,
    /// An agent holds it until the lease ends.
    Claimed,
    Completed,
    Cancelled,
}

impl HandoffState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Open, Self::Claimed, Self::Completed, Self::Cancelled];

    /// Returns the stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the state with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// The lease of one agent on a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Agent name from the credential.
    pub by: AgentName,
    pub since: Moment,
    /// End of the lease; from then on any agent may claim the handoff.
    pub until: Moment,
    /// Further details from the claimant: harness, directory, run.
    pub notes: Vec<(String, String)>,
}

/// A document that passes unfinished work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    pub id: HandoffId,
    pub title: String,
    /// Markdown document with its five sections.
    pub document: String,
    pub project: Option<String>,
    /// Working directory of the author.
    pub cwd: Option<String>,
    /// Agent program of the author.
    pub harness: Option<String>,
    /// Location of the work, such as a branch or a URL.
    pub source_ref: Option<String>,
    pub tags: Vec<String>,
    /// State as last written; still `Claimed` after a lease has expired.
    pub state: HandoffState,
    pub claim: Option<Claim>,
    pub created_by: AgentName,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl Handoff {
    /// Returns whether any agent may claim it at this time.
    #[must_use]
    pub fn is_free(&self, now: Moment) -> bool {
        match self.state {
            HandoffState::Open => true,
            HandoffState::Claimed => self.claim.as_ref().is_none_or(|claim| claim.until <= now),
            HandoffState::Completed | HandoffState::Cancelled => false,
        }
    }
}

/// A handoff to be written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHandoff {
    pub title: String,
    pub document: String,
    pub project: Option<String>,
    pub cwd: Option<String>,
    pub harness: Option<String>,
    /// Location of the work, such as a branch or a URL.
    pub source_ref: Option<String>,
    pub tags: Vec<String>,
}

impl NewHandoff {
    /// Checks every field against its limit.
    ///
    /// # Errors
    /// Names the first field that is empty or too long.
    pub fn check(&self) -> Result<(), Failure> {
        if self.title.trim().is_empty() {
            return Err(Failure::invalid("the handoff's title is empty"));
        }
        limits::chars("title", &self.title, limits::TITLE_CHARS)?;
        limits::chars("document", &self.document, limits::HANDOFF_CHARS)?;
        limits::count("tags", self.tags.len(), limits::TAGS)?;
        self.tags.iter().try_for_each(|tag| limits::chars("tags", tag, limits::TAG_CHARS))?;
        let names = [("project", &self.project), ("harness", &self.harness)];
        names.iter().try_for_each(|(field, text)| {
            limits::chars(field, text.as_deref().unwrap_or(""), limits::NAME_CHARS)
        })?;
        let locations = [("cwd", &self.cwd), ("source_ref", &self.source_ref)];
        locations.iter().try_for_each(|(field, text)| {
            limits::chars(field, text.as_deref().unwrap_or(""), limits::REASON_CHARS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(until: i64) -> Handoff {
        Handoff {
            id: HandoffId(1),
            title: "t".into(),
            document: "d".into(),
            project: None,
            cwd: None,
            harness: None,
            source_ref: None,
            tags: vec![],
            state: HandoffState::Claimed,
            claim: Some(Claim {
                by: AgentName::new("a"),
                since: Moment(0),
                until: Moment(until),
                notes: vec![],
            }),
            created_by: AgentName::new("b"),
            created_at: Moment(0),
            updated_at: Moment(0),
        }
    }

    #[test]
    fn an_expired_lease_frees_the_handoff() {
        assert!(!claimed(10).is_free(Moment(9)));
        assert!(claimed(10).is_free(Moment(10)));
    }

    #[test]
    fn finished_work_is_never_free() {
        let done = Handoff { state: HandoffState::Completed, ..claimed(0) };
        assert!(!done.is_free(Moment(100)));
    }
}

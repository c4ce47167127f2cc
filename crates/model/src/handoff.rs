//! Handoffs: documents that pass unfinished work on. A claim is a lease, bound to who claimed.

use crate::{AgentName, Failure, HandoffId, Moment, limits};

/// Where a handoff stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandoffState {
    /// It waits for somebody.
    Open,
    /// Somebody has it, until the lease ends.
    Claimed,
    /// The work is done.
    Completed,
    /// Nobody needs it any more.
    Cancelled,
}

impl HandoffState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Open, Self::Claimed, Self::Completed, Self::Cancelled];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// Who has a handoff, since when and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The agent, from its credential.
    pub by: AgentName,
    /// Since when.
    pub since: Moment,
    /// Until when; after that anybody may claim it.
    pub until: Moment,
    /// What the claimant told beside it: harness, directory, run.
    pub notes: Vec<(String, String)>,
}

/// A document that passes unfinished work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    /// Its number.
    pub id: HandoffId,
    /// A headline.
    pub title: String,
    /// The document, in markdown with its five sections.
    pub document: String,
    /// The project it belongs to.
    pub project: Option<String>,
    /// The working directory it was written in.
    pub cwd: Option<String>,
    /// The program it was written in.
    pub harness: Option<String>,
    /// Where the work lives.
    pub source_ref: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Where it stands, as last written: a lease that ran out still says `Claimed`.
    pub state: HandoffState,
    /// Who has it.
    pub claim: Option<Claim>,
    /// Who wrote it.
    pub created_by: AgentName,
    /// When.
    pub created_at: Moment,
    /// When it last changed.
    pub updated_at: Moment,
}

impl Handoff {
    /// Whether anybody may claim it at this moment.
    #[must_use]
    pub fn is_free(&self, now: Moment) -> bool {
        match self.state {
            HandoffState::Open => true,
            HandoffState::Claimed => self.claim.as_ref().is_none_or(|claim| claim.until <= now),
            HandoffState::Completed | HandoffState::Cancelled => false,
        }
    }
}

/// A handoff that is about to be written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewHandoff {
    /// A headline.
    pub title: String,
    /// The document.
    pub document: String,
    /// The project it belongs to.
    pub project: Option<String>,
    /// The working directory it is written in.
    pub cwd: Option<String>,
    /// The program it is written in.
    pub harness: Option<String>,
    /// Where the work lives.
    pub source_ref: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
}

impl NewHandoff {
    /// Holds every field against its limit.
    ///
    /// # Errors
    /// The first field that is empty or too long.
    pub fn check(&self) -> Result<(), Failure> {
        if self.title.trim().is_empty() {
            return Err(Failure::invalid("the handoff's title is empty"));
        }
        limits::chars("title", &self.title, limits::TITLE_CHARS)?;
        limits::chars("document", &self.document, limits::HANDOFF_CHARS)?;
        limits::count("tags", self.tags.len(), limits::TAGS)?;
        self.tags.iter().try_for_each(|tag| limits::chars("tags", tag, limits::TAG_CHARS))?;
        let told = [("project", &self.project), ("harness", &self.harness)];
        told.iter().try_for_each(|(field, text)| {
            limits::chars(field, text.as_deref().unwrap_or(""), limits::NAME_CHARS)
        })?;
        let places = [("cwd", &self.cwd), ("source_ref", &self.source_ref)];
        places.iter().try_for_each(|(field, text)| {
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
    fn a_lease_that_ran_out_frees_the_handoff() {
        assert!(!claimed(10).is_free(Moment(9)));
        assert!(claimed(10).is_free(Moment(10)));
    }

    #[test]
    fn finished_work_is_never_free() {
        let done = Handoff { state: HandoffState::Completed, ..claimed(0) };
        assert!(!done.is_free(Moment(100)));
    }
}

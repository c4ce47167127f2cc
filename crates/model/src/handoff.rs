//! Handoffs: documents that pass unfinished work on. A claim belongs to one running session of an
//! agent, for a lease or without an end.

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

/// Identity of one running session of an agent: its process, its session over HTTP or, where there
/// is neither, its connection. Agents of the same name are told apart by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConnectionId(String);

impl ConnectionId {
    /// Prefix of the identity of a mere connection.
    const CONNECTION: &'static str = "connection ";

    /// Identifies a process by a random text.
    #[must_use]
    pub fn process(random: &str) -> Self {
        Self(format!("process {random}"))
    }

    /// Identifies a session over HTTP by its id.
    #[must_use]
    pub fn session(id: &str) -> Self {
        Self(format!("session {id}"))
    }

    /// Identifies a connection of a client that has no session. The client may come back over
    /// another one.
    #[must_use]
    pub fn connection(id: &str) -> Self {
        Self(format!("{}{id}", Self::CONNECTION))
    }

    /// Returns the stored form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true when the client may come back under another identity.
    fn is_transient(&self) -> bool {
        self.0.starts_with(Self::CONNECTION)
    }
}

/// The hold of one running session on a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Agent name from the credential.
    pub by: AgentName,
    pub since: Moment,
    /// End of the lease; from then on any agent may claim the handoff. [`Claim::NO_END`] when it
    /// does not end by itself.
    pub until: Moment,
    /// Further details from the claimant: harness, directory, run. The connection that claimed is
    /// under [`Claim::CONNECTION_NOTE`].
    pub notes: Vec<(String, String)>,
}

impl Claim {
    /// End of a claim that does not end by itself: the last second of the year 9999.
    pub const NO_END: Moment = Moment(253_402_300_799_000_000);
    /// Name of the note that holds the connection of the claimant.
    pub const CONNECTION_NOTE: &'static str = "connection";
    /// Largest difference between two clocks that a lease takes no notice of.
    const CLOCK_TOLERANCE_SECONDS: i64 = 3_600;

    /// Returns the end of the lease; `None` when the claim does not end by itself.
    #[must_use]
    pub fn end(&self) -> Option<Moment> {
        Some(self.until).filter(|until| *until < Self::NO_END)
    }

    /// Returns what the claimant noted, without its connection.
    pub fn details(&self) -> impl Iterator<Item = (&str, &str)> {
        let notes = self.notes.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        notes.filter(|(name, _)| *name != Self::CONNECTION_NOTE)
    }

    /// Returns the connection of the claimant; `None` when it was not known.
    #[must_use]
    pub fn connection(&self) -> Option<ConnectionId> {
        let mut notes = self.notes.iter();
        let (_, connection) = notes.find(|(name, _)| name == Self::CONNECTION_NOTE)?;
        Some(ConnectionId(connection.clone()))
    }

    /// Returns true when this agent claimed over this connection. A claim without a known
    /// connection belongs to every session of its agent.
    #[must_use]
    pub fn is_held_by(&self, agent: &AgentName, connection: Option<&ConnectionId>) -> bool {
        let held_over = self.connection();
        self.by == *agent && (held_over.is_none() || held_over.as_ref() == connection)
    }

    /// Returns true when the lease has ended. One that begins in the future was made under a wrong
    /// clock, and would last for as long as that clock was ahead.
    #[must_use]
    pub fn has_ended(&self, now: Moment) -> bool {
        self.until <= now || self.since > now.plus_seconds(Self::CLOCK_TOLERANCE_SECONDS)
    }

    /// Returns true when this agent may end the claim over this connection. One that was made over
    /// a mere connection may be ended over another.
    #[must_use]
    pub fn may_be_ended_by(&self, agent: &AgentName, connection: Option<&ConnectionId>) -> bool {
        let is_transient = self.connection().is_some_and(|held_over| held_over.is_transient());
        self.is_held_by(agent, connection) || (self.by == *agent && is_transient)
    }
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
            HandoffState::Claimed => self.claim.as_ref().is_none_or(|claim| claim.has_ended(now)),
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
    fn a_lease_from_the_future_is_no_lease() {
        let hour = Claim::CLOCK_TOLERANCE_SECONDS;
        let mut handoff = claimed(Moment(0).plus_seconds(9 * hour).0);
        handoff.claim.as_mut().unwrap().since = Moment(0).plus_seconds(2 * hour);
        assert!(handoff.is_free(Moment(0)));
        assert!(!handoff.is_free(Moment(0).plus_seconds(hour)));
    }

    #[test]
    fn a_claim_belongs_to_the_session_that_made_it() {
        let (agent, other) = (AgentName::new("a"), AgentName::new("b"));
        let (first, second) = (ConnectionId::process("1"), ConnectionId::process("2"));
        let mut claim = claimed(10).claim.unwrap();
        assert!(claim.is_held_by(&agent, Some(&first)) && !claim.is_held_by(&other, None));
        claim.notes.push((Claim::CONNECTION_NOTE.to_owned(), first.as_str().to_owned()));
        assert!(claim.is_held_by(&agent, Some(&first)) && claim.details().next().is_none());
        for stranger in [Some(&second), None] {
            assert!(
                !claim.is_held_by(&agent, stranger) && !claim.may_be_ended_by(&agent, stranger)
            );
        }
    }

    #[test]
    fn a_client_without_a_session_ends_its_claim_over_another_connection() {
        let agent = AgentName::new("a");
        let (first, second) = (ConnectionId::connection("1"), ConnectionId::connection("2"));
        let note = (Claim::CONNECTION_NOTE.to_owned(), first.as_str().to_owned());
        let claim = Claim { notes: vec![note], ..claimed(10).claim.unwrap() };
        assert!(!claim.is_held_by(&agent, Some(&second)));
        assert!(claim.may_be_ended_by(&agent, Some(&second)));
        assert!(!claim.may_be_ended_by(&AgentName::new("b"), Some(&second)));
    }

    #[test]
    fn finished_work_is_never_free() {
        let done = Handoff { state: HandoffState::Completed, ..claimed(0) };
        assert!(!done.is_free(Moment(100)));
    }
}

//! What is told of use: who was shown a memory, how much each agent asked for and got, and what
//! found nothing. Counts and names only, but for the questions, which the owner may tell not to be
//! kept.

use model::{AgentName, AuditEvent, Author, MemoryId, Moment, QuestionId};

/// That something was read: the event, and which memories were shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// Who read, when, and what about.
    pub event: AuditEvent,
    /// The memories that were shown.
    pub memories: Vec<MemoryId>,
    /// What was asked, when it was a question.
    pub asked: Option<Asked>,
}

impl Use {
    /// That these were shown, without a question.
    #[must_use]
    pub fn new(event: AuditEvent, memories: Vec<MemoryId>) -> Self {
        Self { event, memories, asked: None }
    }
}

/// A question, and how much it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its words. Kept when it found nothing, and given up once it finds something; `None` leaves
    /// both be.
    pub question: Option<String>,
    /// How many memories it found.
    pub found: usize,
}

/// What an agent was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// Which agent.
    pub agent: AgentName,
    /// When it was given the last of it.
    pub at: Moment,
    /// In how many calls.
    pub calls: usize,
    /// About how many tokens.
    pub tokens: usize,
}

/// How much an agent asked for and got on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// The beginning of the day, in UTC.
    pub day: Moment,
    /// Which agent.
    pub agent: AgentName,
    /// How many calls.
    pub calls: usize,
    /// About how many tokens it was given.
    pub tokens: usize,
    /// How many questions it asked.
    pub recalls: usize,
    /// How many of them found nothing.
    pub empty: usize,
    /// When it was last there on that day.
    pub last: Moment,
}

/// That a memory was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// To whom, through what.
    pub author: Author,
    /// When.
    pub at: Moment,
}

/// A question that found nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Its number.
    pub id: QuestionId,
    /// Its words.
    pub text: String,
    /// Who asked last.
    pub agent: AgentName,
    /// How often it was asked.
    pub times: usize,
    /// When it was asked last.
    pub at: Moment,
}

//! Usage statistics: which agents were shown a memory, how many calls and tokens each agent used,
//! and which questions were asked. Only counts and names, except for the text of unanswered and of
//! recent questions, whose storage the owner can turn off.

use model::{AccessStats, AgentName, AuditEvent, AuditId, Author, MemoryId, Moment, QuestionId};

/// A read that is logged: its audit event and the memories it returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadEvent {
    pub event: AuditEvent,
    /// The memories that were shown.
    pub memories: Vec<MemoryId>,
    /// The search question, if the read was a search.
    pub question: Option<LoggedQuestion>,
}

impl ReadEvent {
    /// Creates the log entry of a read without a question.
    #[must_use]
    pub fn new(event: AuditEvent, memories: Vec<MemoryId>) -> Self {
        Self { event, memories, question: None }
    }
}

/// A search question and its number of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedQuestion {
    /// The question's text. It is stored beside its event while it is one of the newest, and among
    /// the unanswered questions until it has an answer; `None` does neither.
    pub text: Option<String>,
    /// Number of memories found; none when they are only similar to the question.
    pub hits: usize,
}

/// Calls and tokens to add to the usage counts of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageDelta {
    pub agent: AgentName,
    /// Time of the last of these calls.
    pub at: Moment,
    pub calls: usize,
    /// Approximate number of tokens returned.
    pub tokens: usize,
}

/// Number and times of the uses of each memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseCounts {
    /// The newest audit event that they include.
    pub as_of: AuditId,
    /// Only memories that were used, in the order of their ids.
    pub uses: Vec<(MemoryId, AccessStats)>,
}

/// Usage counts of an agent on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyAgentUsage {
    /// Midnight UTC at the start of the day.
    pub day: Moment,
    pub agent: AgentName,
    pub calls: usize,
    /// Approximate number of tokens returned.
    pub tokens: usize,
    /// Number of search questions.
    pub recalls: usize,
    /// Number of search questions that found nothing.
    pub empty: usize,
    /// Time of the last call of the day.
    pub last: Moment,
}

/// One time that a memory was shown to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Showing {
    /// The agent and client that the memory was shown to.
    pub author: Author,
    pub at: Moment,
}

/// A search question that found nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredQuestion {
    pub id: QuestionId,
    pub text: String,
    /// The agent that asked it last.
    pub agent: AgentName,
    /// Number of times it was asked.
    pub times: usize,
    /// Time it was last asked.
    pub at: Moment,
}

/// The words of one of the newest questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentQuestion {
    /// The audit event of the call that asked it.
    pub event: AuditId,
    pub text: String,
}

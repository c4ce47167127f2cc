//! Usage statistics: showings of memories, daily counts per agent, and questions. Each
//! list is trimmed to its limit as it is written, so no maintenance job is needed.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction, ClockCounters};
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::params;
use model::{AgentName, AuditId, MemoryId, Moment, QuestionId, limits};
use store::rules::fold_name;
use store::{ChangeResult, ReadEvent, UsageDelta};

/// Adds calls and tokens to the usage counts of agents.
pub(crate) fn add_usage(conn: &OwnerTransaction, served: &[UsageDelta]) -> ApplyOutcome<()> {
    for UsageDelta { agent, at, calls, tokens } in served {
        add_counts(conn, agent, *at, [*calls, *tokens, 0, 0])?;
    }
    Ok(())
}

/// Counts the question of a read, and stores its text: beside its event, and while it finds nothing
/// among the unanswered questions.
pub(super) fn log_question(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    read: &ReadEvent,
    event: AuditId,
) -> ApplyOutcome<()> {
    let Some(asked) = &read.question else { return Ok(()) };
    let (agent, at) = (&read.event.author.agent, read.event.at);
    add_counts(conn, agent, at, [0, 0, 1, usize::from(asked.hits == 0)])?;
    let Some(question) = asked.text.as_deref() else { return Ok(()) };
    log_unanswered(conn, counters, question, asked.hits, (agent, at))?;
    log_recent(conn, question, event, at)
}

/// Stores a question that found nothing, and removes one that found something.
fn log_unanswered(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    question: &str,
    hits: usize,
    (agent, at): (&AgentName, Moment),
) -> ApplyOutcome<()> {
    const KEEP: &str = "INSERT INTO questions (owner, id, folded, agent, times, at, text)
         VALUES ($1, $2, $3, $4, 1, $5, $6)
         ON CONFLICT (owner, folded) DO UPDATE SET agent = excluded.agent,
            times = questions.times + 1, at = excluded.at";
    const TRIM: &str = "DELETE FROM questions WHERE owner = $1 AND id IN
         (SELECT id FROM questions WHERE owner = $1 ORDER BY at DESC, id DESC OFFSET $2)";
    let folded = fold_name(question);
    if hits > 0 {
        conn.send("DELETE FROM questions WHERE owner = $1 AND folded = $2", [folded])?;
    } else if !folded.is_empty() && is_short(question) {
        // The number is used up even by a question that is known already, as on SQLite.
        let id = counters.numbers().next(NumberedItem::Question);
        conn.send(KEEP, (id, folded, agent.as_str(), at.0, question))?;
        conn.send(TRIM, [limits::UNANSWERED_QUESTIONS as i64])?;
    }
    Ok(())
}

/// Stores the words of a question beside its event.
fn log_recent(
    conn: &OwnerTransaction,
    question: &str,
    event: AuditId,
    at: Moment,
) -> ApplyOutcome<()> {
    // Reads are logged some time after the call, possibly by another server: a question from before
    // the newest forgetting may repeat what was forgotten. The owner comes from a row, as Citus
    // needs it under row-level security.
    const KEEP: &str = "INSERT INTO recent_questions (owner, event, text)
         SELECT c.owner, $2::bigint, $3::text FROM clocks c WHERE c.owner = $1 AND coalesce(
            (SELECT at FROM tombstones WHERE owner = $1 ORDER BY seq DESC LIMIT 1),
            $4::bigint - 1) < $4::bigint";
    const TRIM: &str = "DELETE FROM recent_questions WHERE owner = $1 AND event <=
         (SELECT event FROM recent_questions WHERE owner = $1
          ORDER BY event DESC LIMIT 1 OFFSET $2)";
    if is_short(question) {
        conn.send(KEEP, (event.0, question, at.0))?;
        conn.send(TRIM, [limits::RECENT_QUESTIONS as i64])?;
    }
    Ok(())
}

fn is_short(question: &str) -> bool {
    question.chars().count() <= limits::STORED_QUESTION_CHARS
}

/// Records that memories were shown.
pub(super) fn log_showings(
    conn: &OwnerTransaction,
    memories: &[MemoryId],
    event: AuditId,
) -> ApplyOutcome<()> {
    // INSERT … SELECT inserts nothing for a memory that was forgotten since it was read.
    const ADD: &str = "INSERT INTO shown (owner, memory, event)
         SELECT owner, id, $3::bigint FROM memories WHERE owner = $1 AND id = ANY($2)
         ON CONFLICT DO NOTHING";
    if !memories.is_empty() {
        let ids: Vec<i64> = memories.iter().map(|memory| memory.0).collect();
        conn.send(ADD, (ids, event.0))?;
    }
    Ok(())
}

/// Removes the oldest showings of a memory past the limit.
pub(super) fn trim_showings(conn: &OwnerTransaction, memory: MemoryId) -> ApplyOutcome<()> {
    const TRIM: &str = "DELETE FROM shown WHERE owner = $1 AND memory = $2 AND event <=
         (SELECT event FROM shown WHERE owner = $1 AND memory = $2
          ORDER BY event DESC LIMIT 1 OFFSET $3)";
    conn.send(TRIM, (memory.0, limits::RECALLS_LISTED as i64))?;
    Ok(())
}

/// Adds calls, tokens, questions and unanswered questions to the counts of an agent on a day.
fn add_counts(
    conn: &OwnerTransaction,
    agent: &AgentName,
    at: Moment,
    more: [usize; 4],
) -> ApplyOutcome<()> {
    const ADD: &str = "INSERT INTO usage (owner, day, agent, calls, tokens, recalls, empty, last)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (owner, day, agent) DO UPDATE SET calls = usage.calls + excluded.calls,
            tokens = usage.tokens + excluded.tokens,
            recalls = usage.recalls + excluded.recalls, empty = usage.empty + excluded.empty,
            last = greatest(usage.last, excluded.last)";
    const TRIM: &str = "DELETE FROM usage WHERE owner = $1 AND day < $2";
    let [calls, tokens, recalls, empty] =
        more.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let day = at.day_number();
    let values = params![day, agent.as_str(), calls, tokens, recalls, empty, at.0];
    conn.send(ADD, values)?;
    conn.send(TRIM, [day - limits::USAGE_DAYS])?;
    Ok(())
}

impl BatchTransaction<'_> {
    pub(super) fn drop_questions(
        &mut self,
        questions: &[QuestionId],
    ) -> ApplyOutcome<ChangeResult> {
        limits::count("questions", questions.len(), limits::IDS_PER_CALL)?;
        if questions.is_empty() {
            self.send("DELETE FROM questions WHERE owner = $1", ())?;
            self.drop_recent_questions()?;
        }
        for question in questions {
            if self.execute("DELETE FROM questions WHERE owner = $1 AND id = $2", [question.0])?
                == 0
            {
                return Err(crate::error::ChangeError::not_found("question", question));
            }
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn drop_recent_questions(&self) -> ApplyOutcome<()> {
        self.send("DELETE FROM recent_questions WHERE owner = $1", ())?;
        Ok(())
    }
}

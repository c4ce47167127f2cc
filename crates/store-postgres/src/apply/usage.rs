//! Usage statistics: showings of memories, daily counts per agent, and unanswered questions. Each
//! list is trimmed to its limit as it is written, so no maintenance job is needed.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction, ClockCounters};
use crate::sql_value::params;
use crate::transaction::OwnerTransaction;
use model::{AgentName, AuditId, MemoryId, Moment, QuestionId, limits};
use store::rules::fold_name;
use store::{ChangeResult, LoggedQuestion, UsageDelta};

/// Adds calls and tokens to the usage counts of agents.
pub(crate) fn add_usage(conn: &OwnerTransaction, served: &[UsageDelta]) -> ApplyOutcome<()> {
    for UsageDelta { agent, at, calls, tokens } in served {
        add_counts(conn, agent, *at, [*calls, *tokens, 0, 0])?;
    }
    Ok(())
}

/// Counts a question, and stores its text while it finds nothing.
pub(super) fn log_question(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    asked: &LoggedQuestion,
    agent: &AgentName,
    at: Moment,
) -> ApplyOutcome<()> {
    const KEEP: &str = "INSERT INTO questions (owner, id, folded, agent, times, at, text)
         VALUES ($1, $2, $3, $4, 1, $5, $6)
         ON CONFLICT (owner, folded) DO UPDATE SET agent = excluded.agent,
            times = questions.times + 1, at = excluded.at";
    const TRIM: &str = "DELETE FROM questions WHERE owner = $1 AND id IN
         (SELECT id FROM questions WHERE owner = $1 ORDER BY at DESC, id DESC OFFSET $2)";
    add_counts(conn, agent, at, [0, 0, 1, usize::from(asked.hits == 0)])?;
    let Some(question) = asked.text.as_deref() else { return Ok(()) };
    let folded = fold_name(question);
    if asked.hits > 0 {
        conn.execute("DELETE FROM questions WHERE owner = $1 AND folded = $2", [folded])?;
    } else if !folded.is_empty() && question.chars().count() <= limits::UNANSWERED_QUESTION_CHARS {
        // The number is used up even by a question that is known already, as on SQLite.
        let id = counters.numbers().next(NumberedItem::Question);
        conn.execute(KEEP, (id, folded, agent.as_str(), at.0, question))?;
        conn.execute(TRIM, [limits::UNANSWERED_QUESTIONS as i64])?;
    }
    Ok(())
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
        conn.execute(ADD, (ids, event.0))?;
    }
    Ok(())
}

/// Removes the oldest showings of a memory past the limit.
pub(super) fn trim_showings(conn: &OwnerTransaction, memory: MemoryId) -> ApplyOutcome<()> {
    const TRIM: &str = "DELETE FROM shown WHERE owner = $1 AND memory = $2 AND event <=
         (SELECT event FROM shown WHERE owner = $1 AND memory = $2
          ORDER BY event DESC LIMIT 1 OFFSET $3)";
    conn.execute(TRIM, (memory.0, limits::RECALLS_LISTED as i64))?;
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
    conn.execute(ADD, values)?;
    conn.execute(TRIM, [day - limits::USAGE_DAYS])?;
    Ok(())
}

impl BatchTransaction<'_> {
    pub(super) fn drop_questions(
        &mut self,
        questions: &[QuestionId],
    ) -> ApplyOutcome<ChangeResult> {
        limits::count("questions", questions.len(), limits::IDS_PER_CALL)?;
        if questions.is_empty() {
            self.execute("DELETE FROM questions WHERE owner = $1", ())?;
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
}

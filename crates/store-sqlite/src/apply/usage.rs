//! Usage statistics: showings of memories, daily counts per agent, and unanswered questions. Each
//! list is trimmed to its limit as it is written, so no maintenance job is needed.

use super::{ApplyResult, BatchContext};
use crate::fold_name;
use model::{AgentName, AuditId, MemoryId, Moment, QuestionId, limits};
use rusqlite::{Connection, params};
use store::{ChangeResult, LoggedQuestion, UsageDelta};

/// Adds calls and tokens to the usage counts of agents.
pub(crate) fn add_usage(conn: &Connection, served: &[UsageDelta]) -> ApplyResult<()> {
    for UsageDelta { agent, at, calls, tokens } in served {
        add_counts(conn, agent, *at, [*calls, *tokens, 0, 0])?;
    }
    Ok(())
}

/// Counts a question, and stores its text while it finds nothing.
pub(super) fn log_question(
    conn: &Connection,
    asked: &LoggedQuestion,
    agent: &AgentName,
    at: Moment,
) -> ApplyResult<()> {
    const KEEP: &str = "INSERT INTO questions (folded, agent, times, at, text) \
            VALUES (?1, ?2, 1, ?3, ?4)
         ON CONFLICT (folded) DO UPDATE SET agent = excluded.agent, times = times + 1, \
            at = excluded.at";
    const TRIM: &str = "DELETE FROM questions WHERE id IN
         (SELECT id FROM questions ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)";
    add_counts(conn, agent, at, [0, 0, 1, usize::from(asked.hits == 0)])?;
    let Some(question) = asked.text.as_deref() else { return Ok(()) };
    let folded = fold_name(question);
    if asked.hits > 0 {
        conn.prepare_cached("DELETE FROM questions WHERE folded = ?1")?.execute([folded])?;
    } else if !folded.is_empty() && question.chars().count() <= limits::UNANSWERED_QUESTION_CHARS {
        conn.prepare_cached(KEEP)?.execute((folded, agent.as_str(), at.0, question))?;
        conn.prepare_cached(TRIM)?.execute([limits::UNANSWERED_QUESTIONS as i64])?;
    }
    Ok(())
}

/// Records that a memory was shown.
pub(super) fn log_showing(conn: &Connection, memory: MemoryId, event: AuditId) -> ApplyResult<()> {
    // INSERT … SELECT inserts nothing for a memory that was forgotten since it was read.
    const ADD: &str =
        "INSERT OR IGNORE INTO shown (memory, event) SELECT id, ?2 FROM memories WHERE id = ?1";
    conn.prepare_cached(ADD)?.execute((memory.0, event.0))?;
    Ok(())
}

/// Removes the oldest showings of a memory past the limit.
pub(super) fn trim_showings(conn: &Connection, memory: MemoryId) -> ApplyResult<()> {
    const TRIM: &str = "DELETE FROM shown WHERE memory = ?1 AND event <=
         (SELECT event FROM shown WHERE memory = ?1 ORDER BY event DESC LIMIT 1 OFFSET ?2)";
    conn.prepare_cached(TRIM)?.execute((memory.0, limits::RECALLS_LISTED as i64))?;
    Ok(())
}

/// Adds calls, tokens, questions and unanswered questions to the counts of an agent on a day.
fn add_counts(
    conn: &Connection,
    agent: &AgentName,
    at: Moment,
    more: [usize; 4],
) -> ApplyResult<()> {
    const ADD: &str = "INSERT INTO usage (day, agent, calls, tokens, recalls, empty, last)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (day, agent) DO UPDATE SET calls = calls + excluded.calls, \
            tokens = tokens + excluded.tokens,
            recalls = recalls + excluded.recalls, empty = empty + excluded.empty, \
            last = max(last, excluded.last)";
    let [calls, tokens, recalls, empty] =
        more.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let day = at.day_number();
    let values = params![day, agent.as_str(), calls, tokens, recalls, empty, at.0];
    conn.prepare_cached(ADD)?.execute(values)?;
    conn.prepare_cached("DELETE FROM usage WHERE day < ?1")?.execute([day - limits::USAGE_DAYS])?;
    Ok(())
}

impl BatchContext<'_, '_> {
    pub(super) fn drop_questions(&mut self, questions: &[QuestionId]) -> ApplyResult<ChangeResult> {
        limits::count("questions", questions.len(), limits::IDS_PER_CALL)?;
        if questions.is_empty() {
            self.execute("DELETE FROM questions", [])?;
        }
        for question in questions {
            if self.execute("DELETE FROM questions WHERE id = ?1", [question.0])? == 0 {
                return Err(crate::error::ApplyError::not_found("question", question));
            }
        }
        Ok(ChangeResult::Done)
    }
}

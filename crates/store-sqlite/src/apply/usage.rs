//! Usage statistics: showings of memories, daily counts per agent, and questions. Each
//! list is trimmed to its limit as it is written, so no maintenance job is needed.

use super::{ApplyResult, BatchContext};
use crate::fold_name;
use model::{AgentName, AuditId, MemoryId, Moment, QuestionId, limits};
use rusqlite::{Connection, params};
use store::{ChangeResult, ReadEvent, UsageDelta};

/// Adds calls and tokens to the usage counts of agents.
pub(crate) fn add_usage(conn: &Connection, served: &[UsageDelta]) -> ApplyResult<()> {
    for UsageDelta { agent, at, calls, tokens } in served {
        add_counts(conn, agent, *at, [*calls, *tokens, 0, 0])?;
    }
    Ok(())
}

/// Counts the question of a read, and stores its text: beside its event, and while it finds nothing
/// among the unanswered questions.
pub(super) fn log_question(conn: &Connection, read: &ReadEvent, event: AuditId) -> ApplyResult<()> {
    let Some(asked) = &read.question else { return Ok(()) };
    let (agent, at) = (&read.event.author.agent, read.event.at);
    add_counts(conn, agent, at, [0, 0, 1, usize::from(asked.hits == 0)])?;
    let Some(question) = asked.text.as_deref() else { return Ok(()) };
    log_unanswered(conn, question, asked.hits, (agent, at))?;
    log_recent(conn, question, event, at)
}

/// Stores a question that found nothing, and removes one that found something.
fn log_unanswered(
    conn: &Connection,
    question: &str,
    hits: usize,
    (agent, at): (&AgentName, Moment),
) -> ApplyResult<()> {
    const KEEP: &str = "INSERT INTO questions (folded, agent, times, at, text) \
            VALUES (?1, ?2, 1, ?3, ?4)
         ON CONFLICT (folded) DO UPDATE SET agent = excluded.agent, times = times + 1, \
            at = excluded.at";
    const TRIM: &str = "DELETE FROM questions WHERE id IN
         (SELECT id FROM questions ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)";
    let folded = fold_name(question);
    if hits > 0 {
        conn.prepare_cached("DELETE FROM questions WHERE folded = ?1")?.execute([folded])?;
    } else if !folded.is_empty() && is_short(question) {
        conn.prepare_cached(KEEP)?.execute((folded, agent.as_str(), at.0, question))?;
        conn.prepare_cached(TRIM)?.execute([limits::UNANSWERED_QUESTIONS as i64])?;
    }
    Ok(())
}

/// Stores the words of a question beside its event.
fn log_recent(conn: &Connection, question: &str, event: AuditId, at: Moment) -> ApplyResult<()> {
    // Reads are logged some time after the call, possibly by another process: a question from
    // before the newest forgetting may repeat what was forgotten.
    const KEEP: &str = "INSERT INTO recent_questions (event, text) SELECT ?1, ?2
         WHERE coalesce((SELECT at FROM tombstones ORDER BY seq DESC LIMIT 1), ?3 - 1) < ?3";
    const TRIM: &str = "DELETE FROM recent_questions WHERE event <=
         (SELECT event FROM recent_questions ORDER BY event DESC LIMIT 1 OFFSET ?1)";
    if is_short(question) {
        conn.prepare_cached(KEEP)?.execute((event.0, question, at.0))?;
        conn.prepare_cached(TRIM)?.execute([limits::RECENT_QUESTIONS as i64])?;
    }
    Ok(())
}

fn is_short(question: &str) -> bool {
    question.chars().count() <= limits::STORED_QUESTION_CHARS
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
            self.drop_recent_questions()?;
        }
        for question in questions {
            if self.execute("DELETE FROM questions WHERE id = ?1", [question.0])? == 0 {
                return Err(crate::error::ApplyError::not_found("question", question));
            }
        }
        Ok(ChangeResult::Done)
    }

    pub(super) fn drop_recent_questions(&self) -> ApplyResult<()> {
        self.execute("DELETE FROM recent_questions", [])?;
        Ok(())
    }
}

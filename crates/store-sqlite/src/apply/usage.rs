//! Usage statistics: showings of memories, daily counts per agent, and unanswered questions. Each
//! list is trimmed to its limit as it is written, so no maintenance job is needed.

use super::{Applied, Applying};
use crate::fold;
use model::{AgentName, AuditId, MemoryId, Moment, QuestionId, limits};
use rusqlite::{Connection, params};
use store::{Asked, Made, Served};

const MICROS_A_DAY: i64 = 86_400_000_000;

/// Returns the number of a day, counted from the epoch.
pub(crate) fn day_of(at: Moment) -> i64 {
    at.0.div_euclid(MICROS_A_DAY)
}

/// Returns the start of a day.
pub(crate) fn day_begins(day: i64) -> Moment {
    Moment(day.saturating_mul(MICROS_A_DAY))
}

/// Adds calls and tokens to the usage counts of agents.
pub(crate) fn note_served(conn: &Connection, served: &[Served]) -> Applied<()> {
    for Served { agent, at, calls, tokens } in served {
        count(conn, agent, *at, [*calls, *tokens, 0, 0])?;
    }
    Ok(())
}

/// Counts a question, and stores its text while it finds nothing.
pub(super) fn note_asked(
    conn: &Connection,
    asked: &Asked,
    agent: &AgentName,
    at: Moment,
) -> Applied<()> {
    const KEEP: &str = "INSERT INTO questions (folded, agent, times, at, text) \
            VALUES (?1, ?2, 1, ?3, ?4)
         ON CONFLICT (folded) DO UPDATE SET agent = excluded.agent, times = times + 1, \
            at = excluded.at";
    const TRIM: &str = "DELETE FROM questions WHERE id IN
         (SELECT id FROM questions ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)";
    count(conn, agent, at, [0, 0, 1, usize::from(asked.found == 0)])?;
    let Some(question) = asked.question.as_deref() else { return Ok(()) };
    let folded = fold(question);
    if asked.found > 0 {
        conn.prepare_cached("DELETE FROM questions WHERE folded = ?1")?.execute([folded])?;
    } else if !folded.is_empty() && question.chars().count() <= limits::QUESTION_CHARS {
        conn.prepare_cached(KEEP)?.execute((folded, agent.as_str(), at.0, question))?;
        conn.prepare_cached(TRIM)?.execute([limits::QUESTIONS as i64])?;
    }
    Ok(())
}

/// Records that a memory was shown, and removes the oldest showings past the limit.
pub(super) fn note_shown(conn: &Connection, memory: MemoryId, event: AuditId) -> Applied<()> {
    // INSERT … SELECT inserts nothing for a memory that was forgotten since it was read.
    const ADD: &str =
        "INSERT OR IGNORE INTO shown (memory, event) SELECT id, ?2 FROM memories WHERE id = ?1";
    const TRIM: &str = "DELETE FROM shown WHERE memory = ?1 AND event <=
         (SELECT event FROM shown WHERE memory = ?1 ORDER BY event DESC LIMIT 1 OFFSET ?2)";
    conn.prepare_cached(ADD)?.execute((memory.0, event.0))?;
    conn.prepare_cached(TRIM)?.execute((memory.0, limits::SHOWN as i64))?;
    Ok(())
}

/// Adds calls, tokens, questions and unanswered questions to the counts of an agent on a day.
fn count(conn: &Connection, agent: &AgentName, at: Moment, more: [usize; 4]) -> Applied<()> {
    const ADD: &str = "INSERT INTO usage (day, agent, calls, tokens, recalls, empty, last)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (day, agent) DO UPDATE SET calls = calls + excluded.calls, \
            tokens = tokens + excluded.tokens,
            recalls = recalls + excluded.recalls, empty = empty + excluded.empty, \
            last = max(last, excluded.last)";
    let [calls, tokens, recalls, empty] =
        more.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let day = day_of(at);
    let values = params![day, agent.as_str(), calls, tokens, recalls, empty, at.0];
    conn.prepare_cached(ADD)?.execute(values)?;
    conn.prepare_cached("DELETE FROM usage WHERE day < ?1")?.execute([day - limits::USAGE_DAYS])?;
    Ok(())
}

impl Applying<'_, '_> {
    pub(super) fn drop_questions(&mut self, questions: &[QuestionId]) -> Applied<Made> {
        limits::count("questions", questions.len(), limits::IDS)?;
        if questions.is_empty() {
            self.run("DELETE FROM questions", [])?;
        }
        for question in questions {
            if self.run("DELETE FROM questions WHERE id = ?1", [question.0])? == 0 {
                return Err(crate::fault::Fault::not_found("question", question));
            }
        }
        Ok(Made::Nothing)
    }
}

//! Usage statistics: daily counts, showings of memories, unanswered and recent questions.

use super::{ListQuery, all};
use crate::row;
use model::{AccessStats, AuditId, Listing, MemoryId, Moment, Page, QuestionId};
use rusqlite::{Connection, Row};
use store::{DailyAgentUsage, RecentQuestion, Showing, UnansweredQuestion, UseCounts};

/// Returns the usage counts of each agent and day, from the day of a moment on, oldest first.
pub(crate) fn usage(conn: &Connection, from: Moment) -> rusqlite::Result<Vec<DailyAgentUsage>> {
    const SQL: &str = "SELECT day, agent, calls, tokens, recalls, empty, last FROM usage
                       WHERE day >= ?1 ORDER BY day, agent";
    all(conn, SQL, [from.day_number()], |row| {
        Ok(DailyAgentUsage {
            day: Moment::from_day_number(row.get(0)?),
            agent: row::agent(row, 1)?,
            calls: count(row, 2)?,
            tokens: count(row, 3)?,
            recalls: count(row, 4)?,
            empty: count(row, 5)?,
            last: row::moment(row, 6)?,
        })
    })
}

/// Returns the newest audit event.
pub(crate) fn newest_event(conn: &Connection) -> rusqlite::Result<AuditId> {
    let mut statement = conn.prepare_cached("SELECT coalesce(max(id), 0) FROM audit")?;
    statement.query_row([], |row| Ok(AuditId(row.get(0)?)))
}

/// Returns the use counts of all memories that were used.
pub(crate) fn use_counts(conn: &Connection) -> rusqlite::Result<UseCounts> {
    const SQL: &str = "SELECT memory, count, last FROM uses ORDER BY memory";
    // The event comes first: counts that are newer than it only make the next call read again.
    let as_of = newest_event(conn)?;
    let uses = all(conn, SQL, [], |row| {
        let access = AccessStats { count: row.get(1)?, last: Some(row::moment(row, 2)?) };
        Ok((MemoryId(row.get(0)?), access))
    })?;
    Ok(UseCounts { as_of, uses })
}

/// Returns the occasions on which a memory was shown, newest first.
pub(crate) fn showings(conn: &Connection, memory: MemoryId) -> rusqlite::Result<Vec<Showing>> {
    // Agent and time are in the audit event; a showing whose event retention removed drops out.
    const SQL: &str = "SELECT e.at, a.agent, a.client, a.dialect, a.tool FROM shown s
         CROSS JOIN audit e ON e.id = s.event CROSS JOIN authors a ON a.id = e.author
         WHERE s.memory = ?1 ORDER BY s.event DESC";
    all(conn, SQL, [memory.0], |row| {
        Ok(Showing { at: row::moment(row, 0)?, author: row::author(row, 1)? })
    })
}

/// Returns a page of the questions that found nothing, the most recently asked first.
pub(crate) fn questions(
    conn: &Connection,
    page: Page,
) -> rusqlite::Result<Listing<UnansweredQuestion>> {
    let list = ListQuery {
        count: "SELECT count(*) FROM questions",
        page: "SELECT id, text, agent, times, at FROM questions \
               ORDER BY at DESC, id DESC LIMIT ?1 OFFSET ?2",
    };
    list.read(conn, &[], page, |row| {
        Ok(UnansweredQuestion {
            id: QuestionId(row.get(0)?),
            text: row.get(1)?,
            agent: row::agent(row, 2)?,
            times: count(row, 3)?,
            at: row::moment(row, 4)?,
        })
    })
}

/// Returns the words of the newest questions, newest first.
pub(crate) fn recent_questions(conn: &Connection) -> rusqlite::Result<Vec<RecentQuestion>> {
    const SQL: &str = "SELECT event, text FROM recent_questions ORDER BY event DESC";
    all(conn, SQL, [], |row| Ok(RecentQuestion { event: AuditId(row.get(0)?), text: row.get(1)? }))
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    Ok(usize::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

//! Usage statistics: daily counts, showings of memories, unanswered and recent questions.

use super::{PagedQuery, all};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{AccessStats, AuditId, Listing, MemoryId, Moment, Page, QuestionId};
use store::{DailyAgentUsage, RecentQuestion, Showing, UnansweredQuestion, UseCounts};

/// Returns the usage counts of each agent and day, from the day of a moment on, oldest first.
pub(crate) fn usage(conn: &OwnerTransaction, from: Moment) -> SqlResult<Vec<DailyAgentUsage>> {
    const SQL: &str = "SELECT day, agent, calls, tokens, recalls, empty, last FROM usage
                       WHERE owner = $1 AND day >= $2 ORDER BY day, agent";
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
pub(crate) fn newest_event(conn: &OwnerTransaction) -> SqlResult<AuditId> {
    const SQL: &str = "SELECT coalesce(max(id), 0) FROM audit WHERE owner = $1";
    conn.one(SQL, (), |row| Ok(AuditId(row.get(0)?)))
}

/// Returns the use counts of all memories that were used.
pub(crate) fn use_counts(conn: &OwnerTransaction) -> SqlResult<UseCounts> {
    const SQL: &str = "SELECT memory, count, last FROM uses WHERE owner = $1 ORDER BY memory";
    // The event comes first: counts that are newer than it only make the next call read again.
    let as_of = newest_event(conn)?;
    let uses = all(conn, SQL, (), |row| {
        let access = AccessStats { count: row.get(1)?, last: Some(row::moment(row, 2)?) };
        Ok((MemoryId(row.get(0)?), access))
    })?;
    Ok(UseCounts { as_of, uses })
}

/// Returns the occasions on which a memory was shown, newest first.
pub(crate) fn showings(conn: &OwnerTransaction, memory: MemoryId) -> SqlResult<Vec<Showing>> {
    // Agent and time are in the audit event; a showing whose event retention removed drops out.
    const SQL: &str = "SELECT e.at, a.agent, a.client, a.dialect, a.tool FROM shown s
         JOIN audit e ON e.owner = s.owner AND e.id = s.event
         JOIN authors a ON a.owner = e.owner AND a.id = e.author
         WHERE s.owner = $1 AND e.owner = $1 AND a.owner = $1 AND s.memory = $2
         ORDER BY s.event DESC";
    all(conn, SQL, [memory.0], |row| {
        Ok(Showing { at: row::moment(row, 0)?, author: row::author(row, 1)? })
    })
}

/// Returns a page of the questions that found nothing, the most recently asked first.
pub(crate) fn questions(
    conn: &OwnerTransaction,
    page: Page,
) -> SqlResult<Listing<UnansweredQuestion>> {
    let list = PagedQuery {
        count: "SELECT count(*) FROM questions WHERE owner = $1",
        page: "SELECT id, text, agent, times, at FROM questions
               WHERE owner = $1 ORDER BY at DESC, id DESC LIMIT $2 OFFSET $3",
    };
    list.read(conn, params![], page, |row| {
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
pub(crate) fn recent_questions(conn: &OwnerTransaction) -> SqlResult<Vec<RecentQuestion>> {
    const SQL: &str = "SELECT event, text FROM recent_questions
                       WHERE owner = $1 ORDER BY event DESC";
    all(conn, SQL, (), |row| Ok(RecentQuestion { event: AuditId(row.get(0)?), text: row.get(1)? }))
}

fn count(row: &StoredRow, column: usize) -> SqlResult<usize> {
    Ok(usize::try_from(row.get::<i64>(column)?).unwrap_or(0))
}

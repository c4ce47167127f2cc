//! Grants, the audit log and settings.

use super::{ListQuery, all, first};
use crate::{enum_codes, json, row};
use model::{AuditEvent, Grant, Listing, Page, Permission};
use rusqlite::Connection;
use serde_json::Value;
use store::AuditQuery;

/// Returns the grants, ordered by agent and resource.
pub(crate) fn grants(conn: &Connection) -> rusqlite::Result<Vec<Grant>> {
    const SQL: &str =
        "SELECT agent, resource, permission, granted_at FROM grants ORDER BY agent, resource";
    all(conn, SQL, [], |row| {
        Ok(Grant {
            agent: row::agent(row, 0)?,
            resource: row.get(1)?,
            permission: row::parse_word(row, 2, Permission::parse)?,
            granted_at: row::moment(row, 3)?,
        })
    })
}

/// Returns a setting of the owner.
pub(crate) fn setting(conn: &Connection, name: &str) -> rusqlite::Result<Option<Value>> {
    Ok(first(conn, "SELECT value FROM settings WHERE name = ?1", [name], |row| {
        json::read_value(row, 0)
    })?
    .flatten())
}

/// Returns a page of the audit events that match, newest first.
pub(crate) fn audit(
    conn: &Connection,
    query: &AuditQuery,
    page: Page,
) -> rusqlite::Result<Listing<AuditEvent>> {
    // `substr` instead of LIKE, so that `%` and `_` in a resource are no wildcards.
    macro_rules! matching {
        () => {
            " FROM audit e CROSS JOIN authors a ON a.id = e.author
             WHERE (?1 IS NULL OR a.agent = ?1) AND (?2 IS NULL OR a.tool = ?2)
             AND (?3 IS NULL OR e.resource = ?3 \
                OR substr(e.resource, 1, length(?3) + 1) = ?3 || '/')
             AND (?4 IS NULL OR e.outcome = ?4) AND (?5 IS NULL OR e.at >= ?5) \
             AND (?6 IS NULL OR e.at < ?6)"
        };
    }
    let list = ListQuery {
        count: concat!("SELECT count(*)", matching!()),
        page: concat!(
            "SELECT e.id, e.seq, e.resource, e.outcome, e.at, e.duration_us, e.arguments, e.note,
                a.agent, a.client, a.dialect, a.tool",
            matching!(),
            " ORDER BY e.at DESC, e.id DESC LIMIT ?7 OFFSET ?8"
        ),
    };
    let agent = query.agent.as_ref().map(|agent| agent.as_str());
    let outcome = query.outcome.map(enum_codes::outcome_code);
    let (from, until) = (query.from.map(|at| at.0), query.until.map(|at| at.0));
    list.read(
        conn,
        &[&agent, &query.tool, &query.resource, &outcome, &from, &until],
        page,
        row::event,
    )
}

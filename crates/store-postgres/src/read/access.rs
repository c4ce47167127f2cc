//! Grants, the audit log and settings.

use super::{PagedQuery, all, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use model::{AuditEvent, Grant, Listing, Page, Permission};
use serde_json::Value;
use store::AuditQuery;
use store::rules::{codes, encoding};

/// Returns the grants, ordered by agent and resource.
pub(crate) fn grants(conn: &OwnerTransaction) -> SqlResult<Vec<Grant>> {
    const SQL: &str = "SELECT agent, resource, permission, granted_at FROM grants
         WHERE owner = $1 ORDER BY agent, resource";
    all(conn, SQL, (), |row| {
        Ok(Grant {
            agent: row::agent(row, 0)?,
            resource: row.get(1)?,
            permission: row::parse_word(row, 2, Permission::parse)?,
            granted_at: row::moment(row, 3)?,
        })
    })
}

/// Returns a setting of the owner.
pub(crate) fn setting(conn: &OwnerTransaction, name: &str) -> SqlResult<Option<Value>> {
    Ok(first(conn, "SELECT value FROM settings WHERE owner = $1 AND name = $2", [name], |row| {
        row.decode(0, encoding::read_value)
    })?
    .flatten())
}

/// Returns a page of the audit events that match, newest first.
pub(crate) fn audit(
    conn: &OwnerTransaction,
    query: &AuditQuery,
    page: Page,
) -> SqlResult<Listing<AuditEvent>> {
    // `substr` instead of LIKE, so that `%` and `_` in a resource are no wildcards.
    macro_rules! matching {
        () => {
            " FROM audit e JOIN authors a ON a.owner = e.owner AND a.id = e.author
             WHERE e.owner = $1 AND a.owner = $1
             AND ($2::text IS NULL OR a.agent = $2) AND ($3::text IS NULL OR a.tool = $3)
             AND ($4::text IS NULL OR e.resource = $4
                OR substr(e.resource, 1, length($4) + 1) = $4 || '/')
             AND ($5::bigint IS NULL OR e.outcome = $5) AND ($6::bigint IS NULL OR e.at >= $6)
             AND ($7::bigint IS NULL OR e.at < $7)"
        };
    }
    let list = PagedQuery {
        count: concat!("SELECT count(*)", matching!()),
        page: concat!(
            "SELECT e.id, e.seq, e.resource, e.outcome, e.at, e.duration_us, e.arguments, e.note,
                a.agent, a.client, a.dialect, a.tool",
            matching!(),
            " ORDER BY e.at DESC, e.id DESC LIMIT $8 OFFSET $9"
        ),
    };
    let agent = query.agent.as_ref().map(|agent| agent.as_str());
    let outcome = query.outcome.map(codes::outcome_code);
    let (from, until) = (query.from.map(|at| at.0), query.until.map(|at| at.0));
    let filters = params![agent, &query.tool, &query.resource, outcome, from, until];
    list.read(conn, filters, page, row::event)
}

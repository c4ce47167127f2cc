//! Handoffs by id and as a listing.

use super::{ListQuery, first};
use crate::{json, row};
use model::{Claim, Handoff, HandoffId, HandoffState, Listing, Page};
use rusqlite::{Connection, Row};
use store::HandoffQuery;
use store::rules::encoding;

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, document, project, cwd, harness, source_ref, tags, state, \
                claim_by, claim_since,
                claim_until, claim_notes, created_by, created_at, updated_at FROM handoffs ",
            $rest
        )
    };
}

/// Returns a handoff by its id.
pub(crate) fn by_id(conn: &Connection, id: HandoffId) -> rusqlite::Result<Option<Handoff>> {
    first(conn, columns!("WHERE id = ?1"), [id.0], handoff_from_row)
}

/// Returns a page of the handoffs that match, newest first.
pub(crate) fn list(
    conn: &Connection,
    query: &HandoffQuery,
    page: Page,
) -> rusqlite::Result<Listing<Handoff>> {
    // No job ends an expired lease; a claimed handoff counts as free once its lease is over.
    macro_rules! matching {
        () => {
            "WHERE (?1 IS NULL OR state IN (SELECT value FROM json_each(?1)))
             AND (?2 IS NULL OR state = 'open' OR (state = 'claimed'
                AND (claim_until <= ?2 OR claim_since > ?2 + 3600000000)))
             AND (?3 IS NULL OR project = ?3) AND (?4 IS NULL OR cwd = ?4 OR cwd = ?4 || '/') \
             AND (?5 IS NULL OR harness = ?5)"
        };
    }
    let list = ListQuery {
        count: concat!("SELECT count(*) FROM handoffs ", matching!()),
        page: concat!(
            columns!(""),
            matching!(),
            " ORDER BY created_at DESC, id DESC LIMIT ?6 OFFSET ?7"
        ),
    };
    let names: Vec<&str> = query.states.iter().map(|state| state.name()).collect();
    let states = (!names.is_empty()).then(|| json::list_text(&names));
    let free_at = query.free_at.map(|at| at.0);
    list.read(
        conn,
        &[&states, &free_at, &query.project, &query.cwd, &query.harness],
        page,
        handoff_from_row,
    )
}

fn handoff_from_row(row: &Row<'_>) -> rusqlite::Result<Handoff> {
    Ok(Handoff {
        id: HandoffId(row.get(0)?),
        title: row.get(1)?,
        document: row.get(2)?,
        project: row.get(3)?,
        cwd: row.get(4)?,
        harness: row.get(5)?,
        source_ref: row.get(6)?,
        tags: json::read_list(row, 7)?,
        state: row::parse_word(row, 8, HandoffState::parse)?,
        claim: claim_from_row(row)?,
        created_by: row::agent(row, 13)?,
        created_at: row::moment(row, 14)?,
        updated_at: row::moment(row, 15)?,
    })
}

fn claim_from_row(row: &Row<'_>) -> rusqlite::Result<Option<Claim>> {
    if row.get_ref(9)?.as_str_or_null()?.is_none() {
        return Ok(None);
    }
    let (since, until) = (row::moment(row, 10)?, row::moment(row, 11)?);
    Ok(Some(Claim {
        by: row::agent(row, 9)?,
        since,
        until,
        notes: json::decode(row, 12, encoding::read_notes)?,
    }))
}

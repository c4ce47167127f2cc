//! Handoffs by id and as a listing.

use super::{PagedQuery, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{Claim, Handoff, HandoffId, HandoffState, Listing, Page};
use store::HandoffQuery;
use store::rules::encoding;

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, document, project, cwd, harness, source_ref, tags, state, \
                claim_by, claim_since,
                claim_until, claim_notes, created_by, created_at, updated_at FROM handoffs
             WHERE owner = $1 ",
            $rest
        )
    };
}

/// Returns a handoff by its id.
pub(crate) fn by_id(conn: &OwnerTransaction, id: HandoffId) -> SqlResult<Option<Handoff>> {
    first(conn, columns!("AND id = $2"), [id.0], handoff_from_row)
}

/// Returns a page of the handoffs that match, newest first.
pub(crate) fn list(
    conn: &OwnerTransaction,
    query: &HandoffQuery,
    page: Page,
) -> SqlResult<Listing<Handoff>> {
    // No job ends an expired lease; a claimed handoff counts as free once its lease is over.
    macro_rules! matching {
        () => {
            " AND ($2::text[] IS NULL OR state = ANY($2))
             AND ($3::bigint IS NULL OR state = 'open' OR (state = 'claimed'
                AND (claim_until <= $3 OR claim_since > $3 + 3600000000)))
             AND ($4::text IS NULL OR project = $4)
             AND ($5::text IS NULL OR cwd = $5 OR cwd = $5 || '/')
             AND ($6::text IS NULL OR harness = $6)"
        };
    }
    let list = PagedQuery {
        count: concat!("SELECT count(*) FROM handoffs WHERE owner = $1", matching!()),
        page: concat!(
            columns!(""),
            matching!(),
            " ORDER BY created_at DESC, id DESC LIMIT $7 OFFSET $8"
        ),
    };
    let names: Vec<String> = query.states.iter().map(|state| state.name().to_owned()).collect();
    let states = (!names.is_empty()).then_some(names);
    let free_at = query.free_at.map(|at| at.0);
    let filters = params![states, free_at, &query.project, &query.cwd, &query.harness];
    list.read(conn, filters, page, handoff_from_row)
}

fn handoff_from_row(row: &StoredRow) -> SqlResult<Handoff> {
    Ok(Handoff {
        id: HandoffId(row.get(0)?),
        title: row.get(1)?,
        document: row.get(2)?,
        project: row.get(3)?,
        cwd: row.get(4)?,
        harness: row.get(5)?,
        source_ref: row.get(6)?,
        tags: row.list(7)?,
        state: row::parse_word(row, 8, HandoffState::parse)?,
        claim: claim_from_row(row)?,
        created_by: row::agent(row, 13)?,
        created_at: row::moment(row, 14)?,
        updated_at: row::moment(row, 15)?,
    })
}

fn claim_from_row(row: &StoredRow) -> SqlResult<Option<Claim>> {
    if row.str_or_null(9)?.is_none() {
        return Ok(None);
    }
    let (since, until) = (row::moment(row, 10)?, row::moment(row, 11)?);
    Ok(Some(Claim {
        by: row::agent(row, 9)?,
        since,
        until,
        notes: row.decode(12, encoding::read_notes)?,
    }))
}

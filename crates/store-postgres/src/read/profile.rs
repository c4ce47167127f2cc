//! The profile and its versions.

use super::{PagedQuery, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{Listing, Page, ProfileVersion, Provenance, Trust};

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT p.version, p.data, p.changed, p.reason, p.origin, p.trust, p.at,
                a.agent, a.client, a.dialect, a.tool
             FROM profile p JOIN authors a ON a.owner = p.owner AND a.id = p.author
             WHERE p.owner = $1 AND a.owner = $1 ORDER BY p.version DESC ",
            $rest
        )
    };
}

/// Returns the newest version.
pub(crate) fn newest(conn: &OwnerTransaction) -> SqlResult<Option<ProfileVersion>> {
    first(conn, columns!("LIMIT 1"), (), version_from_row)
}

/// Returns a page of the versions, newest first.
pub(crate) fn history(conn: &OwnerTransaction, page: Page) -> SqlResult<Listing<ProfileVersion>> {
    let list = PagedQuery {
        count: "SELECT count(*) FROM profile WHERE owner = $1",
        page: columns!(
            "LIMIT
             $2 OFFSET $3"
        ),
    };
    list.read(conn, params![], page, version_from_row)
}

fn version_from_row(row: &StoredRow) -> SqlResult<ProfileVersion> {
    Ok(ProfileVersion {
        version: row.get(0)?,
        data: row.map(1)?,
        changed: row.list(2)?,
        reason: row.get(3)?,
        provenance: Provenance {
            author: row::author(row, 7)?,
            origin: row::origin(row, 4)?,
            trust: Trust(row.get(5)?),
            at: row::moment(row, 6)?,
        },
    })
}

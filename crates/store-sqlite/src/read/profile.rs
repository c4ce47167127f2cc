//! The profile and its versions.

use super::{ListQuery, first};
use crate::{json, row};
use model::{Listing, Page, ProfileVersion, Provenance, Trust};
use rusqlite::{Connection, Row};

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT p.version, p.data, p.changed, p.reason, p.origin, p.trust, p.at,
                a.agent, a.client, a.dialect, a.tool
             FROM profile p JOIN authors a ON a.id = p.author ORDER BY p.version DESC ",
            $rest
        )
    };
}

/// Returns the newest version.
pub(crate) fn newest(conn: &Connection) -> rusqlite::Result<Option<ProfileVersion>> {
    first(conn, columns!("LIMIT 1"), [], version_from_row)
}

/// Returns a page of the versions, newest first.
pub(crate) fn history(conn: &Connection, page: Page) -> rusqlite::Result<Listing<ProfileVersion>> {
    let list =
        ListQuery { count: "SELECT count(*) FROM profile", page: columns!("LIMIT ?1 OFFSET ?2") };
    list.read(conn, &[], page, version_from_row)
}

fn version_from_row(row: &Row<'_>) -> rusqlite::Result<ProfileVersion> {
    Ok(ProfileVersion {
        version: row.get(0)?,
        data: json::read_map(row, 1)?,
        changed: json::read_list(row, 2)?,
        reason: row.get(3)?,
        provenance: Provenance {
            author: row::author(row, 7)?,
            origin: row::origin(row, 4)?,
            trust: Trust(row.get(5)?),
            at: row::moment(row, 6)?,
        },
    })
}

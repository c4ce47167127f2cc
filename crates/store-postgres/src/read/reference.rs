//! Reference documents and their sections.

use super::{PagedQuery, all, page_size};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{ContentHash, Listing, Page, Reference, ReferenceId, Section, SectionHit, Seq};
use store::StoredSection;

/// Returns a page of the documents, ordered by path.
pub(crate) fn list(conn: &OwnerTransaction, page: Page) -> SqlResult<Listing<Reference>> {
    let list = PagedQuery {
        count: "SELECT count(*) FROM documents WHERE owner = $1",
        page: "SELECT id, path, title, hash, sections, updated_at FROM documents
               WHERE owner = $1 ORDER BY path LIMIT $2 OFFSET $3",
    };
    list.read(conn, params![], page, |row| {
        Ok(Reference {
            id: ReferenceId(row.get(0)?),
            path: row.get(1)?,
            title: row.get(2)?,
            hash: ContentHash(row.get(3)?),
            sections: row.get(4)?,
            updated_at: row::moment(row, 5)?,
        })
    })
}

/// Returns the sequence number of the newest change to any document.
pub(crate) fn seq(conn: &OwnerTransaction) -> SqlResult<Seq> {
    const SQL: &str = "SELECT references_seq FROM clocks WHERE owner = $1";
    conn.one(SQL, (), |row| row.get(0).map(Seq))
}

/// Returns sections after a position, ordered by document and ordinal.
pub(crate) fn sections(
    conn: &OwnerTransaction,
    after: Option<(ReferenceId, usize)>,
    limit: usize,
) -> SqlResult<Vec<StoredSection>> {
    const SQL: &str =
        "SELECT s.document, d.path, s.ordinal, s.heading, s.text, o.name, o.dimensions, s.windows
         FROM sections s JOIN documents d ON d.owner = s.owner AND d.id = s.document
         LEFT JOIN models o ON o.owner = $1 AND o.id = s.model
         WHERE s.owner = $1 AND d.owner = $1 AND (s.document, s.ordinal) > ($2, $3)
         ORDER BY s.document, s.ordinal LIMIT $4";
    // Ids begin at 1 and ordinals at 0, so this is before everything.
    let (document, ordinal) = after.map_or((0, -1), |(document, ordinal)| {
        (document.0, i64::try_from(ordinal).unwrap_or(i64::MAX))
    });
    all(conn, SQL, (document, ordinal, page_size(limit)), section_from_row)
}

fn section_from_row(row: &StoredRow) -> SqlResult<StoredSection> {
    let hit = SectionHit {
        reference: ReferenceId(row.get(0)?),
        path: row.get(1)?,
        ordinal: row.get(2)?,
        section: Section { heading: row.list(3)?, text: row.get(4)? },
    };
    Ok(StoredSection { hit, vector: row::vector(row, 5)? })
}

//! Reference documents and their sections.

use super::{ListQuery, all, page_size};
use crate::{json, row};
use model::{ContentHash, Listing, Page, Reference, ReferenceId, Section, SectionHit, Seq};
use rusqlite::{Connection, Row};
use store::StoredSection;

/// Returns a page of the documents, ordered by path.
pub(crate) fn list(conn: &Connection, page: Page) -> rusqlite::Result<Listing<Reference>> {
    let list = ListQuery {
        count: "SELECT count(*) FROM documents",
        page: "SELECT id, path, title, hash, sections, updated_at FROM documents \
               ORDER BY path LIMIT ?1 OFFSET ?2",
    };
    list.read(conn, &[], page, |row| {
        Ok(Reference {
            id: ReferenceId(row.get(0)?),
            path: row.get(1)?,
            title: row.get(2)?,
            hash: ContentHash(row.get(3)?),
            sections: row.get::<_, u32>(4)? as usize,
            updated_at: row::moment(row, 5)?,
        })
    })
}

/// Returns the sequence number of the newest change to any document.
pub(crate) fn seq(conn: &Connection) -> rusqlite::Result<Seq> {
    conn.prepare_cached("SELECT references_seq FROM meta")?.query_one([], |row| row.get(0).map(Seq))
}

/// Returns sections after a position, ordered by document and ordinal.
pub(crate) fn sections(
    conn: &Connection,
    after: Option<(ReferenceId, usize)>,
    limit: usize,
) -> rusqlite::Result<Vec<StoredSection>> {
    const SQL: &str =
        "SELECT s.document, d.path, s.ordinal, s.heading, s.text, o.name, o.dimensions, s.windows
         FROM sections s CROSS JOIN documents d ON d.id = s.document \
         LEFT JOIN models o ON o.id = s.model
         WHERE (s.document, s.ordinal) > (?1, ?2) ORDER BY s.document, s.ordinal LIMIT ?3";
    // Ids begin at 1 and ordinals at 0, so this is before everything.
    let (document, ordinal) = after.map_or((0, -1), |(document, ordinal)| {
        (document.0, i64::try_from(ordinal).unwrap_or(i64::MAX))
    });
    all(conn, SQL, (document, ordinal, page_size(limit)), section_from_row)
}

fn section_from_row(row: &Row<'_>) -> rusqlite::Result<StoredSection> {
    let hit = SectionHit {
        reference: ReferenceId(row.get(0)?),
        path: row.get(1)?,
        ordinal: row.get::<_, u32>(2)? as usize,
        section: Section { heading: json::read_list(row, 3)?, text: row.get(4)? },
    };
    Ok(StoredSection { hit, vector: row::vector(row, 5)? })
}

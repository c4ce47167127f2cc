//! Facts about entities: observations and relations.

use super::{ListQuery, all, first, page_size};
use crate::{json, row};
use model::{EntityId, Listing, MemoryId, Observation, ObservationId, Page, Relation, RelationId};
use rusqlite::{Connection, Row};
use store::AttributedRelation;

macro_rules! relation_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, source, target, kind, weight, confidence, memory, properties, \
             first_seen, last_seen
             FROM relations ",
            $rest
        )
    };
}

/// Returns a page of the observations about an entity, newest first.
pub(crate) fn observations(
    conn: &Connection,
    entity: EntityId,
    page: Page,
) -> rusqlite::Result<Listing<Observation>> {
    let list = ListQuery {
        count: "SELECT count(*) FROM observations WHERE entity = ?1",
        page: "SELECT id, entity, text, memory, at FROM observations WHERE entity = ?1
               ORDER BY at DESC, id DESC LIMIT ?2 OFFSET ?3",
    };
    list.read(conn, &[&entity.0], page, |row| {
        Ok(Observation {
            id: ObservationId(row.get(0)?),
            entity: EntityId(row.get(1)?),
            text: row.get(2)?,
            memory: row.get::<_, Option<i64>>(3)?.map(MemoryId),
            at: row::moment(row, 4)?,
        })
    })
}

/// Returns the relations that start or end at any of these entities.
pub(crate) fn relations(
    conn: &Connection,
    entities: &[EntityId],
) -> rusqlite::Result<Vec<Relation>> {
    const SQL: &str = relation_columns!(
        "WHERE source IN (SELECT value FROM json_each(?1)) \
         OR target IN (SELECT value FROM json_each(?1)) ORDER BY id"
    );
    all(conn, SQL, [json::numbers_text(entities.iter().map(|entity| entity.0))], relation_from_row)
}

/// Returns all relations after an id, each with the memories that state it.
pub(crate) fn relations_after(
    conn: &Connection,
    after: RelationId,
    limit: usize,
) -> rusqlite::Result<Vec<AttributedRelation>> {
    const SQL: &str = relation_columns!("WHERE id > ?1 ORDER BY id LIMIT ?2");
    attributed(conn, all(conn, SQL, (after.0, page_size(limit)), relation_from_row)?)
}

/// Adds to each relation the memories that state it.
pub(crate) fn attributed(
    conn: &Connection,
    relations: Vec<Relation>,
) -> rusqlite::Result<Vec<AttributedRelation>> {
    // A statement per relation: this read serves exports and merges, where there are few and time
    // does not matter.
    const SAID: &str = "SELECT memory FROM relation_memories WHERE relation = ?1 ORDER BY memory";
    const ALONE: &str = "SELECT unattached FROM relations WHERE id = ?1";
    let attributed = |relation: Relation| {
        let stated_in = all(conn, SAID, [relation.id.0], |row| row.get(0).map(MemoryId))?;
        let unattached =
            conn.prepare_cached(ALONE)?.query_one([relation.id.0], |row| row.get(0))?;
        Ok(AttributedRelation { relation, stated_in, unattached })
    };
    relations.into_iter().map(attributed).collect()
}

/// Returns the relation of this kind between two entities.
pub(crate) fn find_relation(
    conn: &Connection,
    source: EntityId,
    target: EntityId,
    kind: &str,
) -> rusqlite::Result<Option<Relation>> {
    const SQL: &str = relation_columns!("WHERE source = ?1 AND target = ?2 AND kind = ?3");
    first(conn, SQL, (source.0, target.0, kind), relation_from_row)
}

fn relation_from_row(row: &Row<'_>) -> rusqlite::Result<Relation> {
    Ok(Relation {
        id: RelationId(row.get(0)?),
        source: EntityId(row.get(1)?),
        target: EntityId(row.get(2)?),
        kind: row.get(3)?,
        weight: row.get(4)?,
        confidence: row.get(5)?,
        memory: row.get::<_, Option<i64>>(6)?.map(MemoryId),
        properties: json::read_map(row, 7)?,
        first_seen: row::moment(row, 8)?,
        last_seen: row::moment(row, 9)?,
    })
}

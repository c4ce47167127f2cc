//! Facts about entities: observations and relations.

use super::{PagedQuery, all, first, page_size};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{EntityId, Listing, MemoryId, Observation, ObservationId, Page, Relation, RelationId};
use store::AttributedRelation;

macro_rules! relation_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, source, target, kind, weight, confidence, memory, properties, \
             first_seen, last_seen
             FROM relations WHERE owner = $1 ",
            $rest
        )
    };
}

/// Returns a page of the observations about an entity, newest first.
pub(crate) fn observations(
    conn: &OwnerTransaction,
    entity: EntityId,
    page: Page,
) -> SqlResult<Listing<Observation>> {
    let list = PagedQuery {
        count: "SELECT count(*) FROM observations WHERE owner = $1 AND entity = $2",
        page: "SELECT id, entity, text, memory, at FROM observations
               WHERE owner = $1 AND entity = $2 ORDER BY at DESC, id DESC LIMIT $3 OFFSET $4",
    };
    list.read(conn, params![entity.0], page, |row| {
        Ok(Observation {
            id: ObservationId(row.get(0)?),
            entity: EntityId(row.get(1)?),
            text: row.get(2)?,
            memory: row.get::<Option<i64>>(3)?.map(MemoryId),
            at: row::moment(row, 4)?,
        })
    })
}

/// Returns the relations that start or end at any of these entities.
pub(crate) fn relations(
    conn: &OwnerTransaction,
    entities: &[EntityId],
) -> SqlResult<Vec<Relation>> {
    const SQL: &str = relation_columns!("AND (source = ANY($2) OR target = ANY($2)) ORDER BY id");
    let ids: Vec<i64> = entities.iter().map(|entity| entity.0).collect();
    all(conn, SQL, params![ids], relation_from_row)
}

/// Returns all relations after an id, each with the memories that state it.
pub(crate) fn relations_after(
    conn: &OwnerTransaction,
    after: RelationId,
    limit: usize,
) -> SqlResult<Vec<AttributedRelation>> {
    const SQL: &str = relation_columns!("AND id > $2 ORDER BY id LIMIT $3");
    attributed(conn, all(conn, SQL, (after.0, page_size(limit)), relation_from_row)?)
}

/// Adds to each relation the memories that state it.
pub(crate) fn attributed(
    conn: &OwnerTransaction,
    relations: Vec<Relation>,
) -> SqlResult<Vec<AttributedRelation>> {
    // A statement per relation: this read serves exports and merges, where there are few and time
    // does not matter.
    const SAID: &str = "SELECT memory FROM relation_memories WHERE owner = $1 AND relation = $2
         ORDER BY memory";
    const ALONE: &str = "SELECT unattached FROM relations WHERE owner = $1 AND id = $2";
    let attributed = |relation: Relation| {
        let stated_in = all(conn, SAID, [relation.id.0], |row| row.get(0).map(MemoryId))?;
        let unattached = conn.one(ALONE, [relation.id.0], |row| row.get(0))?;
        Ok(AttributedRelation { relation, stated_in, unattached })
    };
    relations.into_iter().map(attributed).collect()
}

/// Returns the relation of this kind between two entities.
pub(crate) fn find_relation(
    conn: &OwnerTransaction,
    source: EntityId,
    target: EntityId,
    kind: &str,
) -> SqlResult<Option<Relation>> {
    const SQL: &str = relation_columns!("AND source = $2 AND target = $3 AND kind = $4");
    first(conn, SQL, (source.0, target.0, kind), relation_from_row)
}

fn relation_from_row(row: &StoredRow) -> SqlResult<Relation> {
    Ok(Relation {
        id: RelationId(row.get(0)?),
        source: EntityId(row.get(1)?),
        target: EntityId(row.get(2)?),
        kind: row.get(3)?,
        weight: row.get(4)?,
        confidence: row.get(5)?,
        memory: row.get::<Option<i64>>(6)?.map(MemoryId),
        properties: row.map(7)?,
        first_seen: row::moment(row, 8)?,
        last_seen: row::moment(row, 9)?,
    })
}

//! Entities by id, by name and as a listing, and their mentions in memories.

use super::{PagedQuery, all, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::sql_value::params;
use crate::stored_row::StoredRow;
use model::{Entity, EntityId, Listing, MemoryId, Mention, Page};
use std::ops::Range;
use store::rules::{codes, fold_name};
use store::{EntityCard, EntityQuery};

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT e.id, e.kind, e.name, e.properties, e.confidence, e.first_seen, e.last_seen,
                (SELECT count(*) FROM mentions WHERE owner = $1 AND entity = e.id) AS mentioned,
                (SELECT array_agg(DISTINCT name ORDER BY name) FROM aliases
                    WHERE owner = $1 AND entity = e.id)
             FROM entities e WHERE e.owner = $1 ",
            $rest
        )
    };
}

/// Returns an entity by its id.
pub(crate) fn by_id(conn: &OwnerTransaction, id: EntityId) -> SqlResult<Option<Entity>> {
    first(conn, columns!("AND e.id = $2"), [id.0], entity_from_row)
}

/// Returns entities in the given order, without those that do not exist.
pub(crate) fn by_ids(conn: &OwnerTransaction, ids: &[EntityId]) -> SqlResult<Vec<Entity>> {
    ids.iter().filter_map(|id| by_id(conn, *id).transpose()).collect()
}

/// Returns the entity of a folded name or alias; of several kinds, the one with the most mentions.
pub(crate) fn by_name(conn: &OwnerTransaction, folded: &str) -> SqlResult<Option<Entity>> {
    const SQL: &str = columns!(
        "AND e.id IN (SELECT id FROM entities WHERE owner = $1 AND folded = $2
            UNION SELECT entity FROM aliases WHERE owner = $1 AND folded = $2)
         ORDER BY mentioned DESC, e.id LIMIT 1"
    );
    first(conn, SQL, [folded], entity_from_row)
}

/// Returns the entity of this kind and folded name, or the one that had them before.
pub(crate) fn by_name_and_kind(
    conn: &OwnerTransaction,
    folded: &str,
    kind: &str,
) -> SqlResult<Option<Entity>> {
    const SQL: &str = columns!(
        "AND e.id = coalesce(
            (SELECT id FROM entities WHERE owner = $1 AND folded = $2 AND kind = $3),
            (SELECT min(entity) FROM aliases WHERE owner = $1 AND folded = $2 AND kind = $3))"
    );
    first(conn, SQL, [folded, kind], entity_from_row)
}

/// Returns the people with a folded name or alias within a range.
pub(crate) fn people_in_range(
    conn: &OwnerTransaction,
    names: &Range<String>,
) -> SqlResult<Vec<Entity>> {
    const SQL: &str = columns!(
        "AND e.kind = 'person' AND e.id IN
            (SELECT id FROM entities WHERE owner = $1 AND folded >= $2 AND folded < $3
             UNION SELECT entity FROM aliases WHERE owner = $1 AND folded >= $2 AND folded < $3)
         ORDER BY e.id LIMIT 8"
    );
    all(conn, SQL, [&names.start, &names.end], entity_from_row)
}

/// Returns a page of the entities that match, those with the most mentions first.
pub(crate) fn list(
    conn: &OwnerTransaction,
    query: &EntityQuery,
    page: Page,
) -> SqlResult<Listing<Entity>> {
    // `position` instead of LIKE, so that `%` and `_` in a name are no wildcards.
    macro_rules! matching {
        () => {
            " AND ($2::text IS NULL OR position($2 in e.folded) > 0 OR EXISTS
                (SELECT 1 FROM aliases a
                 WHERE a.owner = $1 AND a.entity = e.id AND position($2 in a.folded) > 0))
             AND ($3::text IS NULL OR e.kind = $3)"
        };
    }
    let list = PagedQuery {
        count: concat!("SELECT count(*) FROM entities e WHERE e.owner = $1", matching!()),
        page: concat!(
            columns!(""),
            matching!(),
            " ORDER BY mentioned DESC, e.id LIMIT $4 OFFSET $5"
        ),
    };
    let filters = params![query.name.as_deref().map(fold_name), &query.kind];
    list.read(conn, filters, page, entity_from_row)
}

/// Returns the names and valid observations of the entities after an id.
pub(crate) fn cards(
    conn: &OwnerTransaction,
    after: EntityId,
    limit: usize,
) -> SqlResult<Vec<EntityCard>> {
    // An observation is valid while its memory is active, or without a memory.
    const SQL: &str = "SELECT e.id, e.name,
            (SELECT array_agg(DISTINCT name ORDER BY name) FROM aliases
                WHERE owner = $1 AND entity = e.id),
            (SELECT array_agg(text ORDER BY id DESC) FROM
                (SELECT o.id, o.text FROM observations o
                    LEFT JOIN memories m ON m.owner = $1 AND m.id = o.memory
                 WHERE o.owner = $1 AND o.entity = e.id AND (o.memory IS NULL OR m.status = $4)
                 ORDER BY o.id DESC LIMIT 8) newest)
         FROM entities e WHERE e.owner = $1 AND e.id > $2 ORDER BY e.id LIMIT $3";
    all(conn, SQL, (after.0, limit as i64, codes::ACTIVE), |row| {
        let mut names = vec![row.get(1)?];
        names.extend(row.get::<Vec<String>>(2)?);
        Ok(EntityCard { entity: EntityId(row.get(0)?), names, observations: row.get(3)? })
    })
}

/// Returns the mentions of entities in a memory.
pub(crate) fn mentions(conn: &OwnerTransaction, memory: MemoryId) -> SqlResult<Vec<Mention>> {
    const SQL: &str = "SELECT memory, entity, kind, name, source, path FROM mentions
         WHERE owner = $1 AND memory = $2 ORDER BY entity";
    all(conn, SQL, [memory.0], |row| {
        Ok(Mention {
            memory: MemoryId(row.get(0)?),
            entity: EntityId(row.get(1)?),
            kind: row.get(2)?,
            name: row.get(3)?,
            source: row.get(4)?,
            path: row.get(5)?,
        })
    })
}

/// Returns a page of the memories that mention an entity, newest first.
pub(crate) fn mentioned_in(
    conn: &OwnerTransaction,
    entity: EntityId,
    page: Page,
) -> SqlResult<Listing<MemoryId>> {
    let list = PagedQuery {
        count: "SELECT count(*) FROM mentions WHERE owner = $1 AND entity = $2",
        page: "SELECT m.id FROM mentions n
               JOIN memories m ON m.owner = n.owner AND m.id = n.memory
               WHERE n.owner = $1 AND m.owner = $1 AND n.entity = $2
               ORDER BY m.created_at DESC, m.id DESC LIMIT $3 OFFSET $4",
    };
    list.read(conn, params![entity.0], page, |row| row.get(0).map(MemoryId))
}

fn entity_from_row(row: &StoredRow) -> SqlResult<Entity> {
    Ok(Entity {
        id: EntityId(row.get(0)?),
        kind: row.get(1)?,
        name: row.get(2)?,
        properties: row.map(3)?,
        confidence: row.get(4)?,
        first_seen: row::moment(row, 5)?,
        last_seen: row::moment(row, 6)?,
        mentions: row.get(7)?,
        aliases: row.get(8)?,
    })
}

//! Entities by id, by name and as a listing, and their mentions in memories.

use super::{ListQuery, all, first};
use crate::{enum_codes, fold_name, json, row};
use model::{Entity, EntityId, Listing, MemoryId, Mention, Page};
use rusqlite::{Connection, Row};
use std::ops::Range;
use store::{EntityCard, EntityQuery};

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT e.id, e.kind, e.name, e.properties, e.confidence, e.first_seen, e.last_seen,
                (SELECT count(*) FROM mentions WHERE entity = e.id) AS mentioned,
                (SELECT json_group_array(name) FROM
                    (SELECT DISTINCT name FROM aliases WHERE entity = e.id ORDER BY name))
             FROM entities e ",
            $rest
        )
    };
}

/// Returns an entity by its id.
pub(crate) fn by_id(conn: &Connection, id: EntityId) -> rusqlite::Result<Option<Entity>> {
    first(conn, columns!("WHERE e.id = ?1"), [id.0], entity_from_row)
}

/// Returns entities in the given order, without those that do not exist.
pub(crate) fn by_ids(conn: &Connection, ids: &[EntityId]) -> rusqlite::Result<Vec<Entity>> {
    ids.iter().filter_map(|id| by_id(conn, *id).transpose()).collect()
}

/// Returns the entity of a folded name or alias; of several kinds, the one with the most mentions.
pub(crate) fn by_name(conn: &Connection, folded: &str) -> rusqlite::Result<Option<Entity>> {
    const SQL: &str = columns!(
        "WHERE e.id IN (SELECT id FROM entities WHERE folded = ?1 \
            UNION SELECT entity FROM aliases WHERE folded = ?1)
         ORDER BY mentioned DESC, e.id LIMIT 1"
    );
    first(conn, SQL, [folded], entity_from_row)
}

/// Returns the entity of this kind and folded name, or the one that had them before.
pub(crate) fn by_name_and_kind(
    conn: &Connection,
    folded: &str,
    kind: &str,
) -> rusqlite::Result<Option<Entity>> {
    const SQL: &str = columns!(
        "WHERE e.id = coalesce((SELECT id FROM entities WHERE folded = ?1 AND kind = ?2),
                               (SELECT min(entity) FROM aliases WHERE folded = ?1 AND kind = ?2))"
    );
    first(conn, SQL, [folded, kind], entity_from_row)
}

/// Returns the people with a folded name or alias within a range.
pub(crate) fn people_in_range(
    conn: &Connection,
    names: &Range<String>,
) -> rusqlite::Result<Vec<Entity>> {
    const SQL: &str = columns!(
        "WHERE e.kind = 'person' AND e.id IN
            (SELECT id FROM entities WHERE folded >= ?1 AND folded < ?2
             UNION SELECT entity FROM aliases WHERE folded >= ?1 AND folded < ?2)
         ORDER BY e.id LIMIT 8"
    );
    all(conn, SQL, [&names.start, &names.end], entity_from_row)
}

/// Returns a page of the entities that match, those with the most mentions first.
pub(crate) fn list(
    conn: &Connection,
    query: &EntityQuery,
    page: Page,
) -> rusqlite::Result<Listing<Entity>> {
    // `instr` instead of LIKE, so that `%` and `_` in a name are no wildcards.
    macro_rules! matching {
        () => {
            "WHERE (?1 IS NULL OR instr(e.folded, ?1) > 0 OR EXISTS
                (SELECT 1 FROM aliases a WHERE a.entity = e.id AND instr(a.folded, ?1) > 0))
             AND (?2 IS NULL OR e.kind = ?2)"
        };
    }
    let list = ListQuery {
        count: concat!("SELECT count(*) FROM entities e ", matching!()),
        page: concat!(
            columns!(""),
            matching!(),
            " ORDER BY mentioned DESC, e.id LIMIT ?3 OFFSET ?4"
        ),
    };
    list.read(conn, &[&query.name.as_deref().map(fold_name), &query.kind], page, entity_from_row)
}

/// Returns the names and valid observations of the entities after an id.
pub(crate) fn cards(
    conn: &Connection,
    after: EntityId,
    limit: usize,
) -> rusqlite::Result<Vec<EntityCard>> {
    // An observation is valid while its memory is active, or without a memory.
    const SQL: &str = "SELECT e.id, e.name,
            (SELECT json_group_array(name) FROM
                (SELECT DISTINCT name FROM aliases WHERE entity = e.id ORDER BY name)),
            (SELECT json_group_array(text) FROM
                (SELECT o.text FROM observations o LEFT JOIN memories m ON m.id = o.memory
                 WHERE o.entity = e.id AND (o.memory IS NULL OR m.status = ?3) \
                 ORDER BY o.id DESC LIMIT 8))
         FROM entities e WHERE e.id > ?1 ORDER BY e.id LIMIT ?2";
    all(conn, SQL, (after.0, limit as i64, enum_codes::ACTIVE), |row| {
        let mut names = vec![row.get(1)?];
        names.extend(json::read_list(row, 2)?);
        Ok(EntityCard {
            entity: EntityId(row.get(0)?),
            names,
            observations: json::read_list(row, 3)?,
        })
    })
}

/// Returns the mentions of entities in a memory.
pub(crate) fn mentions(conn: &Connection, memory: MemoryId) -> rusqlite::Result<Vec<Mention>> {
    const SQL: &str = "SELECT memory, entity, kind, name, source, path FROM mentions \
        WHERE memory = ?1 ORDER BY entity";
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
    conn: &Connection,
    entity: EntityId,
    page: Page,
) -> rusqlite::Result<Listing<MemoryId>> {
    let list = ListQuery {
        count: "SELECT count(*) FROM mentions WHERE entity = ?1",
        page: "SELECT m.id FROM mentions n JOIN memories m ON m.id = n.memory WHERE n.entity = ?1
               ORDER BY m.created_at DESC, m.id DESC LIMIT ?2 OFFSET ?3",
    };
    list.read(conn, &[&entity.0], page, |row| row.get(0).map(MemoryId))
}

fn entity_from_row(row: &Row<'_>) -> rusqlite::Result<Entity> {
    Ok(Entity {
        id: EntityId(row.get(0)?),
        kind: row.get(1)?,
        name: row.get(2)?,
        properties: json::read_map(row, 3)?,
        confidence: row.get(4)?,
        first_seen: row::moment(row, 5)?,
        last_seen: row::moment(row, 6)?,
        mentions: row.get(7)?,
        aliases: json::read_list(row, 8)?,
    })
}

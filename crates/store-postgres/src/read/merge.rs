//! Merges of entities that can be undone, and all that is stored about one entity.

use super::{all, entity, fact, first};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use crate::stored_row::StoredRow;
use model::{EntityId, MemoryId, Mention, Observation, ObservationId};
use store::EntityMerge;
use store::rules::merges::{EntityFacts, MergeState};

/// Returns everything that is stored about an entity.
pub(crate) fn facts(conn: &OwnerTransaction, id: EntityId) -> SqlResult<Option<EntityFacts>> {
    const ALIASES: &str =
        "SELECT name, kind FROM aliases WHERE owner = $1 AND entity = $2 ORDER BY folded, kind";
    const MENTIONS: &str = "SELECT memory, entity, kind, name, source, path FROM mentions
         WHERE owner = $1 AND entity = $2 ORDER BY memory";
    const OBSERVATIONS: &str = "SELECT id, entity, text, memory, at FROM observations
         WHERE owner = $1 AND entity = $2 ORDER BY id";
    let Some(entity) = entity::by_id(conn, id)? else { return Ok(None) };
    Ok(Some(EntityFacts {
        entity,
        aliases: all(conn, ALIASES, [id.0], |row| Ok((row.get(0)?, row.get(1)?)))?,
        mentions: all(conn, MENTIONS, [id.0], mention)?,
        observations: all(conn, OBSERVATIONS, [id.0], observation)?,
        relations: fact::attributed(conn, fact::relations(conn, &[id])?)?,
    }))
}

fn mention(row: &StoredRow) -> SqlResult<Mention> {
    Ok(Mention {
        memory: MemoryId(row.get(0)?),
        entity: EntityId(row.get(1)?),
        kind: row.get(2)?,
        name: row.get(3)?,
        source: row.get(4)?,
        path: row.get(5)?,
    })
}

fn observation(row: &StoredRow) -> SqlResult<Observation> {
    Ok(Observation {
        id: ObservationId(row.get(0)?),
        entity: EntityId(row.get(1)?),
        text: row.get(2)?,
        memory: row.get::<Option<i64>>(3)?.map(MemoryId),
        at: row::moment(row, 4)?,
    })
}

/// Returns the merges into an entity that can be undone, newest first.
pub(crate) fn into_entity(conn: &OwnerTransaction, into: EntityId) -> SqlResult<Vec<EntityMerge>> {
    const SQL: &str =
        "SELECT entity, kind, name, at FROM merges WHERE owner = $1 AND into_entity = $2
         ORDER BY number DESC";
    all(conn, SQL, [into.0], |row| {
        Ok(EntityMerge {
            entity: EntityId(row.get(0)?),
            kind: row.get(1)?,
            name: row.get(2)?,
            at: row::moment(row, 3)?,
        })
    })
}

/// Returns the state before a merge, by the entity that it removed.
pub(crate) fn state(conn: &OwnerTransaction, id: EntityId) -> SqlResult<Option<MergeState>> {
    const SQL: &str = "SELECT state FROM merges WHERE owner = $1 AND entity = $2";
    first(conn, SQL, [id.0], |row| row.decode(0, MergeState::decode))
}

/// Returns the states before all merges.
pub(crate) fn states(conn: &OwnerTransaction) -> SqlResult<Vec<MergeState>> {
    const SQL: &str = "SELECT state FROM merges WHERE owner = $1 ORDER BY number";
    all(conn, SQL, (), |row| row.decode(0, MergeState::decode))
}

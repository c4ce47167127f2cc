//! Conversion of the graph: entities, what agents observed about them, and relations.

use super::{CodeMemoryTables, moment, number, text};
use crate::transfer::TransferItem;
use engine::{AttributedRelation, ImportedItem};
use model::{
    Entity, EntityId, JsonMap, MemoryId, Observation, ObservationId, Provenance, Relation,
    RelationId,
};

/// Type of the entities that stand for memories in the later version.
const MEMORY_NODE: &str = "memory";

/// The converted graph.
pub(super) struct CodeMemoryGraph {
    pub entities: Vec<TransferItem>,
    /// Observations and relations, which refer to memories.
    pub statements: Vec<TransferItem>,
}

/// Returns true if an observation of the later version is a memory.
pub(super) fn is_memory_node(file: &CodeMemoryTables, observation: &JsonMap) -> bool {
    let id = number(observation, "entity_id");
    let mut entities = file.rows("entities").iter();
    let entity = entities.find(|entity| number(entity, "id") == id);
    // An observation without an entity has its text all the same.
    entity.is_none_or(|entity| text(entity, "entity_type") == Some(MEMORY_NODE))
}

/// Converts the graph.
pub(super) fn items(file: &CodeMemoryTables, from: &Provenance) -> CodeMemoryGraph {
    let later = file.is_later_version();
    let name = |earlier: &'static str, later_name: &'static str| {
        if later { later_name } else { earlier }
    };
    let nodes = file.rows(name("graph_entities", "entities")).iter();
    let entities = nodes
        .filter(|row| text(row, "entity_type") != Some(MEMORY_NODE))
        .filter_map(|row| entity(row, from))
        .map(|entity| ImportedItem::Entity(entity).into());
    let notes = file.rows(name("graph_observations", "observations")).iter();
    let observations = notes
        .filter(|row| !later || !is_memory_node(file, row))
        .filter_map(|row| observation(row, from))
        .map(|said| ImportedItem::Observation(said).into());
    let edges = file.rows(name("graph_relations", "relations")).iter();
    // Edges from the nodes of memories say what a text mentions, which is read from the text.
    let relations = edges
        .filter(|row| text(row, "relation_type") != Some("mentions"))
        .filter_map(|row| relation(row, from))
        .map(|relation| ImportedItem::Relation(Box::new(relation)).into());
    CodeMemoryGraph {
        entities: entities.collect(),
        statements: observations.chain(relations).collect(),
    }
}

fn entity(row: &JsonMap, from: &Provenance) -> Option<Entity> {
    let at = moment(row, from);
    Some(Entity {
        id: EntityId(number(row, "id")?),
        kind: text(row, "entity_type").unwrap_or("entity").to_owned(),
        name: text(row, "name")?.to_owned(),
        aliases: Vec::new(),
        properties: JsonMap::new(),
        confidence: 1.0,
        mentions: 0,
        first_seen: at,
        last_seen: at,
    })
}

fn observation(row: &JsonMap, from: &Provenance) -> Option<Observation> {
    Some(Observation {
        id: ObservationId(0),
        entity: EntityId(number(row, "entity_id")?),
        text: text(row, "content")?.to_owned(),
        memory: number(row, "memory_id").map(MemoryId),
        at: moment(row, from),
    })
}

fn relation(row: &JsonMap, from: &Provenance) -> Option<AttributedRelation> {
    let at = moment(row, from);
    let relation = Relation {
        id: RelationId(0),
        source: EntityId(number(row, "source_id")?),
        target: EntityId(number(row, "target_id")?),
        kind: engine::canonical_relation(text(row, "relation_type")?),
        weight: 1.0,
        confidence: 1.0,
        memory: None,
        properties: JsonMap::new(),
        first_seen: at,
        last_seen: at,
    };
    Some(AttributedRelation { relation, stated_in: Vec::new(), unattached: true })
}

//! Conversion of the graph of an Epitome export into entities and relations.

use super::{is_deleted, moment, object, text, unit_interval};
use crate::transfer::TransferItem;
use engine::{AttributedRelation, ImportedItem};
use model::{Entity, EntityId, Provenance, Relation, RelationId};
use serde_json::Value;

/// Name of the owner in Quipu's graph.
const OWNER: &str = "me";
/// Maximum weight of a relation in Quipu.
const WEIGHT_MAX: f64 = 10.0;

/// The converted graph.
pub(super) struct EpitomeGraph {
    pub entities: Vec<TransferItem>,
    pub relations: Vec<TransferItem>,
}

/// Converts the graph.
pub(super) fn items(graph: &Value, from: &Provenance) -> EpitomeGraph {
    let list = |name: &str| graph.get(name).and_then(Value::as_array).into_iter().flatten();
    let entities =
        list("entities").filter(|value| !is_deleted(value)).filter_map(|value| entity(value, from));
    let edges =
        list("edges").filter(|value| !is_deleted(value)).filter_map(|value| relation(value, from));
    let mut entities: Vec<Entity> = entities.collect();
    entities.sort_by_key(|entity| entity.id);
    EpitomeGraph {
        entities: entities.into_iter().map(|entity| ImportedItem::Entity(entity).into()).collect(),
        relations: edges.map(|edge| ImportedItem::Relation(Box::new(edge)).into()).collect(),
    }
}

fn entity(value: &Value, from: &Provenance) -> Option<Entity> {
    let properties = object(value, "properties");
    let is_owner = properties.get("is_owner") == Some(&Value::Bool(true));
    let name = text(value, "name")?;
    let aliases = properties.get("aliases").and_then(Value::as_array).into_iter().flatten();
    let also = aliases.filter_map(Value::as_str).chain(is_owner.then_some(name));
    let last_seen = moment(value, "last_seen", "lastSeen").unwrap_or(from.at);
    Some(Entity {
        id: EntityId(value.get("id")?.as_i64()?),
        kind: text(value, "type").unwrap_or("entity").to_owned(),
        name: if is_owner { OWNER } else { name }.to_owned(),
        aliases: also.map(str::to_owned).collect(),
        confidence: unit_interval(value, "confidence", 0.5),
        mentions: 0,
        first_seen: moment(value, "first_seen", "firstSeen").unwrap_or(last_seen),
        last_seen,
        properties,
    })
}

fn relation(value: &Value, from: &Provenance) -> Option<AttributedRelation> {
    let number = |snake: &str, camel: &str| value.get(snake).or_else(|| value.get(camel))?.as_i64();
    let weight = value
        .get("weight")
        .and_then(|weight| weight.as_f64().or_else(|| weight.as_str()?.parse().ok()));
    let last_seen = moment(value, "last_seen", "lastSeen").unwrap_or(from.at);
    let relation = Relation {
        id: RelationId(0),
        source: EntityId(number("source_id", "sourceId")?),
        target: EntityId(number("target_id", "targetId")?),
        kind: engine::canonical_relation(text(value, "relation")?),
        weight: weight.unwrap_or(1.0).clamp(0.0, WEIGHT_MAX) as f32,
        confidence: unit_interval(value, "confidence", 0.5),
        memory: None,
        properties: object(value, "properties"),
        first_seen: moment(value, "first_seen", "firstSeen").unwrap_or(last_seen),
        last_seen,
    };
    Some(AttributedRelation { relation, stated_in: Vec::new(), unattached: true })
}

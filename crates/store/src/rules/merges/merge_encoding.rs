//! Text form of the state before a merge, as JSON. Stored, so its names and order stay as they are.

use super::{EntityFacts, MergeState};
use crate::AttributedRelation;
use crate::rules::encoding::read_value;
use model::{
    Entity, EntityId, JsonMap, MemoryId, Mention, Moment, Observation, ObservationId, Relation,
    RelationId,
};
use serde_json::{Value, json};

impl MergeState {
    /// Encodes the state for a column.
    #[must_use]
    pub fn encode(&self) -> String {
        json!({ "from": encode_facts(&self.from), "into": encode_facts(&self.into) }).to_string()
    }

    /// Decodes what [`MergeState::encode`] returned.
    ///
    /// # Errors
    /// Fails when the text is damaged.
    pub fn decode(text: Option<&str>) -> Result<Self, String> {
        let value = read_value(text)?.unwrap_or_default();
        let facts = |name| decode_facts(&value[name]).ok_or_else(|| format!("no facts of {name}"));
        Ok(Self { from: facts("from")?, into: facts("into")? })
    }
}

fn encode_facts(facts: &EntityFacts) -> Value {
    let Entity { id, kind, name, properties, confidence, first_seen, last_seen, .. } =
        &facts.entity;
    let aliases = facts.aliases.iter().map(|(name, kind)| json!([name, kind]));
    let mentions = facts
        .mentions
        .iter()
        .map(|one| json!([one.memory.0, one.kind, one.name, one.source, one.path]));
    let observations = facts
        .observations
        .iter()
        .map(|one| json!([one.id.0, one.text, one.memory.map(|id| id.0), one.at.0]));
    json!({
        "entity": [id.0, kind, name, properties, confidence, first_seen.0, last_seen.0],
        "aliases": aliases.collect::<Value>(),
        "mentions": mentions.collect::<Value>(),
        "observations": observations.collect::<Value>(),
        "relations": facts.relations.iter().map(encode_relation).collect::<Value>(),
    })
}

fn encode_relation(one: &AttributedRelation) -> Value {
    let relation = &one.relation;
    json!([
        relation.id.0,
        relation.source.0,
        relation.target.0,
        relation.kind,
        relation.weight,
        relation.confidence,
        relation.memory.map(|id| id.0),
        relation.properties,
        relation.first_seen.0,
        relation.last_seen.0,
        one.stated_in.iter().map(|id| id.0).collect::<Vec<_>>(),
        one.unattached,
    ])
}

fn decode_facts(value: &Value) -> Option<EntityFacts> {
    let entity = decode_entity(&value["entity"])?;
    let rows = |name: &str| value[name].as_array();
    let alias = |row: &Value| Some((text(&row[0])?, text(&row[1])?));
    let mention = |row: &Value| {
        Some(Mention {
            memory: MemoryId(row[0].as_i64()?),
            entity: entity.id,
            kind: text(&row[1])?,
            name: text(&row[2])?,
            source: text(&row[3])?,
            path: text(&row[4]),
        })
    };
    let observation = |row: &Value| {
        Some(Observation {
            id: ObservationId(row[0].as_i64()?),
            entity: entity.id,
            text: text(&row[1])?,
            memory: row[2].as_i64().map(MemoryId),
            at: Moment(row[3].as_i64()?),
        })
    };
    Some(EntityFacts {
        aliases: rows("aliases")?.iter().map(alias).collect::<Option<_>>()?,
        mentions: rows("mentions")?.iter().map(mention).collect::<Option<_>>()?,
        observations: rows("observations")?.iter().map(observation).collect::<Option<_>>()?,
        relations: rows("relations")?.iter().map(decode_relation).collect::<Option<_>>()?,
        entity,
    })
}

/// Decodes the fields of an entity; its names and mentions are lists of their own.
fn decode_entity(row: &Value) -> Option<Entity> {
    Some(Entity {
        id: EntityId(row[0].as_i64()?),
        kind: text(&row[1])?,
        name: text(&row[2])?,
        aliases: Vec::new(),
        properties: map(&row[3])?,
        confidence: number(&row[4])?,
        mentions: 0,
        first_seen: Moment(row[5].as_i64()?),
        last_seen: Moment(row[6].as_i64()?),
    })
}

fn decode_relation(row: &Value) -> Option<AttributedRelation> {
    let stated_in = row[10].as_array()?.iter().filter_map(Value::as_i64).map(MemoryId).collect();
    let relation = Relation {
        id: RelationId(row[0].as_i64()?),
        source: EntityId(row[1].as_i64()?),
        target: EntityId(row[2].as_i64()?),
        kind: text(&row[3])?,
        weight: number(&row[4])?,
        confidence: number(&row[5])?,
        memory: row[6].as_i64().map(MemoryId),
        properties: map(&row[7])?,
        first_seen: Moment(row[8].as_i64()?),
        last_seen: Moment(row[9].as_i64()?),
    };
    Some(AttributedRelation { relation, stated_in, unattached: row[11].as_bool()? })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn map(value: &Value) -> Option<JsonMap> {
    value.as_object().cloned()
}

fn number(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32)
}

//! Relations stated in a memory, written to the graph in the same batch. The owner, the people and
//! the things named become entities, and each relation refers to the memory that states it. When
//! that memory is corrected, retired or forgotten, the relation is no longer current.

use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{Entity, EntityId, Failure, JsonMap, MemoryId, NewEntity, Page, limits};
use reading::{RelationStatement, RelationSubject};
use serde_json::Value;
use std::collections::HashMap;
use store::{Change, EntityEdit, EntityQuery, NewMention, NewRelation, Ref};

// Stored as the name of an entity and must not change.
pub(crate) const OWNER: &str = "me";
// Lower than what a caller states outright: pattern matching in a text is often wrong.
const CONFIDENCE: f32 = 0.6;
/// Unspecific kinds, which a more specific one may replace.
pub(crate) const VAGUE: [&str; 3] = ["name", "entity", "topic"];
// Stored with each mention and must not change.
pub(crate) const SOURCE: &str = "statement";

/// Adds the relations stated in the memory at `index` to the batch.
pub async fn plan_relations(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    index: usize,
    statements: &[RelationStatement],
) -> Result<(), Failure> {
    let mut known = EntityLookup::default();
    for statement in statements {
        let source = known.party(call, plan, &statement.subject).await?;
        let target = known.entity(call, plan, &statement.object, statement.kind).await?;
        // A statement about oneself is no relation between two entities.
        if source == target {
            continue;
        }
        plan.push(mention(index, target, &statement.object, statement.kind.unwrap_or("topic")));
        if let Some(name) = statement.subject.name() {
            plan.push(mention(index, source, name, statement.subject.kind()));
        }
        plan.push(Change::Relate(Box::new(NewRelation {
            source,
            target,
            kind: statement.relation.clone(),
            weight: 1.0,
            confidence: CONFIDENCE,
            memory: Some(Ref::<MemoryId>::ResultOf(index)),
            properties: media_properties(statement),
        })));
    }
    Ok(())
}

/// Returns the use of media as a property of its own name, so that a book that was read and whose
/// film was watched has both.
fn media_properties(statement: &RelationStatement) -> JsonMap {
    let field = statement.media_use.map(|name| (name.to_owned(), Value::from(true)));
    field.into_iter().collect()
}

fn mention(index: usize, entity: Ref<EntityId>, name: &str, kind: &str) -> Change {
    Change::Mention(NewMention {
        memory: Ref::ResultOf(index),
        entity,
        kind: kind.to_owned(),
        name: name.to_owned(),
        source: SOURCE.to_owned(),
        path: None,
    })
}

/// Returns the relations stated in a row.
pub(crate) fn relations_in_row(table: &str, data: &JsonMap) -> Vec<RelationStatement> {
    let texts: Vec<(&str, String)> = data
        .iter()
        .flat_map(|(name, value)| {
            texts_in(value).into_iter().map(move |text| (name.as_str(), text))
        })
        .collect();
    let fields: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    reading::relations_in_row(table, &fields)
}

fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

/// Entities that this batch has created or found.
#[derive(Default)]
struct EntityLookup {
    by_name: HashMap<String, Ref<EntityId>>,
}

impl EntityLookup {
    async fn party(
        &mut self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
        party: &RelationSubject,
    ) -> Result<Ref<EntityId>, Failure> {
        match party {
            RelationSubject::Named(name) | RelationSubject::Thing(name) => {
                self.entity(call, plan, name, Some(party.kind())).await
            }
            RelationSubject::Owner => {
                Ok(*self.by_name.entry(OWNER.to_owned()).or_insert_with(|| {
                    let properties = JsonMap::from_iter([("is_owner".to_owned(), true.into())]);
                    let name = OWNER.to_owned();
                    let owner = NewEntity {
                        kind: Some("person".to_owned()),
                        name,
                        properties,
                        confidence: 1.0,
                    };
                    Ref::ResultOf(plan.push(Change::PutEntity(owner)))
                }))
            }
        }
    }

    /// Returns the entity of a name. An unspecific kind is refined; an entity of another kind is
    /// another entity.
    async fn entity(
        &mut self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
        name: &str,
        kind: Option<&str>,
    ) -> Result<Ref<EntityId>, Failure> {
        let key = name.to_lowercase();
        if let Some(known) = self.by_name.get(&key) {
            return Ok(*known);
        }
        let existing = call.store().entity_by_name(name).await?;
        let entity = match existing {
            Some(existing) if may_be_of_kind(&existing, kind) => {
                let stated = kind.filter(|kind| !VAGUE.contains(kind));
                refine_kind(call, plan, &existing, stated).await?
            }
            _ => {
                let kind = Some(kind.unwrap_or("topic").to_owned());
                let name = name.to_owned();
                let new =
                    NewEntity { kind, name, properties: JsonMap::new(), confidence: CONFIDENCE };
                Ref::ResultOf(plan.push(Change::PutEntity(new)))
            }
        };
        self.by_name.insert(key, entity);
        Ok(entity)
    }
}

fn may_be_of_kind(entity: &Entity, kind: Option<&str>) -> bool {
    let says_nothing = kind.is_none_or(|kind| kind == entity.kind || VAGUE.contains(&kind));
    says_nothing || VAGUE.contains(&entity.kind.as_str())
}

/// Gives an entity a more specific kind and returns it. If another entity of that kind has the name
/// already, that one is returned.
pub(crate) async fn refine_kind(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    known: &Entity,
    kind: Option<&str>,
) -> Result<Ref<EntityId>, Failure> {
    let Some(kind) = kind.filter(|kind| *kind != known.kind) else { return Ok(Ref::Id(known.id)) };
    let query = EntityQuery { name: Some(known.name.clone()), kind: Some(kind.to_owned()) };
    let page = Page::first(limits::PAGE_ITEMS);
    let alike = call.store().list_entities(&query, page).await?;
    let named = |entity: &&Entity| {
        let mut names = std::iter::once(&entity.name).chain(&entity.aliases);
        names.any(|name| name.to_lowercase() == known.name.to_lowercase())
    };
    if let Some(meant) = alike.items.iter().find(named) {
        return Ok(Ref::Id(meant.id));
    }
    let edit = EntityEdit { kind: Some(kind.to_owned()), ..EntityEdit::default() };
    plan.push(Change::EditEntity { entity: known.id, edit });
    Ok(Ref::Id(known.id))
}

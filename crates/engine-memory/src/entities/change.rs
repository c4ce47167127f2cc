//! Edits of the graph: entities with observations, relations, renaming, merging, deleting.

use super::{EntityRef, EntityVisibility, find};
use crate::Graph;
use crate::relations::{OWNER, refine_kind};
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use engine_core::plan::{BatchPlan, result_at};
use guard::{Resource, Screening};
use model::{
    Entity, EntityId, Failure, JsonMap, MemoryId, NewEntity, ObservationId, Permission, RelationId,
    limits,
};
use store::{Change, ChangeResult, EntityEdit, NewObservation, NewRelation, Ref};

/// Default confidence of an entity or relation that a caller states.
const CONFIDENCE: f32 = 0.9;
/// Default weight of a relation when it is stated for the first time.
const WEIGHT: f32 = 1.0;
/// Largest number of observations in one call.
const OBSERVATIONS_MAX: usize = 200;

/// Input of [`Graph::put_entity`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PutEntityRequest {
    /// A known entity with this name is extended.
    pub name: String,
    /// A known entity keeps its kind when missing. An entity that no memory mentions changes to
    /// this kind; for one that memories mention as another kind, a second entity is created.
    pub kind: Option<String>,
    /// Merged into the existing properties.
    pub properties: JsonMap,
    /// Between 0 and 1; 0.9 when missing.
    pub confidence: Option<f32>,
    pub observations: Vec<String>,
    /// Memory that states it.
    pub memory: Option<MemoryId>,
}

/// Result of writing an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct PutEntityOutcome {
    pub entity: Entity,
    /// Ids of the given observations, new or existing, in their order.
    pub observations: Vec<ObservationId>,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// Input of [`Graph::relate`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RelateEntitiesRequest {
    /// Name; the entity is created when it is unknown.
    pub source: String,
    /// A known entity keeps its kind when missing.
    pub source_kind: Option<String>,
    /// Name; the entity is created when it is unknown.
    pub target: String,
    /// A known entity keeps its kind when missing.
    pub target_kind: Option<String>,
    /// Active voice: `works_at`, `depends_on`.
    pub kind: String,
    /// Added to the existing weight, up to 10; 1 when missing.
    pub weight: Option<f32>,
    /// Between 0 and 1; 0.9 when missing.
    pub confidence: Option<f32>,
    /// Memory that states it.
    pub memory: Option<MemoryId>,
    /// Merged into the existing properties.
    pub properties: JsonMap,
}

/// Result of relating two entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelateEntitiesOutcome {
    /// New or strengthened.
    pub relation: RelationId,
    pub source: EntityId,
    pub target: EntityId,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

impl<'e> Graph<'e> {
    /// Creates an entity, or extends the one with this name.
    ///
    /// # Errors
    /// Fails when a field is empty or too long, or the memory does not exist.
    pub fn put_entity(
        self,
        caller: &'e Caller,
        input: &'e PutEntityRequest,
    ) -> UseCaseFuture<'e, PutEntityOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Write, input).await?;
            let mut screen = call.screen();
            let observations = screen_observations(&input.observations, &mut screen)?;
            let mut plan = BatchPlan::default();
            let mut entity = new_entity(&input.name, input.kind.as_deref(), input.confidence);
            entity.properties.clone_from(&input.properties);
            // Before the entity itself, so that the store then finds it by the new kind.
            plan_kind_change(&call, &mut plan, &entity).await?;
            let index = plan_entity(&mut plan, entity, &mut screen)?;
            // The screen reports its changes to the call when it is dropped; it must not live
            // across an await.
            drop(screen);
            let memory = stated_in(&call, input.memory).await?;
            for text in observations {
                plan.push(Change::Observe(NewObservation {
                    entity: Ref::ResultOf(index),
                    text,
                    memory,
                }));
            }
            let results = call.write("put an entity", plan.changes).await?.results;
            let id = entity_at(&results, index)?;
            let observed = |result: &ChangeResult| {
                if let ChangeResult::Observation(id) = result { Some(*id) } else { None }
            };
            let entity = written_entity(&call, id, input).await?;
            let observations = results.iter().filter_map(observed).collect();
            Ok(PutEntityOutcome { entity, observations, notes: call.notes() })
        })
    }

    /// Relates two entities. Unknown ones are created; an existing relation is strengthened.
    ///
    /// # Errors
    /// Fails when a name is empty, both ends are the same, or a field is past its limit.
    pub fn relate(
        self,
        caller: &'e Caller,
        input: &'e RelateEntitiesRequest,
    ) -> UseCaseFuture<'e, RelateEntitiesOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Write, input).await?;
            let confidence = input.confidence.unwrap_or(CONFIDENCE);
            check_relation(input, confidence)?;
            let mut plan = BatchPlan::default();
            let mut screen = call.screen();
            let source = new_entity(&input.source, input.source_kind.as_deref(), input.confidence);
            let source = plan_entity(&mut plan, source, &mut screen)?;
            let target = new_entity(&input.target, input.target_kind.as_deref(), input.confidence);
            let target = plan_entity(&mut plan, target, &mut screen)?;
            let mut properties = input.properties.clone();
            screen.object("properties", &mut properties)?;
            drop(screen);
            let memory = stated_in(&call, input.memory).await?;
            let index = plan.push(Change::Relate(Box::new(NewRelation {
                source: Ref::ResultOf(source),
                target: Ref::ResultOf(target),
                kind: relation_kind(&input.kind)?,
                weight: input.weight.unwrap_or(WEIGHT),
                confidence,
                memory,
                properties,
            })));
            let results = call.write("related entities", plan.changes).await?.results;
            let ChangeResult::Relation(relation) = *result_at(&results, index) else {
                return Err(internal("the store returned no relation for Relate"));
            };
            let (source, target) = (entity_at(&results, source)?, entity_at(&results, target)?);
            Ok(RelateEntitiesOutcome { relation, source, target, notes: call.notes() })
        })
    }

    /// Renames an entity; the old name becomes an alias.
    ///
    /// # Errors
    /// `not_found` when there is none, `invalid_argument` for an empty name.
    pub fn rename_entity(
        self,
        caller: &'e Caller,
        entity: &'e EntityRef,
        name: &'e str,
    ) -> UseCaseFuture<'e, PutEntityOutcome> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Graph,
                Permission::Write,
                &("rename", entity, name),
            )
            .await?;
            let mut new = new_entity(name, None, None);
            call.screen().text("name", &mut new.name)?;
            new.check()?;
            let id = find(&call, entity).await?.id;
            let edit = EntityEdit { name: Some(new.name), ..EntityEdit::default() };
            call.write(
                format!("renamed entity {id}"),
                vec![Change::EditEntity { entity: id, edit }],
            )
            .await?;
            let entity = find(&call, &EntityRef::Id(id)).await?;
            Ok(PutEntityOutcome { entity, observations: Vec::new(), notes: call.notes() })
        })
    }

    /// Merges two entities: everything said about `from` moves to `into`, its name becomes an
    /// alias.
    ///
    /// # Errors
    /// `not_found` when one is missing, `invalid_argument` when both are the same.
    pub fn merge_entities(
        self,
        caller: &'e Caller,
        from: &'e EntityRef,
        into: &'e EntityRef,
    ) -> UseCaseFuture<'e, Entity> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Graph,
                Permission::Write,
                &("merge", from, into),
            )
            .await?;
            // Both are resolved first: two names may already be aliases of one entity.
            let (from, into) = (find(&call, from).await?.id, find(&call, into).await?.id);
            if from == into {
                return Err(Failure::invalid(format!(
                    "both names refer to entity {into}; there is nothing to merge"
                )));
            }
            let note = format!("merged entity {from} into {into}");
            call.write(note, vec![Change::MergeEntities { from, into }]).await?;
            find(&call, &EntityRef::Id(into)).await
        })
    }

    /// Deletes an entity with its observations, relations and mentions. Returns it as it was.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn delete_entity(
        self,
        caller: &'e Caller,
        entity: &'e EntityRef,
    ) -> UseCaseFuture<'e, Entity> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Graph,
                Permission::Write,
                &("delete", entity),
            )
            .await?;
            let entity = find(&call, entity).await?;
            call.write(
                format!("deleted entity {}", entity.id),
                vec![Change::DeleteEntity(entity.id)],
            )
            .await?;
            Ok(entity)
        })
    }
}

/// Returns the written entity. A caller who may not read the memories that mention it gets only
/// what it wrote itself.
async fn written_entity(
    call: &Call<'_>,
    id: EntityId,
    input: &PutEntityRequest,
) -> Result<Entity, Failure> {
    let found = call.store().entities(&[id]).await?.pop();
    let found = found.ok_or_else(|| internal("the store lost an entity that it just wrote"))?;
    let seen = EntityVisibility::for_call(call).await?.visible(call, found.clone()).await?;
    Ok(seen.unwrap_or_else(|| Entity {
        name: input.name.trim().to_owned(),
        aliases: Vec::new(),
        properties: input.properties.clone(),
        mentions: 0,
        ..found
    }))
}

fn new_entity(name: &str, kind: Option<&str>, confidence: Option<f32>) -> NewEntity {
    let kind = kind.map(str::trim).filter(|kind| !kind.is_empty()).map(str::to_owned);
    let confidence = confidence.unwrap_or(CONFIDENCE);
    NewEntity { kind, name: name.trim().to_owned(), properties: JsonMap::new(), confidence }
}

fn plan_entity(
    plan: &mut BatchPlan,
    mut entity: NewEntity,
    screen: &mut Screening,
) -> Result<usize, Failure> {
    screen.text("name", &mut entity.name)?;
    screen.object("properties", &mut entity.properties)?;
    entity.check()?;
    Ok(plan.push(Change::PutEntity(entity)))
}

/// Changes the kind of an entity that no memory mentions. The owner stays a person.
async fn plan_kind_change(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    new: &NewEntity,
) -> Result<(), Failure> {
    let known = call.store().entity_by_name(&new.name).await?;
    if let Some(known) = known.filter(|known| known.mentions == 0 && known.name != OWNER) {
        refine_kind(call, plan, &known, new.kind.as_deref()).await?;
    }
    Ok(())
}

fn screen_observations(
    observations: &[String],
    screen: &mut Screening,
) -> Result<Vec<String>, Failure> {
    limits::count("observations", observations.len(), OBSERVATIONS_MAX)?;
    let mut added = Vec::with_capacity(observations.len());
    for said in observations {
        let mut text = said.trim().to_owned();
        screen.text("observation", &mut text)?;
        limits::bytes("observation", &text, limits::TEXT_BYTES)?;
        if text.is_empty() {
            return Err(Failure::invalid(
                "an observation is empty; state in a sentence what is known about the entity",
            ));
        }
        added.push(text);
    }
    Ok(added)
}

fn check_relation(input: &RelateEntitiesRequest, confidence: f32) -> Result<(), Failure> {
    if input.source.trim().to_lowercase() == input.target.trim().to_lowercase() {
        return Err(Failure::invalid(
            "source and target are the same entity; a relation needs two",
        ));
    }
    limits::range("weight", f64::from(input.weight.unwrap_or(WEIGHT)), 0.0, 10.0)?;
    limits::range("confidence", f64::from(confidence), 0.0, 1.0)?;
    limits::json("properties", &input.properties, limits::METADATA_BYTES)
}

fn relation_kind(kind: &str) -> Result<String, Failure> {
    // `Works at` and `works_at` must be the same relation.
    let kind = kind.trim().to_lowercase().replace(char::is_whitespace, "_");
    if kind.is_empty() {
        return Err(Failure::invalid(
            "the relation is empty; give it in the active voice, such as depends_on",
        ));
    }
    limits::chars("relation", &kind, limits::NAME_CHARS)?;
    Ok(kind)
}

/// Returns a reference to the memory that states something, which the caller must be able to read.
async fn stated_in(
    call: &Call<'_>,
    memory: Option<MemoryId>,
) -> Result<Option<Ref<MemoryId>>, Failure> {
    match memory {
        Some(id) => Ok(Some(Ref::Id(call.memory(id).await?.id))),
        None => Ok(None),
    }
}

fn entity_at(results: &[ChangeResult], index: usize) -> Result<EntityId, Failure> {
    result_at(results, index)
        .entity()
        .ok_or_else(|| internal("the store returned no entity for PutEntity"))
}

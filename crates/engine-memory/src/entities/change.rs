//! Edits of the graph: entities with observations, relations, renaming, merging, deleting.

use super::{EntityRef, EntityVisibility, find};
use crate::Graph;
use crate::erasure::{Erasure, ErasureProposal, propose, wrote_entity};
use crate::relations::{OWNER, SOURCE, refine_kind};
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use engine_core::plan::{BatchPlan, result_at};
use guard::{Resource, Screening};
use model::{
    Entity, EntityId, Failure, JsonMap, MemoryId, NewEntity, ObservationId, Permission, RelationId,
    limits,
};
use store::{Change, ChangeResult, EntityEdit, NewMention, NewObservation, NewRelation, Ref};

/// Default confidence of an entity or relation that a caller states.
const CONFIDENCE: f32 = 0.9;
/// Default weight of a relation when it is stated for the first time.
const WEIGHT: f32 = 1.0;
/// The kind of an entity for which none was stated, as the store writes it.
const KIND_UNKNOWN: &str = "entity";
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

/// An entity that was deleted or merged, or that waits for the owner.
#[derive(Debug, Clone, PartialEq)]
pub struct EraseEntityOutcome {
    /// The deleted entity as it was, or the one that it was merged into.
    pub entity: Entity,
    /// Proposal that waits for the owner's consent; nothing was changed.
    pub proposal: Option<ErasureProposal>,
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
            plan_own_mention(&call, &mut plan, index, memory).await?;
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
            let observations = results.iter().filter_map(observed).collect();
            let mut notes = call.notes();
            let entity = match seen_entity(&call, id).await? {
                Some(entity) => entity,
                None => {
                    notes.push(hidden_note(&input.name));
                    entity_as_stated(&call, id, input)
                }
            };
            Ok(PutEntityOutcome { entity, observations, notes })
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
            plan_own_mention(&call, &mut plan, source, memory).await?;
            plan_own_mention(&call, &mut plan, target, memory).await?;
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
            let mut notes = call.notes();
            for (id, name) in [(source, &input.source), (target, &input.target)] {
                if seen_entity(&call, id).await?.is_none() {
                    notes.push(hidden_note(name));
                }
            }
            Ok(RelateEntitiesOutcome { relation, source, target, notes })
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
    /// alias. For an agent it becomes a proposal, unless all that is known about `from` comes from
    /// its own memories.
    ///
    /// # Errors
    /// `not_found` when one is missing, `invalid_argument` when both are the same.
    pub fn merge_entities(
        self,
        caller: &'e Caller,
        from: &'e EntityRef,
        into: &'e EntityRef,
    ) -> UseCaseFuture<'e, EraseEntityOutcome> {
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
            let (removed, stays) = (find(&call, from).await?, find(&call, into).await?);
            let (from, into) = (removed.id, stays.id);
            if from == into {
                return Err(Failure::invalid(format!(
                    "both names refer to entity {into}; there is nothing to merge"
                )));
            }
            if !may_remove(&call, &removed).await? {
                let erasure = Erasure { merges: vec![(from, into)], ..Erasure::default() };
                let proposal = Some(propose(&call, erasure).await?);
                return Ok(EraseEntityOutcome { entity: stays, proposal });
            }
            let note = format!("merged entity {from} into {into}");
            let merge = Change::MergeEntities { from: Ref::Id(from), into: Ref::Id(into) };
            call.write(note, vec![merge]).await?;
            let entity = find(&call, &EntityRef::Id(into)).await?;
            Ok(EraseEntityOutcome { entity, proposal: None })
        })
    }

    /// Undoes the merge that removed an entity. Everything is as before the merge, except for what
    /// was stated or changed since, which stays.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `not_found` when the entity was not
    /// merged, or nothing is kept of it; `conflict` when a later merge has to be undone first, or
    /// another entity has the name by now.
    pub fn undo_merge(self, caller: &'e Caller, entity: EntityId) -> UseCaseFuture<'e, Entity> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Administration,
                Permission::Write,
                &("undo merge", entity),
            )
            .await?;
            let note = format!("undid the merge of entity {entity}");
            call.write(note, vec![Change::UndoMerge { entity }]).await?;
            find(&call, &EntityRef::Id(entity)).await
        })
    }

    /// Deletes an entity with its observations, relations and mentions. For an agent it becomes a
    /// proposal, unless all that is known about the entity comes from its own memories.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn delete_entity(
        self,
        caller: &'e Caller,
        entity: &'e EntityRef,
    ) -> UseCaseFuture<'e, EraseEntityOutcome> {
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
            if !may_remove(&call, &entity).await? {
                let erasure = Erasure { entities: vec![entity.id], ..Erasure::default() };
                let proposal = Some(propose(&call, erasure).await?);
                return Ok(EraseEntityOutcome { entity, proposal });
            }
            call.write(
                format!("deleted entity {}", entity.id),
                vec![Change::DeleteEntity(entity.id)],
            )
            .await?;
            Ok(EraseEntityOutcome { entity, proposal: None })
        })
    }
}

/// Returns whether the caller may remove an entity without asking the owner.
pub(super) async fn may_remove(call: &Call<'_>, entity: &Entity) -> Result<bool, Failure> {
    Ok(call.may_erase().await? || wrote_entity(call, entity).await?)
}

/// Returns a written entity as the caller sees it, if it is visible.
async fn seen_entity(call: &Call<'_>, id: EntityId) -> Result<Option<Entity>, Failure> {
    let found = call.store().entities(&[id]).await?.pop();
    let found = found.ok_or_else(|| internal("the store lost an entity that it just wrote"))?;
    EntityVisibility::for_call(call).await?.visible(call, found).await
}

/// Returns only what the caller itself stated about an entity.
fn entity_as_stated(call: &Call<'_>, id: EntityId, input: &PutEntityRequest) -> Entity {
    let own = new_entity(&input.name, input.kind.as_deref(), input.confidence);
    Entity {
        id,
        kind: own.kind.unwrap_or_else(|| KIND_UNKNOWN.to_owned()),
        name: own.name,
        aliases: Vec::new(),
        properties: input.properties.clone(),
        confidence: own.confidence,
        first_seen: call.at,
        last_seen: call.at,
        mentions: 0,
    }
}

fn hidden_note(name: &str) -> String {
    format!(
        "`{}` is known from memories that you may not read: what you stated was stored, and is \
         not shown to you",
        name.trim()
    )
}

/// Records that the memory behind a statement mentions the entity, for a caller from whom other
/// memories are hidden: it then sees the entity under the name that it gave itself.
async fn plan_own_mention(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    index: usize,
    memory: Option<Ref<MemoryId>>,
) -> Result<(), Failure> {
    let (Some(memory), Some(Change::PutEntity(new))) = (memory, plan.changes.get(index)) else {
        return Ok(());
    };
    let (name, kind) = (new.name.clone(), new.kind.clone());
    let visibility = EntityVisibility::for_call(call).await?;
    if !visibility.is_restricted() || find(call, &EntityRef::Name(name.clone())).await.is_ok() {
        return Ok(());
    }
    plan.push(Change::Mention(NewMention {
        memory,
        entity: Ref::ResultOf(index),
        kind: kind.unwrap_or_else(|| KIND_UNKNOWN.to_owned()),
        name,
        source: SOURCE.to_owned(),
        path: None,
    }));
    Ok(())
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

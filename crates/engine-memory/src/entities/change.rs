//! Changing the graph by hand: entities with observations, relations, renaming, merging, deleting.

use super::{EntityRef, Sight, find};
use crate::Graph;
use crate::knots::{OWNER, sharpened};
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use engine_core::plan::{Plan, made_at};
use guard::{Resource, Screen};
use model::{
    Entity, EntityId, Failure, JsonMap, MemoryId, NewEntity, ObservationId, Permission, RelationId,
    limits,
};
use store::{Change, EntityEdit, Made, NewObservation, NewRelation, Ref};

/// How sure a caller is of an entity or relation unless told otherwise.
const CONFIDENCE: f32 = 0.9;
/// How strong a relation is the first time it is said.
const WEIGHT: f32 = 1.0;
/// How many observations one call may add.
const OBSERVATIONS: usize = 200;

/// An entity to write, or to add to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PutEntity {
    /// Its name; one that is known under it is added to.
    pub name: String,
    /// What sort of thing; a known entity keeps its own when missing. One that no memory mentions
    /// becomes what is told here; what memories mention as another sort of thing stays that, beside
    /// it.
    pub kind: Option<String>,
    /// Properties to merge in.
    pub properties: JsonMap,
    /// 0 to 1; 0.9 unless told otherwise.
    pub confidence: Option<f32>,
    /// What is said of it.
    pub observations: Vec<String>,
    /// The memory it is said in.
    pub memory: Option<MemoryId>,
}

/// An entity that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityPut {
    /// The entity as it stands.
    pub entity: Entity,
    /// Its observations, new or found, in the order given.
    pub observations: Vec<ObservationId>,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

/// How two entities relate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RelateEntities {
    /// The name of where it starts; the entity appears when it is not known.
    pub source: String,
    /// What sort of thing the source is; a known one keeps its own when missing.
    pub source_kind: Option<String>,
    /// The name of where it ends; the entity appears when it is not known.
    pub target: String,
    /// What sort of thing the target is.
    pub target_kind: Option<String>,
    /// In the active voice: `works_at`, `depends_on`.
    pub kind: String,
    /// How strong; added to what is there, up to 10; 1 unless told otherwise.
    pub weight: Option<f32>,
    /// 0 to 1; 0.9 unless told otherwise.
    pub confidence: Option<f32>,
    /// The memory it is said in.
    pub memory: Option<MemoryId>,
    /// Properties to merge in.
    pub properties: JsonMap,
}

/// A relation that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The relation, new or grown.
    pub relation: RelationId,
    /// Where it starts.
    pub source: EntityId,
    /// Where it ends.
    pub target: EntityId,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

impl Graph<'_> {
    /// Writes an entity, or adds to the one of this name.
    ///
    /// # Errors
    /// When a field is empty or past its limit, or the memory is not there.
    pub async fn put_entity(
        self,
        caller: &Caller,
        input: &PutEntity,
    ) -> Result<EntityPut, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Graph, Permission::Write, input).await?;
        let mut screen = call.screen();
        let observations = kept_observations(&input.observations, &mut screen)?;
        let mut plan = Plan::default();
        let mut entity = as_entity(&input.name, input.kind.as_deref(), input.confidence);
        entity.properties.clone_from(&input.properties);
        sort_anew(&call, &mut plan, &entity).await?;
        let place = plan_entity(&mut plan, entity, &mut screen)?;
        drop(screen);
        let memory = said_in(&call, input.memory).await?;
        for text in observations {
            plan.push(Change::Observe(NewObservation { entity: Ref::Made(place), text, memory }));
        }
        let made = call.write("put an entity", plan.changes).await?.made;
        let id = entity_at(&made, place)?;
        let observed =
            |made: &Made| if let Made::Observation(id) = made { Some(*id) } else { None };
        let entity = as_put(&call, id, input).await?;
        let observations = made.iter().filter_map(observed).collect();
        Ok(EntityPut { entity, observations, notes: call.notes() })
    }

    /// Says how two entities relate. Those that are not known appear; a relation that is there
    /// grows.
    ///
    /// # Errors
    /// When a name is empty, both ends are the same, or a field is past its limit.
    pub async fn relate(self, caller: &Caller, input: &RelateEntities) -> Result<Related, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Graph, Permission::Write, input).await?;
        let confidence = input.confidence.unwrap_or(CONFIDENCE);
        check_relation(input, confidence)?;
        let mut plan = Plan::default();
        let mut screen = call.screen();
        let source = as_entity(&input.source, input.source_kind.as_deref(), input.confidence);
        let source = plan_entity(&mut plan, source, &mut screen)?;
        let target = as_entity(&input.target, input.target_kind.as_deref(), input.confidence);
        let target = plan_entity(&mut plan, target, &mut screen)?;
        let mut properties = input.properties.clone();
        screen.object("properties", &mut properties)?;
        drop(screen);
        let memory = said_in(&call, input.memory).await?;
        let place = plan.push(Change::Relate(Box::new(NewRelation {
            source: Ref::Made(source),
            target: Ref::Made(target),
            kind: relation_kind(&input.kind)?,
            weight: input.weight.unwrap_or(WEIGHT),
            confidence,
            memory,
            properties,
        })));
        let made = call.write("related entities", plan.changes).await?.made;
        let Made::Relation(relation) = *made_at(&made, place) else {
            return Err(internal("the store made no relation of a Relate"));
        };
        let (source, target) = (entity_at(&made, source)?, entity_at(&made, target)?);
        Ok(Related { relation, source, target, notes: call.notes() })
    }

    /// Gives an entity another name; the old one still finds it.
    ///
    /// # Errors
    /// `not_found` when there is none, `invalid_argument` for an empty name.
    pub async fn rename_entity(
        self,
        caller: &Caller,
        entity: &EntityRef,
        name: &str,
    ) -> Result<EntityPut, Failure> {
        let call = Call::begin(
            self.core,
            caller,
            Resource::Graph,
            Permission::Write,
            &("rename", entity, name),
        )
        .await?;
        let mut new = as_entity(name, None, None);
        call.screen().text("name", &mut new.name)?;
        new.check()?;
        let id = find(&call, entity).await?.id;
        let edit = EntityEdit { name: Some(new.name), ..EntityEdit::default() };
        call.write(format!("renamed entity {id}"), vec![Change::EditEntity { entity: id, edit }])
            .await?;
        let entity = find(&call, &EntityRef::Id(id)).await?;
        Ok(EntityPut { entity, observations: Vec::new(), notes: call.notes() })
    }

    /// Makes two entities one; what was said of `from` is said of `into`, and its name still finds
    /// it.
    ///
    /// # Errors
    /// `not_found` when one is missing, `invalid_argument` when both are the same.
    pub async fn merge_entities(
        self,
        caller: &Caller,
        from: &EntityRef,
        into: &EntityRef,
    ) -> Result<Entity, Failure> {
        let call = Call::begin(
            self.core,
            caller,
            Resource::Graph,
            Permission::Write,
            &("merge", from, into),
        )
        .await?;
        let (from, into) = (find(&call, from).await?.id, find(&call, into).await?.id);
        if from == into {
            return Err(Failure::invalid(format!(
                "both names mean entity {into}; there is nothing to merge"
            )));
        }
        let note = format!("merged entity {from} into {into}");
        call.write(note, vec![Change::MergeEntities { from, into }]).await?;
        find(&call, &EntityRef::Id(into)).await
    }

    /// Removes an entity with its observations, relations and mentions, and answers with it as it
    /// stood.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub async fn delete_entity(
        self,
        caller: &Caller,
        entity: &EntityRef,
    ) -> Result<Entity, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Graph, Permission::Write, &("delete", entity))
                .await?;
        let entity = find(&call, entity).await?;
        call.write(format!("deleted entity {}", entity.id), vec![Change::DeleteEntity(entity.id)])
            .await?;
        Ok(entity)
    }
}

/// The entity as it stands. Of one that memories speak of which are closed to the caller it sees
/// what it said itself.
async fn as_put(call: &Call<'_>, id: EntityId, input: &PutEntity) -> Result<Entity, Failure> {
    let found = call.store().entities(&[id]).await?.pop();
    let found = found.ok_or_else(|| internal("the store lost an entity that it had just put"))?;
    let seen = Sight::of(call).await?.one(call, found.clone()).await?;
    Ok(seen.unwrap_or_else(|| Entity {
        name: input.name.trim().to_owned(),
        aliases: Vec::new(),
        properties: input.properties.clone(),
        mentions: 0,
        ..found
    }))
}

fn as_entity(name: &str, kind: Option<&str>, confidence: Option<f32>) -> NewEntity {
    let kind = kind.map(str::trim).filter(|kind| !kind.is_empty()).map(str::to_owned);
    let confidence = confidence.unwrap_or(CONFIDENCE);
    NewEntity { kind, name: name.trim().to_owned(), properties: JsonMap::new(), confidence }
}

fn plan_entity(
    plan: &mut Plan,
    mut entity: NewEntity,
    screen: &mut Screen,
) -> Result<usize, Failure> {
    screen.text("name", &mut entity.name)?;
    screen.object("properties", &mut entity.properties)?;
    entity.check()?;
    Ok(plan.push(Change::PutEntity(entity)))
}

/// Makes an entity that is known by hand alone one of the sort that it is said to be now. The owner
/// stays a person.
async fn sort_anew(call: &Call<'_>, plan: &mut Plan, told: &NewEntity) -> Result<(), Failure> {
    let known = call.store().entity_named(&told.name).await?;
    if let Some(known) = known.filter(|known| known.mentions == 0 && known.name != OWNER) {
        sharpened(call, plan, &known, told.kind.as_deref()).await?;
    }
    Ok(())
}

fn kept_observations(observations: &[String], screen: &mut Screen) -> Result<Vec<String>, Failure> {
    limits::count("observations", observations.len(), OBSERVATIONS)?;
    let mut kept = Vec::with_capacity(observations.len());
    for said in observations {
        let mut text = said.trim().to_owned();
        screen.text("observation", &mut text)?;
        limits::bytes("observation", &text, limits::TEXT_BYTES)?;
        if text.is_empty() {
            return Err(Failure::invalid(
                "an observation is empty; say in a sentence what is known of the entity",
            ));
        }
        kept.push(text);
    }
    Ok(kept)
}

fn check_relation(input: &RelateEntities, confidence: f32) -> Result<(), Failure> {
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
    let kind = kind.trim().to_lowercase().replace(char::is_whitespace, "_");
    if kind.is_empty() {
        return Err(Failure::invalid(
            "the relation is empty; say it in the active voice, such as depends_on",
        ));
    }
    limits::chars("relation", &kind, limits::NAME_CHARS)?;
    Ok(kind)
}

/// The memory something is said in, which must exist for the caller.
async fn said_in(
    call: &Call<'_>,
    memory: Option<MemoryId>,
) -> Result<Option<Ref<MemoryId>>, Failure> {
    match memory {
        Some(id) => Ok(Some(Ref::Id(call.memory(id).await?.id))),
        None => Ok(None),
    }
}

fn entity_at(made: &[Made], place: usize) -> Result<EntityId, Failure> {
    made_at(made, place).entity().ok_or_else(|| internal("the store made no entity of a PutEntity"))
}

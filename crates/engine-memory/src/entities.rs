//! Entities: people, places, code symbols; observations about them and relations between them. What
//! only a memory said that is no longer current is not shown here either.

mod change;
mod co_mentions;
mod current;
mod first_names;
mod graph;
mod known_names;
mod memory_map;
mod pattern;
mod relation_details;
mod search;
mod visibility;

pub use change::{
    EraseEntityOutcome, PutEntityOutcome, PutEntityRequest, RelateEntitiesOutcome,
    RelateEntitiesRequest,
};
pub use co_mentions::CoMention;
pub use first_names::plan_first_names;
pub use graph::{EntityGraphRequest, GraphNode, GraphStart, GraphView};
pub use memory_map::{MemoryMap, MemoryMapRequest};
pub use pattern::{GraphPatternRequest, GraphPatternResults};
pub(crate) use search::EntityCardCache;
pub use search::{EntityHit, SearchEntitiesRequest};
pub use store::EntityMerge;

use crate::Graph;
use crate::relations::OWNER;
use current::{current_memories, current_observations, current_relations};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    Entity, EntityId, ErrorCode, Failure, Listing, MemoryId, Mention, Observation, Page,
    Permission, Relation, limits,
};
use reading::{MEDIA_USES, RelationPhrase, VerbPerson, relation_in_words};
use std::collections::HashMap;
use std::fmt;
use store::EntityQuery;
pub(crate) use visibility::EntityVisibility;

// Limits of one entity's page; longer lists have listings of their own.
const OBSERVATIONS: usize = 50;
const RELATIONS: usize = 500;
const MEMORIES: usize = 50;
/// Default number of entities in a listing.
const LISTED_DEFAULT: usize = 50;
/// Number of similar names in a `not_found` message.
const NEAR_NAMES: usize = 5;

/// Reference to an entity, as a caller gives it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EntityRef {
    Id(EntityId),
    /// Name or alias, case-insensitive.
    Name(String),
}

impl fmt::Display for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Name(name) => write!(f, "`{name}`"),
        }
    }
}

/// Input of [`Graph::list_entities`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListEntitiesRequest {
    /// Part of the name, case-insensitive.
    pub name: Option<String>,
    pub kind: Option<String>,
    /// 50 when missing.
    pub limit: Option<usize>,
    pub offset: usize,
}

/// A relation with the names of both entities.
#[derive(Debug, Clone, PartialEq)]
pub struct RelationView {
    pub relation: Relation,
    pub source: String,
    pub target: String,
}

impl RelationView {
    /// Returns the relation in words, without its ends: "lives in".
    #[must_use]
    pub fn label(&self) -> String {
        self.verb(VerbPerson::Third)
    }

    /// Returns the relation as subject, verb and object of a sentence to the owner, who is
    /// addressed: "You live in Porto".
    #[must_use]
    pub fn sentence(&self) -> [String; 3] {
        let (subject, verb) = if self.source == OWNER {
            ("You".to_owned(), self.verb(VerbPerson::Second))
        } else {
            (self.source.clone(), self.label())
        };
        let object = if self.target == OWNER { "you".to_owned() } else { self.target.clone() };
        [subject, verb, object]
    }

    fn verb(&self, person: VerbPerson) -> String {
        let Relation { kind, properties, .. } = &self.relation;
        let is_stated = |name: &&str| properties.get(*name).is_some_and(|is| is == true);
        let phrase = RelationPhrase {
            relation: kind,
            object: &self.target,
            media_use: MEDIA_USES.into_iter().find(is_stated),
        };
        relation_in_words(phrase, person)
    }
}

/// An entity with its observations, relations and memories.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityView {
    pub entity: Entity,
    /// Newest first; at most 50.
    pub observations: Vec<Observation>,
    /// Strongest first; at most 500.
    pub relations: Vec<RelationView>,
    /// Current memories that mention the entity, newest first; at most 50.
    pub memories: Listing<MemoryId>,
    /// Merges into it that the owner can undo, newest first; empty for a caller from whom
    /// memories are hidden.
    pub merged: Vec<EntityMerge>,
}

impl<'e> Graph<'e> {
    /// Returns an entity with its observations, relations and memories.
    ///
    /// # Errors
    /// `not_found`, with similar names, when there is none.
    pub fn entity(
        self,
        caller: &'e Caller,
        entity: &'e EntityRef,
    ) -> UseCaseFuture<'e, EntityView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, entity).await?;
            let entity = find(&call, entity).await?;
            // A full page is read because some observations are filtered out before the cut.
            let page = Page::first(limits::PAGE_ITEMS);
            let listing = call.store().observations(entity.id, page).await?;
            let mut observations = current_observations(&call, listing.items).await?;
            observations.truncate(OBSERVATIONS);
            let mut relations = relations_touching(&call, &[entity.id]).await?;
            relations.truncate(RELATIONS);
            let mut memories = mentioned_in(&call, entity.id).await?;
            // The total still counts superseded memories: it says how often the entity was
            // mentioned.
            let current = current_memories(&call, memories.items.iter().copied()).await?;
            memories.items.retain(|memory| current.contains(memory));
            let hidden = EntityVisibility::for_call(&call).await?.is_restricted();
            let merged =
                if hidden { Vec::new() } else { call.store().merges_into(entity.id).await? };
            call.note_shown(format!("showed entity {}", entity.id), &[]).await;
            Ok(EntityView {
                merged,
                entity,
                observations,
                relations: with_names(&call, relations).await?,
                memories,
            })
        })
    }

    /// Lists entities, most mentioned first.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list_entities(
        self,
        caller: &'e Caller,
        input: &'e ListEntitiesRequest,
    ) -> UseCaseFuture<'e, Listing<Entity>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
            let query = EntityQuery { name: input.name.clone(), kind: input.kind.clone() };
            let page = Page { limit: input.limit.unwrap_or(LISTED_DEFAULT), offset: input.offset }
                .capped();
            let listed = EntityVisibility::for_call(&call).await?.list(&call, &query, page).await?;
            call.note_shown(format!("listed {} entities", listed.items.len()), &[]).await;
            Ok(listed)
        })
    }

    /// Returns the entities that a memory mentions.
    ///
    /// # Errors
    /// `not_found` when there is no such memory.
    pub fn entities_in(
        self,
        caller: &'e Caller,
        memory: MemoryId,
    ) -> UseCaseFuture<'e, Vec<Mention>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, &memory).await?;
            call.memory(memory).await?;
            let mentions = call.store().mentions(memory).await?;
            call.note_shown(format!("showed {} mentions", mentions.len()), &[]).await;
            Ok(mentions)
        })
    }

    /// Returns the relations of these entities, strongest first; at most 1,000.
    ///
    /// # Errors
    /// `limit_exceeded` for too many ids.
    pub fn relations(
        self,
        caller: &'e Caller,
        entities: &'e [EntityId],
    ) -> UseCaseFuture<'e, Vec<RelationView>> {
        Box::pin(async move {
            limits::count("entities", entities.len(), limits::IDS_PER_CALL)?;
            let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, &entities)
                .await?;
            let mut relations = relations_touching(&call, entities).await?;
            relations.truncate(limits::PAGE_ITEMS);
            call.note_shown(format!("showed {} relations", relations.len()), &[]).await;
            with_names(&call, relations).await
        })
    }
}

/// Finds the referenced entity, if the caller may see it.
async fn find(call: &Call<'_>, entity: &EntityRef) -> Result<Entity, Failure> {
    let store = call.store();
    if let EntityRef::Name(name) = entity {
        limits::chars("entity name", name, limits::ENTITY_NAME_CHARS)?;
    }
    let found = match entity {
        EntityRef::Id(id) => store.entities(&[*id]).await.map(|mut found| found.pop()),
        EntityRef::Name(name) => store.entity_by_name(name.trim()).await,
    };
    let visibility = EntityVisibility::for_call(call).await?;
    let found = match found? {
        Some(found) => visibility.visible(call, found).await?,
        None => None,
    };
    // A hidden alias must not lead to the name under which the caller knows the entity.
    match found.filter(|found| is_called(found, entity)) {
        Some(found) => Ok(found),
        None => find_among_visible(call, &visibility, entity).await,
    }
}

/// Finds the entity among those that the caller sees; another one of the name may be hidden.
async fn find_among_visible(
    call: &Call<'_>,
    visibility: &EntityVisibility,
    entity: &EntityRef,
) -> Result<Entity, Failure> {
    if let (EntityRef::Name(name), true) = (entity, visibility.is_restricted()) {
        let query = EntityQuery { name: Some(name.trim().to_owned()), kind: None };
        let page = Page::first(limits::PAGE_ITEMS);
        let listed = visibility.list(call, &query, page).await?.items;
        if let Some(found) = listed.into_iter().find(|found| is_called(found, entity)) {
            return Ok(found);
        }
    }
    Err(entity_not_found(call, entity).await?)
}

/// Returns whether the caller sees the entity under this reference.
fn is_called(found: &Entity, entity: &EntityRef) -> bool {
    let EntityRef::Name(name) = entity else { return true };
    let name = store::rules::fold_name(name.trim());
    std::iter::once(&found.name)
        .chain(&found.aliases)
        .any(|known| store::rules::fold_name(known) == name)
}

/// Builds a `not_found` failure with similar names.
async fn entity_not_found(call: &Call<'_>, entity: &EntityRef) -> Result<Failure, Failure> {
    let mut message = format!("there is no entity {entity}");
    if let EntityRef::Name(name) = entity {
        let query = EntityQuery { name: Some(name.trim().to_owned()), kind: None };
        let page = Page::first(NEAR_NAMES);
        let near = EntityVisibility::for_call(call).await?.list(call, &query, page).await?;
        let names: Vec<&str> = near.items.iter().map(|near| near.name.as_str()).collect();
        if !names.is_empty() {
            message = format!("{message}; there are: {}", names.join(", "));
        }
    }
    Ok(Failure::new(ErrorCode::NotFound, message))
}

/// Returns the current relations of these entities, strongest first.
pub(crate) async fn relations_touching(
    call: &Call<'_>,
    entities: &[EntityId],
) -> Result<Vec<Relation>, Failure> {
    let relations = call.store().relations(entities).await?;
    let mut relations = current_relations(call, relations).await?;
    EntityVisibility::for_call(call).await?.retain_relations(call, &mut relations).await?;
    relations.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.id.cmp(&b.id)));
    Ok(relations)
}

/// Returns the memories that mention an entity and that the caller may read, newest first.
async fn mentioned_in(call: &Call<'_>, entity: EntityId) -> Result<Listing<MemoryId>, Failure> {
    let store = call.store();
    if call.readable.is_all() {
        return store.memories_mentioning(entity, Page::first(MEMORIES)).await;
    }
    // The store cannot filter by source here, so the total is exact only up to one page.
    let all = store.memories_mentioning(entity, Page::first(limits::PAGE_ITEMS)).await?;
    let mut items: Vec<MemoryId> =
        call.memories(&all.items).await?.iter().map(|memory| memory.id).collect();
    let total = items.len();
    items.truncate(MEMORIES);
    Ok(Listing { items, total })
}

pub(crate) async fn with_names(
    call: &Call<'_>,
    relations: Vec<Relation>,
) -> Result<Vec<RelationView>, Failure> {
    let mut ids: Vec<EntityId> =
        relations.iter().flat_map(|one| [one.source, one.target]).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut names = HashMap::new();
    for some in ids.chunks(limits::IDS_PER_CALL) {
        let entities = call.store().entities(some).await?;
        let entities = EntityVisibility::for_call(call).await?.visible_of(call, entities).await?;
        names.extend(entities.into_iter().map(|entity| (entity.id, entity.name)));
    }
    let name = |id: EntityId| names.get(&id).cloned().unwrap_or_else(|| format!("entity {id}"));
    let view = |relation: Relation| RelationView {
        source: name(relation.source),
        target: name(relation.target),
        relation,
    };
    Ok(relations.into_iter().map(view).collect())
}

//! Which entities exist for a caller. One that memories mention exists for whoever may read one of
//! them; one that was only said outright exists for everybody who may read the graph.

use engine_core::call::Call;
use index::{Filter, Standing};
use model::{Entity, EntityId, Failure, Listing, Page, Relation, limits};
use std::collections::{HashMap, HashSet};
use store::EntityQuery;

/// What a caller sees of the entities: how often each is mentioned in memories that exist for it.
/// `None` when all memories do.
pub(crate) struct Sight(Option<HashMap<EntityId, u32>>);

impl Sight {
    /// What this caller sees.
    pub async fn of(call: &Call<'_>) -> Result<Self, Failure> {
        if call.readable.is_all() {
            return Ok(Self(None));
        }
        let view = call.view().await?;
        let mut mentions = HashMap::new();
        view.read(|view| {
            let within = view.filter(&Filter { standing: Standing::Any, ..call.filter() }, call.at);
            for entity in within.iter().flat_map(|doc| view.entities(doc)) {
                *mentions.entry(entity).or_insert(0) += 1;
            }
        });
        Ok(Self(Some(mentions)))
    }

    /// The entity as the caller sees it, if it exists for it.
    pub async fn one(&self, call: &Call<'_>, entity: Entity) -> Result<Option<Entity>, Failure> {
        match self.mentioned(&entity) {
            Some(seen) => Ok(Some(seen)),
            None if said_outright(call, entity.id).await? => {
                Ok(Some(Entity { mentions: 0, ..entity }))
            }
            None => Ok(None),
        }
    }

    /// Those of these entities that exist for the caller, in their order.
    pub async fn all(
        &self,
        call: &Call<'_>,
        entities: Vec<Entity>,
    ) -> Result<Vec<Entity>, Failure> {
        let mut seen = Vec::with_capacity(entities.len());
        for entity in entities {
            seen.extend(self.one(call, entity).await?);
        }
        Ok(seen)
    }

    /// A page of the entities that match and exist for the caller, most mentioned first.
    pub async fn list(
        &self,
        call: &Call<'_>,
        query: &EntityQuery,
        page: Page,
    ) -> Result<Listing<Entity>, Failure> {
        let store = call.store();
        if self.0.is_none() {
            return store.list_entities(query, page).await;
        }
        let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE));
        loop {
            let some = store.list_entities(query, from).await?.items;
            from.offset += some.len();
            let last = some.len() < limits::PAGE;
            seen.extend(self.all(call, some).await?);
            if last {
                break;
            }
        }
        seen.sort_by(|a, b| b.mentions.cmp(&a.mentions).then(a.id.cmp(&b.id)));
        let total = seen.len();
        let items = seen.into_iter().skip(page.offset).take(page.limit).collect();
        Ok(Listing { items, total })
    }

    /// Leaves the relations whose both ends exist for the caller.
    pub async fn retain_relations(
        &self,
        call: &Call<'_>,
        relations: &mut Vec<Relation>,
    ) -> Result<(), Failure> {
        if self.0.is_none() {
            return Ok(());
        }
        let ends: HashSet<EntityId> =
            relations.iter().flat_map(|one| [one.source, one.target]).collect();
        let ends: Vec<EntityId> = ends.into_iter().collect();
        let mut seen = HashSet::new();
        for some in ends.chunks(limits::IDS) {
            let entities = call.store().entities(some).await?;
            seen.extend(self.all(call, entities).await?.iter().map(|entity| entity.id));
        }
        relations.retain(|one| seen.contains(&one.source) && seen.contains(&one.target));
        Ok(())
    }

    /// The entity with the mentions that the caller sees; `None` when it sees none of them.
    fn mentioned(&self, entity: &Entity) -> Option<Entity> {
        let Some(mentions) = &self.0 else { return Some(entity.clone()) };
        match (entity.mentions, mentions.get(&entity.id)) {
            (0, _) => Some(entity.clone()),
            (_, Some(&seen)) => Some(Entity { mentions: seen, ..entity.clone() }),
            (_, None) => None,
        }
    }
}

/// Whether something was said of an entity that no memory is needed for, or one that exists for the
/// caller.
async fn said_outright(call: &Call<'_>, entity: EntityId) -> Result<bool, Failure> {
    let store = call.store();
    let said = store.observations(entity, Page::first(limits::PAGE)).await?;
    let related = store.relations(&[entity]).await?;
    let behind =
        said.items.iter().map(|one| one.memory).chain(related.iter().map(|one| one.memory));
    let behind: Vec<_> = behind.collect();
    if behind.iter().any(Option::is_none) {
        return Ok(true);
    }
    let ids: Vec<_> = behind.into_iter().flatten().take(limits::IDS).collect();
    Ok(!call.memories(&ids).await?.is_empty())
}

//! Visibility of entities. An entity that memories mention is visible to callers who may read one
//! of them; an entity that was stated directly is visible to everybody who may read the graph.

use engine_core::call::Call;
use index::{Filter, StatusFilter};
use model::{Entity, EntityId, Failure, Listing, Page, Relation, limits};
use std::collections::{HashMap, HashSet};
use store::EntityQuery;

/// Visible mentions by entity; `None` for callers who may read every memory.
pub(crate) struct EntityVisibility(Option<HashMap<EntityId, u32>>);

impl EntityVisibility {
    /// Counts the mentions that the caller may see.
    pub async fn for_call(call: &Call<'_>) -> Result<Self, Failure> {
        if call.readable.is_all() {
            return Ok(Self(None));
        }
        let view = call.view().await?;
        let mut mentions = HashMap::new();
        view.read(|view| {
            // Retired and superseded memories count too: an entity does not vanish with a
            // correction.
            let within =
                view.filter(&Filter { status: StatusFilter::Any, ..call.filter() }, call.at);
            for entity in within.iter().flat_map(|doc| view.entities(doc)) {
                *mentions.entry(entity).or_insert(0) += 1;
            }
        });
        Ok(Self(Some(mentions)))
    }

    /// Returns the entity as the caller sees it, if it is visible.
    pub async fn visible(
        &self,
        call: &Call<'_>,
        entity: Entity,
    ) -> Result<Option<Entity>, Failure> {
        match self.with_visible_mentions(&entity) {
            Some(seen) => Ok(Some(seen)),
            None if has_direct_statement(call, entity.id).await? => {
                Ok(Some(Entity { mentions: 0, ..entity }))
            }
            None => Ok(None),
        }
    }

    /// Returns the visible ones of these entities, in their order.
    pub async fn visible_of(
        &self,
        call: &Call<'_>,
        entities: Vec<Entity>,
    ) -> Result<Vec<Entity>, Failure> {
        let mut seen = Vec::with_capacity(entities.len());
        for entity in entities {
            seen.extend(self.visible(call, entity).await?);
        }
        Ok(seen)
    }

    /// Returns a page of the matching and visible entities, most mentioned first.
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
        // The store orders by all mentions, so every page is needed before sorting by the visible
        // ones.
        let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
        loop {
            let some = store.list_entities(query, from).await?.items;
            from.offset += some.len();
            let last = some.len() < limits::PAGE_ITEMS;
            seen.extend(self.visible_of(call, some).await?);
            if last {
                break;
            }
        }
        seen.sort_by(|a, b| b.mentions.cmp(&a.mentions).then(a.id.cmp(&b.id)));
        let total = seen.len();
        let items = seen.into_iter().skip(page.offset).take(page.limit).collect();
        Ok(Listing { items, total })
    }

    /// Removes relations with an end that the caller may not see.
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
        for some in ends.chunks(limits::IDS_PER_CALL) {
            let entities = call.store().entities(some).await?;
            seen.extend(self.visible_of(call, entities).await?.iter().map(|entity| entity.id));
        }
        relations.retain(|one| seen.contains(&one.source) && seen.contains(&one.target));
        Ok(())
    }

    /// Returns the entity with its visible mentions; `None` when none of them is visible.
    fn with_visible_mentions(&self, entity: &Entity) -> Option<Entity> {
        let Some(mentions) = &self.0 else { return Some(entity.clone()) };
        match (entity.mentions, mentions.get(&entity.id)) {
            (0, _) => Some(entity.clone()),
            (_, Some(&seen)) => Some(Entity { mentions: seen, ..entity.clone() }),
            (_, None) => None,
        }
    }
}

/// Returns whether something was said about an entity directly, or in a memory that the caller may
/// read.
async fn has_direct_statement(call: &Call<'_>, entity: EntityId) -> Result<bool, Failure> {
    let store = call.store();
    let said = store.observations(entity, Page::first(limits::PAGE_ITEMS)).await?;
    let related = store.relations(&[entity]).await?;
    let behind =
        said.items.iter().map(|one| one.memory).chain(related.iter().map(|one| one.memory));
    let behind: Vec<_> = behind.collect();
    if behind.iter().any(Option::is_none) {
        return Ok(true);
    }
    let ids: Vec<_> = behind.into_iter().flatten().take(limits::IDS_PER_CALL).collect();
    Ok(!call.memories(&ids).await?.is_empty())
}

//! Visibility of entities. An entity that memories mention is visible to callers who may read one
//! of them, under the names that these memories give it; an entity that no memory mentions was
//! stated directly and is visible to everybody who may read the graph.

use super::known_names::as_known_to;
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

    /// Returns whether some memories are hidden from the caller.
    pub fn is_restricted(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the entity as the caller sees it, if it is visible.
    ///
    /// A direct statement about an entity does not make it visible: otherwise an agent would only
    /// have to state something about a name to be shown what hidden memories call it.
    pub async fn visible(
        &self,
        call: &Call<'_>,
        entity: Entity,
    ) -> Result<Option<Entity>, Failure> {
        let Some(mentions) = &self.0 else { return Ok(Some(entity)) };
        match mentions.get(&entity.id) {
            _ if entity.mentions == 0 => Ok(Some(entity)),
            Some(&seen) if seen >= entity.mentions => Ok(Some(entity)),
            Some(&seen) => as_known_to(call, entity, seen).await,
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
        // The store filters by all names and orders by all mentions. A caller must not find by a
        // hidden name, so every entity is looked at as the caller sees it.
        let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
        let everything = EntityQuery::default();
        loop {
            let some = store.list_entities(&everything, from).await?.items;
            from.offset += some.len();
            let last = some.len() < limits::PAGE_ITEMS;
            let some = self.visible_of(call, some).await?;
            seen.extend(some.into_iter().filter(|entity| matches(entity, query)));
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
}

/// Returns whether a query finds an entity by the names and the kind that the caller sees.
fn matches(entity: &Entity, query: &EntityQuery) -> bool {
    let part = query.name.as_deref().map(str::to_lowercase);
    let named = |name: &String| part.as_ref().is_none_or(|part| name.to_lowercase().contains(part));
    query.kind.as_ref().is_none_or(|kind| *kind == entity.kind)
        && std::iter::once(&entity.name).chain(&entity.aliases).any(named)
}

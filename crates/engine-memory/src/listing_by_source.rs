//! Listings by source, for a caller that looks around before it asks: collections, entities and
//! recent memories. Each needs its own grant, so that one may be denied while the others answer.

use crate::entities::EntityVisibility;
use crate::{Graph, Memories};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Filter, StatusFilter};
use model::{Entity, Memory, MemoryId, Moment, Origin, Page, Permission, Status, limits};
use store::{EntityQuery, MemoryQuery};

/// Number of the most mentioned entities that are weighted.
const ENTITIES_WEIGHED: usize = 200;
/// Days after which the bonus for a recent mention has fallen to about a third.
const FRESH_DAYS: f64 = 30.0;
// Some memories are left out below, so more are read than are wanted.
const READ_PER_RESULT: usize = 8;

impl<'e> Memories<'e> {
    /// Returns the collections that the caller may read, with their active memories, largest first.
    ///
    /// # Errors
    /// Fails when the caller may read none, or the store cannot be read.
    pub fn collections(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<(String, usize)>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &())
                    .await?;
            let view = self.core.view(&caller.owner).await?;
            let active =
                Filter { status: StatusFilter::Statuses(vec![Status::Active]), ..call.filter() };
            let collections = view.read(|view| {
                let tally = view.facet_counts(&view.filter(&active, call.at));
                tally
                    .collections
                    .into_iter()
                    .map(|(name, count)| (name.to_owned(), count))
                    .collect()
            });
            call.note_shown("listed the collections", &[]).await;
            Ok(collections)
        })
    }
}

impl<'e> Graph<'e> {
    /// Returns the most relevant entities: certain, often and recently mentioned.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn top_entities(self, caller: &'e Caller, limit: usize) -> UseCaseFuture<'e, Vec<Entity>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, &limit).await?;
            let page = Page::first(ENTITIES_WEIGHED);
            let mut entities = EntityVisibility::for_call(&call)
                .await?
                .list(&call, &EntityQuery::default(), page)
                .await?
                .items;
            let most = entities.iter().map(|entity| entity.mentions).max().unwrap_or(0);
            entities.sort_by(|a, b| weight(b, most, call.at).total_cmp(&weight(a, most, call.at)));
            entities.truncate(limit);
            call.note_shown(format!("showed {} entities", entities.len()), &[]).await;
            Ok(entities)
        })
    }
}

impl<'e> Memories<'e> {
    /// Returns the newest current memories. Those from outside sources and flagged ones are left
    /// out: they must not enter a session that did not ask for them.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn recent(self, caller: &'e Caller, limit: usize) -> UseCaseFuture<'e, Vec<Memory>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &limit)
                    .await?;
            let query = MemoryQuery { statuses: vec![Status::Active], ..call.query() };
            let page = Page::first(limit.saturating_mul(READ_PER_RESULT).min(limits::PAGE_ITEMS));
            let listed = call.store().list_memories(&query, page).await?.items;
            let is_listed = |memory: &Memory| {
                let is_valid = memory.valid_to.is_none_or(|end| end > call.at);
                is_valid && memory.flags == 0 && memory.provenance.origin != Origin::Outside
            };
            let recent: Vec<Memory> =
                call.visible(listed).into_iter().filter(is_listed).take(limit).collect();
            let shown: Vec<MemoryId> = recent.iter().map(|memory| memory.id).collect();
            call.note_shown(format!("showed {}", shown.len()), &shown).await;
            Ok(recent)
        })
    }
}

/// Returns confidence times recency times the share of the most mentioned entity.
fn weight(entity: &Entity, most: u32, now: Moment) -> f64 {
    let age = now.days_since(entity.last_seen).max(0.0);
    let recency = 1.0 + 0.5 * (-age / FRESH_DAYS).exp();
    // With a single entity that was never mentioned both logarithms are 0.
    let share =
        f64::from(entity.mentions + 1).ln() / f64::from(most + 1).ln().max(f64::MIN_POSITIVE);
    f64::from(entity.confidence) * recency * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EntityId, JsonMap};

    fn entity(mentions: u32, confidence: f32, last_seen: &str) -> Entity {
        let seen = Moment::parse(last_seen).unwrap();
        Entity {
            id: EntityId(1),
            kind: "person".into(),
            name: "Ada".into(),
            aliases: Vec::new(),
            properties: JsonMap::new(),
            confidence,
            mentions,
            first_seen: seen,
            last_seen: seen,
        }
    }

    #[test]
    fn certain_frequent_and_recent_entities_weigh_more() {
        let now = Moment::parse("2026-05-03").unwrap();
        let usual = weight(&entity(3, 0.5, "2026-01-01"), 10, now);
        assert!(weight(&entity(9, 0.5, "2026-01-01"), 10, now) > usual);
        assert!(weight(&entity(3, 0.9, "2026-01-01"), 10, now) > usual);
        assert!(weight(&entity(3, 0.5, "2026-05-02"), 10, now) > usual);
        assert!(weight(&entity(0, 0.5, "2026-05-02"), 0, now).is_finite());
    }
}

//! What there is, place by place, for a caller that wants to look around before it asks: drawers,
//! entities and what was written last. Each place asks for its own grant, so that one may be closed
//! while the others answer.

use crate::entities::Sight;
use crate::{Graph, Memories};
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Filter, Standing};
use model::{Entity, Failure, Memory, MemoryId, Moment, Origin, Page, Permission, Status, limits};
use store::{EntityQuery, MemoryQuery};

/// Of how many entities, those mentioned most, the first few are chosen.
const ENTITIES_WEIGHED: usize = 200;
/// After how many days the last mention of an entity counts for about a third.
const FRESH_DAYS: f64 = 30.0;
/// How many memories are looked at for each that is wanted: some may not be fit to be told unasked.
const LOOKED_AT: usize = 8;

impl Memories<'_> {
    /// The drawers with their active memories, fullest first, as far as the caller may read them.
    ///
    /// # Errors
    /// When the caller may read none, or the store cannot answer.
    pub async fn collections(self, caller: &Caller) -> Result<Vec<(String, usize)>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &()).await?;
        let view = self.core.view(&caller.owner).await?;
        let active = Filter { standing: Standing::Statuses(vec![Status::Active]), ..call.filter() };
        let collections = view.read(|view| {
            let tally = view.tally(&view.filter(&active, call.at));
            tally.collections.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
        });
        call.note_shown("listed the collections", &[]).await;
        Ok(collections)
    }
}

impl Graph<'_> {
    /// The entities that matter most now: sure, often mentioned, and lately.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn top_entities(self, caller: &Caller, limit: usize) -> Result<Vec<Entity>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Graph, Permission::Read, &limit).await?;
        let page = Page::first(ENTITIES_WEIGHED);
        let mut entities =
            Sight::of(&call).await?.list(&call, &EntityQuery::default(), page).await?.items;
        let most = entities.iter().map(|entity| entity.mentions).max().unwrap_or(0);
        entities.sort_by(|a, b| weight(b, most, call.at).total_cmp(&weight(a, most, call.at)));
        entities.truncate(limit);
        call.note_shown(format!("showed {} entities", entities.len()), &[]).await;
        Ok(entities)
    }
}

impl Memories<'_> {
    /// What was written last and holds, newest first. What came from outside or is doubted is left
    /// out: it must not enter a session that did not ask for it.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn recent(self, caller: &Caller, limit: usize) -> Result<Vec<Memory>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &limit)
                .await?;
        let query = MemoryQuery { statuses: vec![Status::Active], ..call.query() };
        let page = Page::first(limit.saturating_mul(LOOKED_AT).min(limits::PAGE));
        let listed = call.store().list_memories(&query, page).await?.items;
        let fit = |memory: &Memory| {
            let holds = memory.valid_to.is_none_or(|end| end > call.at);
            holds && memory.flags == 0 && memory.provenance.origin != Origin::Outside
        };
        let recent: Vec<Memory> =
            call.visible(listed).into_iter().filter(fit).take(limit).collect();
        let shown: Vec<MemoryId> = recent.iter().map(|memory| memory.id).collect();
        call.note_shown(format!("showed {}", shown.len()), &shown).await;
        Ok(recent)
    }
}

/// Confidence, lifted by a late mention, as a share of the entity mentioned most.
fn weight(entity: &Entity, most: u32, now: Moment) -> f64 {
    let age = now.days_since(entity.last_seen).max(0.0);
    let lately = 1.0 + 0.5 * (-age / FRESH_DAYS).exp();
    let share =
        f64::from(entity.mentions + 1).ln() / f64::from(most + 1).ln().max(f64::MIN_POSITIVE);
    f64::from(entity.confidence) * lately * share
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
    fn sure_frequent_and_late_entities_weigh_more() {
        let now = Moment::parse("2026-05-03").unwrap();
        let usual = weight(&entity(3, 0.5, "2026-01-01"), 10, now);
        assert!(weight(&entity(9, 0.5, "2026-01-01"), 10, now) > usual);
        assert!(weight(&entity(3, 0.9, "2026-01-01"), 10, now) > usual);
        assert!(weight(&entity(3, 0.5, "2026-05-02"), 10, now) > usual);
        assert!(weight(&entity(0, 0.5, "2026-05-02"), 0, now).is_finite());
    }
}

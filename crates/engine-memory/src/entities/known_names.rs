//! Entities as a caller knows them who may read only some of the memories that mention them: under
//! the names and the kind that these memories give, seen when these memories were written.

use crate::relations::VAGUE;
use engine_core::call::Call;
use model::{Entity, Failure, Memory, Page, limits};
use std::collections::HashMap;

/// Number of memories whose mentions are read, newest first.
const MEMORIES_READ: usize = 20;

/// Returns the entity as the caller's memories name it; `None` when none of them mentions it.
pub(super) async fn as_known_to(
    call: &Call<'_>,
    entity: Entity,
    mentions: u32,
) -> Result<Option<Entity>, Failure> {
    let page = Page::first(limits::PAGE_ITEMS);
    let mentioning = call.store().memories_mentioning(entity.id, page).await?;
    let memories = call.memories(&mentioning.items).await?;
    let (mut names, mut kinds) = (Ranking::default(), Ranking::default());
    for memory in memories.iter().take(MEMORIES_READ) {
        let said = call.store().mentions(memory.id).await?;
        for mention in said.into_iter().filter(|mention| mention.entity == entity.id) {
            names.count(mention.name);
            kinds.count(mention.kind);
        }
    }
    let mut names = names.most_frequent_first().into_iter();
    let Some(name) = names.next() else { return Ok(None) };
    let kind = specific(kinds.most_frequent_first()).unwrap_or_default();
    let times = || memories.iter().map(|memory: &Memory| memory.valid_from);
    Ok(Some(Entity {
        name,
        kind,
        aliases: names.collect(),
        mentions,
        first_seen: times().min().unwrap_or(entity.first_seen),
        last_seen: times().max().unwrap_or(entity.last_seen),
        ..entity
    }))
}

/// Returns the first specific kind, or the first of all.
fn specific(kinds: Vec<String>) -> Option<String> {
    let chosen = kinds.iter().find(|kind| !VAGUE.contains(&kind.as_str())).or(kinds.first());
    chosen.cloned()
}

/// Words by how often they occur; of equally frequent ones, the first comes first.
#[derive(Default)]
struct Ranking {
    order: Vec<String>,
    counts: HashMap<String, usize>,
}

impl Ranking {
    fn count(&mut self, word: String) {
        let count = self.counts.entry(word.clone()).or_default();
        *count += 1;
        if *count == 1 {
            self.order.push(word);
        }
    }

    fn most_frequent_first(mut self) -> Vec<String> {
        let counts = &self.counts;
        self.order.sort_by_key(|word| std::cmp::Reverse(counts.get(word).copied()));
        self.order
    }
}

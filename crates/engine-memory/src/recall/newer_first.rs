//! Order of memories that say different things of the same: the newer one comes first, and the
//! older one names it. Nothing is hidden.

use crate::profile;
use engine_core::embedding::speaker;
use model::{Memory, MemoryId, titles_agree};
use reading::{LazyText, StatementRelation as R};
use std::collections::HashMap;

/// Titled texts of memories.
pub(crate) struct TitledTexts(HashMap<MemoryId, String>);

impl TitledTexts {
    pub fn new(memories: &[Memory]) -> Self {
        let titled = |memory: &Memory| (memory.id, memory.titled_text().into_owned());
        Self(memories.iter().map(titled).collect())
    }

    /// Returns the texts for comparison.
    pub fn lazy(&self) -> LazyTexts<'_> {
        self.0.iter().map(|(id, text)| (*id, LazyText::new(text))).collect()
    }
}

/// Titled texts of memories, each parsed once at most.
pub(crate) type LazyTexts<'t> = HashMap<MemoryId, LazyText<'t>>;

/// Puts newer statements before the older ones that they change or deny. Returns the newer memory
/// of each older one.
pub(super) fn newer_first(
    memories: &mut Vec<Memory>,
    texts: &LazyTexts<'_>,
) -> HashMap<MemoryId, MemoryId> {
    let newer = newer_statements(memories, texts);
    for older in newer.keys() {
        let position = |id: MemoryId| memories.iter().position(|memory| memory.id == id);
        let (Some(old), Some(new)) = (position(*older), position(newer[older])) else { continue };
        if old < new {
            let moved = memories.remove(new);
            memories.insert(old, moved);
        }
    }
    newer
}

/// Returns the newer memory of each older one that it changes or denies.
pub(crate) fn newer_statements(
    memories: &[Memory],
    texts: &LazyTexts<'_>,
) -> HashMap<MemoryId, MemoryId> {
    // The lines of a conversation are what was said at the time, not what holds; the profile has
    // one value for each field.
    let stated: Vec<(&Memory, &LazyText<'_>)> = memories
        .iter()
        .filter(|memory| speaker(&memory.metadata).is_none() && memory.table().is_none())
        .filter(|memory| memory.collection != profile::COLLECTION)
        .filter_map(|memory| Some((memory, texts.get(&memory.id)?)))
        .collect();
    let mut newer: HashMap<MemoryId, &Memory> = HashMap::new();
    for (at, (one, one_text)) in stated.iter().enumerate() {
        for (other, other_text) in &stated[at + 1..] {
            let in_order = (one.valid_from, one.id) <= (other.valid_from, other.id);
            let ((old, old_text), (new, new_text)) = match in_order {
                true => ((one, one_text), (other, other_text)),
                false => ((other, other_text), (one, one_text)),
            };
            let known = newer.get(&old.id).is_some_and(|known| known.valid_from >= new.valid_from);
            let comparable = old.project == new.project
                && new_text.is_near(old_text)
                && titles_agree(old.title.as_deref(), new.title.as_deref());
            if !known && comparable && is_changed(old_text, new_text) {
                newer.insert(old.id, new);
            }
        }
    }
    newer.into_iter().map(|(old, new)| (old, new.id)).collect()
}

fn is_changed(old: &LazyText<'_>, new: &LazyText<'_>) -> bool {
    let (old, new) = (old.parsed(), new.parsed());
    let changes = || matches!(new.compare_with(old).relation, R::ChangedValue | R::Opposite);
    new.shares_topic(old) && changes()
}

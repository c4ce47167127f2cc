//! Order of memories that say different things of the same: the newer one comes first, and the
//! older one names it. Nothing is hidden.

use crate::profile;
use crate::review::ReviewMark;
use engine_core::embedding::speaker;
use model::{Memory, MemoryId, Moment, ReviewKind, titles_agree};
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

/// Puts newer statements before the older ones that they change or deny, and before those that an
/// open review says they contradict. Returns the newer memory of each older one.
pub(super) fn newer_first(
    memories: &mut [Memory],
    texts: &LazyTexts<'_>,
    marks: &HashMap<MemoryId, ReviewMark>,
) -> HashMap<MemoryId, MemoryId> {
    let mut newer = newer_statements(memories, texts);
    for (old, new) in contradictions(memories, marks) {
        newer.entry(old).or_insert(new);
    }
    let times: HashMap<MemoryId, Moment> =
        memories.iter().map(|memory| (memory.id, memory.valid_from)).collect();
    let mut changes: Vec<(MemoryId, MemoryId)> =
        newer.iter().map(|(old, new)| (*old, *new)).collect();
    // The newest change is made last, so that no earlier one puts an old memory before it again.
    changes.sort_unstable_by_key(|(old, new)| (times.get(new).copied(), *new, *old));
    let mut order: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    put_before(&mut order, &changes);
    let places: HashMap<MemoryId, usize> = order.into_iter().zip(0..).collect();
    memories.sort_by_key(|memory| places.get(&memory.id).copied());
    newer
}

/// Returns each memory under review with the newest of those that contradict it, if that is newer.
fn contradictions(
    memories: &[Memory],
    marks: &HashMap<MemoryId, ReviewMark>,
) -> impl Iterator<Item = (MemoryId, MemoryId)> {
    let said = |memory: &Memory| (memory.valid_from, memory.id);
    memories.iter().filter_map(move |old| {
        let mark = marks.get(&old.id).filter(|mark| mark.kind == ReviewKind::Contradiction)?;
        let others = memories.iter().filter(|other| mark.others.contains(&other.id));
        let new = others.max_by_key(|other| said(other)).filter(|new| said(new) > said(old))?;
        Some((old.id, new.id))
    })
}

/// Moves the second of each pair in front of the first, one pair after the other.
fn put_before(order: &mut Vec<MemoryId>, pairs: &[(MemoryId, MemoryId)]) {
    for (old, new) in pairs {
        let position = |id: &MemoryId| order.iter().position(|one| one == id);
        let (Some(old), Some(new)) = (position(old), position(new)) else { continue };
        if old < new {
            let moved = order.remove(new);
            order.insert(old, moved);
        }
    }
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
                && titles_agree(old.title.as_deref(), new.title.as_deref())
                // Long texts have many words in common by chance; then one sentence decides.
                && new_text.has_near_sentence(old_text);
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
    // The order hides nothing, so that a weaker sign is enough for it.
    new.shares_topic(old) && changes() || new.may_update(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_changes_ends_with_the_newest_first() {
        let id = MemoryId;
        let mut order = vec![id(1), id(2), id(3), id(9)];
        put_before(&mut order, &[(id(1), id(2)), (id(2), id(3))]);
        assert_eq!(order, [id(3), id(2), id(1), id(9)]);
    }
}

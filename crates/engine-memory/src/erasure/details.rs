//! A deletion as a review item stores it: ids and names only. No text is in it, so that nothing of
//! a forgotten memory remains in the review list.

use model::{EntityId, JsonMap, MemoryId, RecordId, ReviewItem, limits};
use serde_json::{Value, json};

// The keys and words are stored in review items and must not change.
const ERASE: &str = "erase";
const MODE: &str = "mode";
const MEMORIES: &str = "memories";
const PROFILE_FIELDS: &str = "profile_fields";
const ROWS: &str = "rows";
const ENTITIES: &str = "entities";
const MERGES: &str = "merges";

/// Fate of the memories of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErasureMode {
    /// Removed from every place.
    #[default]
    Forget,
    /// No longer recalled; their history stays, and they can be restored.
    Retire,
}

impl ErasureMode {
    /// Returns the stored name, which is also the verb for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forget => "forget",
            Self::Retire => "retire",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Forget, Self::Retire].into_iter().find(|mode| mode.name() == name)
    }
}

/// Items to delete.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erasure {
    pub mode: ErasureMode,
    pub memories: Vec<MemoryId>,
    /// Dotted paths of profile fields, erased from every version.
    pub profile_fields: Vec<String>,
    /// Rows by table and id, deleted with the memories that describe them.
    pub rows: Vec<(String, RecordId)>,
    /// Entities, deleted with their observations, relations and mentions.
    pub entities: Vec<EntityId>,
    /// Entities to merge: the first is removed, the second remains.
    pub merges: Vec<(EntityId, EntityId)>,
}

impl Erasure {
    /// Creates an erasure of memories.
    #[must_use]
    pub fn of_memories(mode: ErasureMode, memories: Vec<MemoryId>) -> Self {
        Self { mode, memories, ..Self::default() }
    }

    /// Returns the erasure that a review item proposes.
    #[must_use]
    pub fn of_item(item: &ReviewItem) -> Option<Self> {
        Self::decode(&item.details)
    }

    /// Returns whether there is nothing to delete.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty()
            && self.profile_fields.is_empty()
            && self.rows.is_empty()
            && self.entities.is_empty()
            && self.merges.is_empty()
    }

    /// Returns whether the owner can take it back after accepting it.
    #[must_use]
    pub fn is_reversible(&self) -> bool {
        let only_memories = Self::of_memories(ErasureMode::Retire, self.memories.clone());
        let only_merges = Self { mode: self.mode, merges: self.merges.clone(), ..Self::default() };
        *self == only_merges
            || (*self == only_memories && self.memories.len() <= limits::IDS_PER_CALL)
    }

    /// Returns whether it deletes everything that another one does, in the same way.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.mode == other.mode
            && is_subset(&other.memories, &self.memories)
            && is_subset(&other.profile_fields, &self.profile_fields)
            && is_subset(&other.rows, &self.rows)
            && is_subset(&other.entities, &self.entities)
            && is_subset(&other.merges, &self.merges)
    }

    /// Describes the items by number: `3 memories and 1 profile field`.
    #[must_use]
    pub fn summary(&self) -> String {
        let parts = [
            (self.memories.len(), "memory", "memories"),
            (self.profile_fields.len(), "profile field", "profile fields"),
            (self.rows.len(), "row", "rows"),
            (self.entities.len(), "entity", "entities"),
            (self.merges.len(), "merge of entities", "merges of entities"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        parts.join(" and ")
    }

    /// Encodes it as the details of a review item.
    #[must_use]
    pub fn encode(&self) -> JsonMap {
        let mut inner = JsonMap::from_iter([(MODE.to_owned(), Value::from(self.mode.name()))]);
        let mut insert = |name: &str, list: Vec<Value>| {
            if !list.is_empty() {
                inner.insert(name.to_owned(), list.into());
            }
        };
        insert(MEMORIES, self.memories.iter().map(|id| id.0.into()).collect());
        insert(PROFILE_FIELDS, self.profile_fields.iter().map(|path| json!(path)).collect());
        insert(ROWS, self.rows.iter().map(|(table, id)| json!([table, id.0])).collect());
        insert(ENTITIES, self.entities.iter().map(|id| id.0.into()).collect());
        insert(MERGES, self.merges.iter().map(|(from, into)| json!([from.0, into.0])).collect());
        JsonMap::from_iter([(ERASE.to_owned(), Value::Object(inner))])
    }

    /// Decodes the details of a review item; `None` when they propose no erasure. Unreadable
    /// entries are skipped.
    #[must_use]
    pub fn decode(details: &JsonMap) -> Option<Self> {
        let inner = details.get(ERASE)?.as_object()?;
        let list = |name: &str| inner.get(name).and_then(Value::as_array).into_iter().flatten();
        let id = |value: &Value, at: usize| value.get(at).and_then(Value::as_i64);
        Some(Self {
            mode: ErasureMode::parse(inner.get(MODE)?.as_str()?)?,
            memories: list(MEMORIES).filter_map(Value::as_i64).map(MemoryId).collect(),
            profile_fields: list(PROFILE_FIELDS)
                .filter_map(|path| path.as_str().map(str::to_owned))
                .collect(),
            rows: list(ROWS)
                .filter_map(|row| Some((row[0].as_str()?.to_owned(), RecordId(id(row, 1)?))))
                .collect(),
            entities: list(ENTITIES).filter_map(Value::as_i64).map(EntityId).collect(),
            merges: list(MERGES)
                .filter_map(|pair| Some((EntityId(id(pair, 0)?), EntityId(id(pair, 1)?))))
                .collect(),
        })
    }
}

fn is_subset<T: PartialEq + Ord>(part: &[T], whole: &[T]) -> bool {
    let whole: std::collections::BTreeSet<&T> = whole.iter().collect();
    part.iter().all(|item| whole.contains(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything() -> Erasure {
        Erasure {
            mode: ErasureMode::Retire,
            memories: vec![MemoryId(3), MemoryId(9)],
            profile_fields: vec!["work.city".into()],
            rows: vec![("meals".into(), RecordId(4))],
            entities: vec![EntityId(7)],
            merges: vec![(EntityId(1), EntityId(2))],
        }
    }

    #[test]
    fn an_erasure_decodes_as_encoded() {
        for erasure in [everything(), Erasure::default()] {
            assert_eq!(Erasure::decode(&erasure.encode()), Some(erasure));
        }
        assert_eq!(Erasure::decode(&JsonMap::new()), None);
        let strange = json!({"erase": {"mode": "burn", "memories": [1]}});
        assert_eq!(Erasure::decode(strange.as_object().unwrap()), None);
    }

    #[test]
    fn an_erasure_covers_its_parts_and_nothing_more() {
        let part = Erasure { memories: vec![MemoryId(9)], rows: Vec::new(), ..everything() };
        assert!(everything().covers(&part) && !part.covers(&everything()));
        let otherwise = Erasure { mode: ErasureMode::Forget, ..part };
        assert!(!everything().covers(&otherwise), "forgetting is more than retiring");
    }

    #[test]
    fn only_a_retirement_of_memories_and_a_merge_can_be_taken_back() {
        let memories = vec![MemoryId(1)];
        let merge = Erasure { merges: vec![(EntityId(1), EntityId(2))], ..Erasure::default() };
        assert!(merge.is_reversible());
        assert!(Erasure::of_memories(ErasureMode::Retire, memories.clone()).is_reversible());
        assert!(!Erasure::of_memories(ErasureMode::Forget, memories).is_reversible());
        assert!(!everything().is_reversible());
    }

    #[test]
    fn a_summary_counts_what_would_go() {
        let summary = "2 memories and 1 profile field and 1 row and 1 entity and 1 merge of \
                       entities";
        assert_eq!(everything().summary(), summary);
    }
}

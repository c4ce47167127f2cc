//! Comparison of a profile with the memories of its values. Every value has exactly one memory, and
//! no memory speaks of a value that the profile does not have. Pure: memories and leaves in, the
//! necessary changes out.

use super::leaves::ProfileLeaf;
use super::{PROFILE_FIELD, PROFILE_SUBJECT, profile_fields};
use model::{JsonMap, Memory, MemoryId, path_without_places, paths_overlap, value_at};
use serde_json::Value;

/// Changes that make the memories say what the profile says.
#[derive(Debug, Default)]
pub(super) struct LeafChanges<'a> {
    /// Values without a memory, with the memories that the new one replaces.
    pub added: Vec<(&'a ProfileLeaf, Vec<MemoryId>)>,
    /// Memories whose value is at another path now.
    pub moved: Vec<(&'a Memory, &'a ProfileLeaf)>,
    /// Memories of earlier values, with the memory that has the value now.
    pub replaced: Vec<(MemoryId, MemoryId)>,
    /// Memories of values that are gone.
    pub retired: Vec<MemoryId>,
}

impl LeafChanges<'_> {
    /// Returns the memories that speak of what the profile does not say.
    pub fn stale(&self) -> Vec<MemoryId> {
        let behind = self.added.iter().flat_map(|(_, replaced)| replaced.iter().copied());
        let replaced = self.replaced.iter().map(|(old, _)| *old);
        behind.chain(replaced).chain(self.retired.iter().copied()).collect()
    }
}

/// Returns whether a memory is that of one value; others are sentences about several fields.
pub(super) fn is_leaf(memory: &Memory) -> bool {
    memory.metadata.get(PROFILE_FIELD).is_some_and(Value::is_string)
        && profile_fields(memory).next().is_some()
}

/// Compares memories with the leaves of a profile. `changed` are the fields that have changed: a
/// sentence about one of them no longer holds.
pub(super) fn reconcile<'a>(
    stored: &'a [Memory],
    wanted: &'a [ProfileLeaf],
    profile: &JsonMap,
    changed: &[String],
) -> LeafChanges<'a> {
    let mut open = OpenPairs::new(stored, wanted);
    let (mut changes, mut kept) = (LeafChanges::default(), Vec::new());
    kept.extend(open.take(|memory, leaf| path(memory) == leaf.path && memory.text == leaf.text));
    changes.moved = open.take(|memory, leaf| memory.text == leaf.text);
    kept.extend(&changes.moved);
    // The value of the same subject comes first: members of a list change their places.
    let mut replaced = open.take(is_same_value);
    let renamed = |memory: &Memory, leaf: &ProfileLeaf| is_renamed(memory, leaf, stored, wanted);
    replaced.extend(open.take(renamed));
    changes.added = open.leaves.iter().map(|leaf| (*leaf, Vec::new())).collect();
    changes.added.extend(replaced.iter().map(|(memory, leaf)| (*leaf, vec![memory.id])));
    for memory in &open.memories {
        let same = |leaf: &ProfileLeaf| is_same_value(memory, leaf) || renamed(memory, leaf);
        let now = kept.iter().find(|(_, leaf)| is_same_value(memory, leaf)).map(|(now, _)| now.id);
        let new = changes.added.iter_mut().find(|(leaf, _)| same(leaf));
        match (now, new) {
            (Some(now), _) => changes.replaced.push((memory.id, now)),
            (None, Some((_, olds))) => olds.push(memory.id),
            (None, None) => changes.retired.push(memory.id),
        }
    }
    let outdated = |memory: &&Memory| is_outdated(memory, profile, changed);
    for memory in stored.iter().filter(|memory| !is_leaf(memory)).filter(outdated) {
        let about = |leaf: &ProfileLeaf| {
            profile_fields(memory).any(|field| paths_overlap(field, &leaf.path))
        };
        match changes.added.iter_mut().find(|(leaf, _)| about(leaf)) {
            Some((_, olds)) => olds.push(memory.id),
            None => changes.retired.push(memory.id),
        }
    }
    changes
}

/// Returns whether a sentence is about a field that has changed or is gone.
fn is_outdated(memory: &Memory, profile: &JsonMap, changed: &[String]) -> bool {
    profile_fields(memory).any(|field| {
        let gone = value_at(profile, field).is_none();
        gone || changed.iter().any(|path| paths_overlap(path, field))
    })
}

fn path(memory: &Memory) -> &str {
    profile_fields(memory).next().unwrap_or_default()
}

fn subject(memory: &Memory) -> Option<&str> {
    memory.metadata.get(PROFILE_SUBJECT).and_then(Value::as_str)
}

/// Returns whether a memory and a leaf are about the same field of the same subject.
fn is_same_value(memory: &Memory, leaf: &ProfileLeaf) -> bool {
    let same_field = || path_without_places(path(memory)) == path_without_places(&leaf.path);
    match (subject(memory), leaf.subject.as_deref()) {
        (Some(one), Some(other)) => one == other && same_field(),
        // The name of a member stands at a place where another member may stand now.
        (None, None) => path(memory) == leaf.path && !leaf.path.contains('['),
        _ => false,
    }
}

/// Returns whether a memory and a leaf are about the same field under another name: the old name is
/// gone, and the new one was not there before.
fn is_renamed(
    memory: &Memory,
    leaf: &ProfileLeaf,
    stored: &[Memory],
    wanted: &[ProfileLeaf],
) -> bool {
    let (old, new) = (subject(memory), leaf.subject.as_deref());
    let old_stays = wanted.iter().any(|leaf| leaf.subject.as_deref() == old);
    let new_was_there = stored.iter().any(|memory| subject(memory) == new);
    path(memory) == leaf.path && (old.is_none() || !old_stays) && (new.is_none() || !new_was_there)
}

/// Memories and leaves that are not matched yet.
struct OpenPairs<'a> {
    memories: Vec<&'a Memory>,
    leaves: Vec<&'a ProfileLeaf>,
}

impl<'a> OpenPairs<'a> {
    fn new(stored: &'a [Memory], wanted: &'a [ProfileLeaf]) -> Self {
        let memories = stored.iter().filter(|memory| is_leaf(memory)).collect();
        Self { memories, leaves: wanted.iter().collect() }
    }

    /// Takes out every pair that matches, each memory and each leaf once.
    fn take(
        &mut self,
        matches: impl Fn(&Memory, &ProfileLeaf) -> bool,
    ) -> Vec<(&'a Memory, &'a ProfileLeaf)> {
        let mut taken = Vec::new();
        self.memories.retain(|memory| {
            let at = self.leaves.iter().position(|leaf| matches(memory, leaf));
            taken.extend(at.map(|at| (*memory, self.leaves.remove(at))));
            at.is_none()
        });
        taken
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::profile::leaves::ProfileLeaves;
    use model::{
        AccessStats, AgentName, Author, Dialect, Kind, Moment, Origin, Provenance, Status,
    };
    use serde_json::json;

    /// Builds the memory of a value.
    pub fn leaf_memory(id: i64, path: &str, subject: Option<&str>, text: &str) -> Memory {
        let author = Author {
            agent: AgentName::new("a"),
            client: None,
            dialect: Dialect::Quipu,
            tool: String::new(),
        };
        let origin = Origin::Agent;
        let mut metadata = JsonMap::from_iter([(PROFILE_FIELD.to_owned(), path.into())]);
        metadata.extend(subject.map(|name| (PROFILE_SUBJECT.to_owned(), name.into())));
        Memory {
            id: MemoryId(id),
            kind: Kind::note(),
            title: None,
            text: text.into(),
            summary: None,
            collection: super::super::COLLECTION.into(),
            session: None,
            project: None,
            tags: vec![],
            applies_to: vec![],
            priority: 3,
            confidence: 0.9,
            metadata,
            provenance: Provenance { author, origin, trust: origin.trust(), at: Moment(0) },
            valid_from: Moment(0),
            valid_to: None,
            status: Status::Active,
            ended_at: None,
            access: AccessStats::default(),
            flags: 0,
            updated_at: Moment(0),
        }
    }

    /// Builds the memories of all values of a profile, numbered from 1.
    fn memories(profile: &Value) -> Vec<Memory> {
        let read = ProfileLeaves::read(profile.as_object().unwrap());
        let memory = |(id, leaf): (i64, &ProfileLeaf)| {
            leaf_memory(id, &leaf.path, leaf.subject.as_deref(), &leaf.text)
        };
        (1_i64..).zip(&read.leaves).map(memory).collect()
    }

    fn described(before: &Value, after: &Value) -> Vec<String> {
        let (stored, profile) = (memories(before), after.as_object().unwrap());
        let leaves = ProfileLeaves::read(profile).leaves;
        let changes = reconcile(&stored, &leaves, profile, &[]);
        let text = |id: &MemoryId| stored[id.0 as usize - 1].text.clone();
        let olds = |olds: &[MemoryId]| olds.iter().map(text).collect::<Vec<_>>().join(" + ");
        let added =
            changes.added.iter().map(|(leaf, old)| format!("{} <- {}", leaf.text, olds(old)));
        let moved =
            changes.moved.iter().map(|(old, leaf)| format!("{} at {}", old.text, leaf.path));
        let retired = changes.retired.iter().map(|id| format!("{} gone", text(id)));
        let mut all: Vec<String> = added.chain(moved).chain(retired).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_changed_value_replaces_the_memory_of_its_path_and_a_removed_one_retires_it() {
        let before = json!({"location": {"city": "Lisbon", "country": "PT"}, "diet": "vegan"});
        let after = json!({"location": {"city": "Porto", "country": "PT"}});
        assert_eq!(
            described(&before, &after),
            ["diet: vegan gone", "location city: Porto <- location city: Lisbon"]
        );
        assert!(described(&after, &after).is_empty());
    }

    #[test]
    fn a_member_that_moves_in_its_list_keeps_its_memories() {
        let before = json!({"family": [
            {"name": "Ravi", "age": 9}, {"name": "Leela", "age": 7}
        ]});
        let after = json!({"family": [{"name": "Leela", "age": 8}]});
        assert_eq!(
            described(&before, &after),
            [
                "Leela (family): age: 8 <- Leela (family): age: 7",
                "Ravi (family): age: 9 gone",
                "family name: Leela at family[0].name",
                "family name: Ravi gone",
            ]
        );
    }

    #[test]
    fn a_renamed_member_is_still_the_same_member() {
        let before = json!({"family": [{"name": "Lila", "age": 7}]});
        let after = json!({"family": [{"name": "Leela", "age": 7}]});
        assert_eq!(
            described(&before, &after),
            [
                "Leela (family): age: 7 <- Lila (family): age: 7",
                "family name: Leela <- family name: Lila",
            ]
        );
    }

    #[test]
    fn a_memory_of_a_whole_object_and_an_outdated_sentence_end() {
        let profile = json!({"location": {"city": "Porto"}, "diet": "vegan"});
        let profile = profile.as_object().unwrap();
        let mut sentence = leaf_memory(2, "", None, "I live in Lisbon and eat no meat");
        sentence.metadata.insert(PROFILE_FIELD.to_owned(), json!(["diet", "location.city"]));
        let stored = [leaf_memory(1, "location", None, "location: city Lisbon"), sentence];
        let leaves = ProfileLeaves::read(profile).leaves;
        let changed = ["location.city".to_owned()];
        let changes = reconcile(&stored, &leaves, profile, &changed);
        let mut stale = changes.stale();
        stale.sort_unstable();
        assert_eq!((stale, changes.added.len()), (vec![MemoryId(1), MemoryId(2)], 2));
        let kept = reconcile(&stored[1..], &leaves, profile, &[]);
        assert!(kept.stale().is_empty(), "nothing that it says has changed");
    }
}

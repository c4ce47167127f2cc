//! The rows that undoing a merge writes, from the state before it and the state now.

use super::{EntityFacts, MergeState};
use crate::AttributedRelation;
use crate::rules::fold_name;
use model::{
    Entity, EntityId, JsonMap, MemoryId, Mention, Observation, ObservationId, Relation, RelationId,
    merge_patch,
};
use std::collections::BTreeSet;

/// Largest weight of a relation.
const WEIGHT_MAX: f32 = 10.0;
/// Difference of two weights that is an error of rounding.
const ROUNDING: f32 = 1e-4;

/// Rows that undoing a merge writes.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeUndo {
    /// The entity that comes back, under its old id; with the names that come back with it.
    pub restored: Entity,
    pub restored_aliases: Vec<(String, String)>,
    /// The entity that remained, with its fields as they are to be.
    pub remaining: Entity,
    /// Names that the merge gave it, as name and kind now.
    pub dropped_aliases: Vec<(String, String)>,
    /// Memories whose mention of the remaining entity is one of the restored entity.
    pub moved_mentions: Vec<MemoryId>,
    pub added_mentions: Vec<Mention>,
    pub moved_observations: Vec<ObservationId>,
    pub added_observations: Vec<Observation>,
    /// Relations to write as they stand here, over those of the same id.
    pub relations: Vec<AttributedRelation>,
}

impl MergeState {
    /// Plans the undoing; `now` is everything about the entity that remained.
    #[must_use]
    pub fn undo(&self, now: &EntityFacts) -> MergeUndo {
        let (moved_mentions, added_mentions) = self.mentions(now);
        let (moved_observations, added_observations) = self.observations(now);
        MergeUndo {
            restored: self.from.entity.clone(),
            restored_aliases: self.from.aliases.clone(),
            remaining: self.remaining(now),
            dropped_aliases: self.dropped_aliases(now),
            moved_mentions,
            added_mentions,
            moved_observations,
            added_observations,
            relations: self.relations(now),
        }
    }

    fn remaining(&self, now: &EntityFacts) -> Entity {
        let (from, before, now) = (&self.from.entity, &self.into.entity, &now.entity);
        let merged = merge_patch(&from.properties, &before.properties);
        let (first, last) =
            (from.first_seen.min(before.first_seen), from.last_seen.max(before.last_seen));
        Entity {
            properties: before_merge(&before.properties, &merged, &now.properties),
            confidence: if now.confidence == from.confidence.max(before.confidence) {
                before.confidence
            } else {
                now.confidence
            },
            first_seen: if now.first_seen == first { before.first_seen } else { now.first_seen },
            last_seen: if now.last_seen == last { before.last_seen } else { now.last_seen },
            ..now.clone()
        }
    }

    fn dropped_aliases(&self, now: &EntityFacts) -> Vec<(String, String)> {
        let own = self.own_names();
        now.aliases.iter().filter(|(name, _)| own.contains(&fold_name(name))).cloned().collect()
    }

    /// Mentions that move back, and those that the merge dropped. A mention that was read since
    /// under a name of the restored entity is its own.
    fn mentions(&self, now: &EntityFacts) -> (Vec<MemoryId>, Vec<Mention>) {
        let of = |facts: &EntityFacts| -> BTreeSet<MemoryId> {
            facts.mentions.iter().map(|one| one.memory).collect()
        };
        let (before, joined, standing) = (of(&self.from), of(&self.into), of(now));
        let own = self.own_names();
        let is_own = |one: &&Mention| {
            let known = before.contains(&one.memory);
            let moved = known && !joined.contains(&one.memory);
            moved || (!known && own.contains(&fold_name(&one.name)))
        };
        let moved = now.mentions.iter().filter(is_own).map(|one| one.memory).collect();
        let dropped = self
            .from
            .mentions
            .iter()
            .filter(|one| joined.contains(&one.memory) && standing.contains(&one.memory));
        (moved, dropped.cloned().collect())
    }

    fn observations(&self, now: &EntityFacts) -> (Vec<ObservationId>, Vec<Observation>) {
        let standing: BTreeSet<_> = now.observations.iter().map(|one| one.id).collect();
        let before: BTreeSet<_> = self.from.observations.iter().map(|one| one.id).collect();
        let dropped =
            self.from.observations.iter().filter(|one| {
                self.observation_twin(one).is_some_and(|twin| standing.contains(&twin))
            });
        (standing.intersection(&before).copied().collect(), dropped.cloned().collect())
    }

    fn relations(&self, now: &EntityFacts) -> Vec<AttributedRelation> {
        let ids = (self.from.entity.id, self.into.entity.id);
        let find = |id: RelationId| now.relations.iter().find(|one| one.relation.id == id);
        let mut written = Vec::new();
        for before in &self.from.relations {
            let (id, ends) = (before.relation.id, (before.relation.source, before.relation.target));
            if let Some(moved) = find(id) {
                written.push(moved_back(before, moved, ids.0));
            } else if ends == ids || ends == (ids.1, ids.0) {
                written.push(before.clone());
            } else if let Some(twin) = self.relation_twin(before)
                && let Some(joined) = find(twin.relation.id)
            {
                written.extend(parted(before, twin, joined, ids.0));
            }
        }
        written
    }
}

/// The ends of a relation of the restored entity, after those of what it became.
fn ends(before: &Relation, now: &Relation, from: EntityId) -> (EntityId, EntityId) {
    let end = |was: EntityId, is: EntityId| if was == from { from } else { is };
    (end(before.source, now.source), end(before.target, now.target))
}

fn moved_back(
    before: &AttributedRelation,
    now: &AttributedRelation,
    from: EntityId,
) -> AttributedRelation {
    let (source, target) = ends(&before.relation, &now.relation, from);
    let relation = Relation { source, target, ..now.relation.clone() };
    AttributedRelation { relation, ..now.clone() }
}

/// Parts a relation that the merge joined out of two. What was stated since stays with the one of
/// the entity that remained.
fn parted(
    goes: &AttributedRelation,
    stays: &AttributedRelation,
    now: &AttributedRelation,
    from: EntityId,
) -> Vec<AttributedRelation> {
    let standing: BTreeSet<MemoryId> = now.stated_in.iter().copied().collect();
    let stated_in: Vec<_> =
        goes.stated_in.iter().copied().filter(|id| standing.contains(id)).collect();
    let moved = |id: &MemoryId| goes.stated_in.contains(id) && !stays.stated_in.contains(id);
    let left: Vec<_> = now.stated_in.iter().copied().filter(|id| !moved(id)).collect();
    let (source, target) = ends(&goes.relation, &now.relation, from);
    let memory = stated_by(goes.relation.memory, &stated_in);
    let restored = Relation { source, target, memory, ..goes.relation.clone() };
    let restored = AttributedRelation { relation: restored, stated_in, ..goes.clone() };
    let relation = relation_before(&goes.relation, &stays.relation, &now.relation);
    let memory = stated_by(relation.memory.or(stays.relation.memory), &left);
    // It was stated without a memory before the merge, or since.
    let restated = !goes.unattached || relation.weight > stays.relation.weight + ROUNDING;
    let unattached = stays.unattached || (now.unattached && restated);
    let remaining = Relation { memory, ..relation };
    let remaining = AttributedRelation { relation: remaining, stated_in: left, unattached };
    let exists = |one: &AttributedRelation| one.unattached || !one.stated_in.is_empty();
    if !exists(&remaining) {
        // All that states it now is what states the one that goes.
        return vec![moved_back(goes, now, from)];
    }
    [remaining].into_iter().chain(Some(restored).filter(exists)).collect()
}

fn stated_by(memory: Option<MemoryId>, stated_in: &[MemoryId]) -> Option<MemoryId> {
    memory.filter(|id| stated_in.contains(id)).or_else(|| stated_in.first().copied())
}

/// The fields of a joined relation without those of the one that goes.
fn relation_before(goes: &Relation, stays: &Relation, now: &Relation) -> Relation {
    let merged = merge_patch(&goes.properties, &stays.properties);
    let grown = now.weight - (goes.weight + stays.weight).min(WEIGHT_MAX);
    let weight = if grown.abs() < ROUNDING { stays.weight } else { stays.weight + grown };
    let (first, last) =
        (goes.first_seen.min(stays.first_seen), goes.last_seen.max(stays.last_seen));
    Relation {
        weight: weight.clamp(0.0, WEIGHT_MAX),
        confidence: if now.confidence == goes.confidence.max(stays.confidence) {
            stays.confidence
        } else {
            now.confidence
        },
        properties: before_merge(&stays.properties, &merged, &now.properties),
        first_seen: if now.first_seen == first { stays.first_seen } else { now.first_seen },
        last_seen: if now.last_seen == last { stays.last_seen } else { now.last_seen },
        ..now.clone()
    }
}

/// Properties without what a merge added; those that changed since stay.
fn before_merge(before: &JsonMap, merged: &JsonMap, now: &JsonMap) -> JsonMap {
    let mut restored = now.clone();
    for (name, value) in merged {
        if now.get(name) == Some(value) {
            match before.get(name) {
                Some(earlier) => restored.insert(name.clone(), earlier.clone()),
                None => restored.remove(name),
            };
        }
    }
    restored
}

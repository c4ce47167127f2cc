//! Undoing a merge of two entities: the state that a backend captures before it merges, and the
//! rows that undoing writes. A later change is kept: a value that differs from what the merge left
//! stays, and what was added since stays with the entity that remained.

mod merge_encoding;
mod undo_plan;

pub use undo_plan::MergeUndo;

use crate::AttributedRelation;
use crate::rules::fold_name;
use model::{Entity, EntityId, ErrorCode, Failure, MemoryId, Mention, Observation, ObservationId};
use std::collections::BTreeSet;

/// Number of merges that can be undone; older ones are dropped.
pub const MERGES_KEPT: i64 = 100;

/// Refusal to undo a merge before a later one into the same entity.
#[must_use]
pub fn later_merge(entity: EntityId) -> Failure {
    let message = format!("entity {entity} was merged into the same entity later; undo that first");
    Failure::new(ErrorCode::Conflict, message)
}

/// Refusal to undo a merge whose remaining entity is gone.
#[must_use]
pub fn remaining_is_gone(entity: EntityId) -> Failure {
    let message = format!("entity {entity} was merged or deleted since; undo its merge first");
    Failure::new(ErrorCode::Conflict, message)
}

/// Refusal to undo a merge when another entity has the name now.
#[must_use]
pub fn name_is_taken(entity: EntityId) -> Failure {
    let message = format!("entity {entity} has the name and the kind of the merged one by now");
    Failure::new(ErrorCode::Conflict, message)
}

/// Everything that is stored about one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityFacts {
    pub entity: Entity,
    /// Other names, each with the kind under which the entity went by it.
    pub aliases: Vec<(String, String)>,
    pub mentions: Vec<Mention>,
    pub observations: Vec<Observation>,
    pub relations: Vec<AttributedRelation>,
}

/// State of two entities before they were merged, as far as undoing needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeState {
    /// The entity that was removed.
    pub from: EntityFacts,
    /// The entity that remained; its lists have only what the merge joined with the other.
    pub into: EntityFacts,
}

impl MergeState {
    /// Returns what undoing needs of the two entities.
    #[must_use]
    pub fn new(from: EntityFacts, mut into: EntityFacts) -> Self {
        let memories: BTreeSet<MemoryId> = from.mentions.iter().map(|one| one.memory).collect();
        into.mentions.retain(|one| memories.contains(&one.memory));
        into.observations.retain(|one| from.observations.iter().any(|it| it.text == one.text));
        let ends = (from.entity.id, into.entity.id);
        let joined = |twin: &AttributedRelation| {
            from.relations.iter().any(|relation| is_twin(relation, twin, ends))
        };
        into.relations.retain(joined);
        Self { from, into }
    }

    /// Returns the state without what certain memories state; nothing when no fact is left about
    /// the removed entity.
    #[must_use]
    pub fn without(mut self, memories: &BTreeSet<MemoryId>) -> Option<Self> {
        for facts in [&mut self.from, &mut self.into] {
            facts.mentions.retain(|one| !memories.contains(&one.memory));
            facts.observations.retain(|one| one.memory.is_none_or(|id| !memories.contains(&id)));
            for relation in &mut facts.relations {
                relation.stated_in.retain(|id| !memories.contains(id));
                let first = relation.stated_in.first().copied();
                let gone = |id: &MemoryId| memories.contains(id);
                if relation.relation.memory.as_ref().is_some_and(gone) {
                    relation.relation.memory = first;
                }
            }
            facts.relations.retain(|one| one.unattached || !one.stated_in.is_empty());
        }
        let left = &self.from;
        let has_facts = !left.mentions.is_empty()
            || !left.observations.is_empty()
            || !left.relations.is_empty();
        has_facts.then_some(self)
    }

    /// Returns whether a memory states something in it.
    #[must_use]
    pub fn is_stated_by(&self, memories: &BTreeSet<MemoryId>) -> bool {
        let has = |id: &MemoryId| memories.contains(id);
        [&self.from, &self.into].into_iter().any(|facts| {
            facts.mentions.iter().any(|one| has(&one.memory))
                || facts.observations.iter().any(|one| one.memory.as_ref().is_some_and(has))
                || facts.relations.iter().any(|one| one.stated_in.iter().any(has))
        })
    }

    /// Returns the observation of the entity that remained with the text of a removed one.
    fn observation_twin(&self, of: &Observation) -> Option<ObservationId> {
        self.into.observations.iter().find(|one| one.text == of.text).map(|one| one.id)
    }

    fn relation_twin(&self, of: &AttributedRelation) -> Option<&AttributedRelation> {
        let ends = (self.from.entity.id, self.into.entity.id);
        self.into.relations.iter().find(|twin| is_twin(of, twin, ends))
    }

    /// Returns the folded names of the removed entity that the other one did not have.
    fn own_names(&self) -> BTreeSet<String> {
        let names = |facts: &EntityFacts| {
            let aliases = facts.aliases.iter().map(|(name, _)| fold_name(name));
            aliases.chain([fold_name(&facts.entity.name)]).collect::<BTreeSet<_>>()
        };
        &names(&self.from) - &names(&self.into)
    }
}

/// Returns whether merging joined a relation of the removed entity with one of the other.
fn is_twin(
    relation: &AttributedRelation,
    twin: &AttributedRelation,
    (from, into): (EntityId, EntityId),
) -> bool {
    let end = |entity: EntityId| if entity == from { into } else { entity };
    let (one, other) = (&relation.relation, &twin.relation);
    let ends = (end(one.source), end(one.target));
    one.id != other.id && one.kind == other.kind && ends == (other.source, other.target)
}

//! Graph patterns: entities of a kind that are related in some way to anything, or to a given
//! entity. Also from plain questions such as "what food do I like?".

use super::{EntityRef, RelationView, Sight, find, relations_touching, with_names};
use crate::Graph;
use crate::knots::OWNER;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Entity, EntityId, Failure, Page, Permission, Relation, limits};
use reading::Party;
use std::collections::{HashMap, HashSet};
use store::EntityQuery;

/// Default number of entities.
const LIMIT: usize = 20;
const LIMIT_MAX: usize = 200;

/// Input of [`Engine::graph_pattern`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphPattern {
    pub kind: Option<String>,
    /// Part of the name, case-insensitive.
    pub name: Option<String>,
    /// Kinds of relations in either direction; any when empty.
    pub relations: Vec<String>,
    /// Entity at the other end.
    pub tied_to: Option<EntityRef>,
    /// Kind of the entity at the other end.
    pub tied_to_kind: Option<String>,
    /// 20 when missing, at most 200.
    pub limit: Option<usize>,
}

/// Entities that match a pattern, with the relations that make them match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PatternFound {
    /// Most strongly related first, then most mentioned.
    pub entities: Vec<Entity>,
    pub relations: Vec<RelationView>,
    /// The pattern in words.
    pub looked_for: String,
    /// True when no entity has the requested kind, so that others are returned.
    pub of_any_kind: bool,
}

impl GraphPattern {
    /// Parses a question in plain words; `None` when it does not ask about relations.
    #[must_use]
    pub fn asked(question: &str) -> Option<Self> {
        let asked = reading::asked(question)?;
        let subject = match asked.subject {
            Party::Owner => OWNER.to_owned(),
            Party::Named(name) => name,
        };
        Some(Self {
            kind: asked.kind.map(str::to_owned),
            relations: asked.relations,
            tied_to: Some(EntityRef::Name(subject)),
            ..Self::default()
        })
    }

    fn in_words(&self) -> String {
        let kind = self.kind.as_deref().unwrap_or("anything");
        let name = self.name.as_deref().map(|name| format!(" named like {name}"));
        let tied = (!self.relations.is_empty())
            .then(|| format!(" tied by {}", self.relations.join(" or ")));
        let to = self.tied_to.as_ref().map(|entity| format!(" to {entity}"));
        let sort = self.tied_to_kind.as_deref().map(|kind| format!(" to some {kind}"));
        [Some(kind.to_owned()), name, tied, to, sort].into_iter().flatten().collect()
    }
}

impl Graph<'_> {
    /// Returns the entities that match a pattern. When none has the requested kind, those of an
    /// unspecific kind are returned; when the entity at the other end is unknown, none.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn graph_pattern(
        self,
        caller: &Caller,
        input: &GraphPattern,
    ) -> Result<PatternFound, Failure> {
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
        let looked_for = input.in_words();
        let by_relation =
            !input.relations.is_empty() || input.tied_to.is_some() || input.tied_to_kind.is_some();
        let mut found =
            if by_relation { tied(&call, input).await? } else { listed(&call, input).await? };
        found.looked_for = looked_for;
        call.note_shown(format!("showed {} entities", found.entities.len()), &[]).await;
        Ok(found)
    }
}

async fn listed(call: &Call<'_>, input: &GraphPattern) -> Result<PatternFound, Failure> {
    let query = EntityQuery { name: input.name.clone(), kind: input.kind.clone() };
    let page = Page::first(wanted(input));
    let listed = Sight::of(call).await?.list(call, &query, page).await?;
    let ids: Vec<EntityId> = listed.items.iter().map(|entity| entity.id).collect();
    let mut relations = relations_touching(call, &ids).await?;
    // A well connected entity may have more relations than a result should carry.
    relations.truncate(limits::PAGE);
    let relations = with_names(call, relations).await?;
    Ok(PatternFound { entities: listed.items, relations, ..PatternFound::default() })
}

async fn tied(call: &Call<'_>, input: &GraphPattern) -> Result<PatternFound, Failure> {
    // Relations are read by entity, so the search needs entities to begin at.
    let Some(anchors) = anchors(call, input).await? else { return Ok(PatternFound::default()) };
    let relations = relations_touching(call, &anchors.ids).await?;
    let ways: Vec<(Relation, EntityId, EntityId)> =
        relations.into_iter().filter(|one| follows(input, one)).flat_map(both_ways).collect();
    let ids: Vec<EntityId> = unique(ways.iter().flat_map(|(_, from, to)| [*from, *to]));
    let entities = entities_by_id(call, &ids).await?;
    let mut fit = Fit::new(input, &anchors, &entities);
    let mut fitting: Vec<&(Relation, EntityId, EntityId)> =
        ways.iter().filter(|way| fit.takes(way)).collect();
    // An entity read from a plain text often has the kind `topic`; better that than no answer.
    if fitting.is_empty() && input.kind.is_some() {
        fit.any_kind = true;
        fitting = ways.iter().filter(|way| fit.takes(way)).collect();
    }
    let of_any_kind = fit.any_kind && !fitting.is_empty();
    let mut answer: Vec<EntityId> = unique(fitting.iter().map(|(_, _, to)| *to));
    answer.truncate(wanted(input));
    let kept: Vec<Relation> = fitting
        .iter()
        .filter(|(_, _, to)| answer.contains(to))
        .map(|(relation, ..)| relation.clone())
        .collect();
    let entities = answer.iter().filter_map(|id| entities.get(id).cloned()).collect();
    let relations = with_names(call, kept).await?;
    Ok(PatternFound { entities, relations, of_any_kind, ..PatternFound::default() })
}

fn wanted(input: &GraphPattern) -> usize {
    input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX)
}

/// Entities at which to look for relations.
struct Anchors {
    ids: Vec<EntityId>,
    /// True when these are the other ends, false when they are the answers themselves.
    are_others: bool,
}

async fn anchors(call: &Call<'_>, input: &GraphPattern) -> Result<Option<Anchors>, Failure> {
    if let Some(entity) = &input.tied_to {
        return match find(call, entity).await {
            Ok(entity) => Ok(Some(Anchors { ids: vec![entity.id], are_others: true })),
            // Asking about an unknown person is a question without an answer, not an error.
            Err(failure) if failure.code == model::ErrorCode::NotFound => Ok(None),
            Err(failure) => Err(failure),
        };
    }
    let query = EntityQuery { name: input.name.clone(), kind: input.kind.clone() };
    let page = Page::first(limits::IDS);
    let listed = Sight::of(call).await?.list(call, &query, page).await?;
    Ok(Some(Anchors {
        ids: listed.items.iter().map(|entity| entity.id).collect(),
        are_others: false,
    }))
}

fn follows(input: &GraphPattern, relation: &Relation) -> bool {
    input.relations.is_empty() || input.relations.contains(&relation.kind)
}

/// Returns a relation from both ends, each as (relation, other end, answer).
fn both_ways(relation: Relation) -> [(Relation, EntityId, EntityId); 2] {
    let (source, target) = (relation.source, relation.target);
    [(relation.clone(), source, target), (relation, target, source)]
}

/// Decides which end of a relation matches the pattern.
struct Fit<'f> {
    input: &'f GraphPattern,
    anchors: HashSet<EntityId>,
    are_others: bool,
    entities: &'f HashMap<EntityId, Entity>,
    any_kind: bool,
}

impl<'f> Fit<'f> {
    fn new(
        input: &'f GraphPattern,
        anchors: &Anchors,
        entities: &'f HashMap<EntityId, Entity>,
    ) -> Self {
        let (ids, are_others) = (anchors.ids.iter().copied().collect(), anchors.are_others);
        Self { input, anchors: ids, are_others, entities, any_kind: false }
    }

    fn takes(&self, (_, other, answer): &(Relation, EntityId, EntityId)) -> bool {
        let anchored = if self.are_others { other } else { answer };
        let (Some(other), Some(answer)) = (self.entities.get(other), self.entities.get(answer))
        else {
            return false;
        };
        self.anchors.contains(anchored)
            && self.fits_kind(answer)
            && self.fits_name(answer)
            && self.fits_other(other)
    }

    fn fits_kind(&self, answer: &Entity) -> bool {
        let vague = self.any_kind && matches!(answer.kind.as_str(), "topic" | "name" | "entity");
        self.input.kind.as_deref().is_none_or(|kind| kind == answer.kind || vague)
    }

    fn fits_name(&self, answer: &Entity) -> bool {
        let holds = |part: &str| answer.name.to_lowercase().contains(&part.to_lowercase());
        self.input.name.as_deref().is_none_or(holds)
    }

    fn fits_other(&self, other: &Entity) -> bool {
        self.input.tied_to_kind.as_deref().is_none_or(|kind| kind == other.kind)
    }
}

async fn entities_by_id(
    call: &Call<'_>,
    ids: &[EntityId],
) -> Result<HashMap<EntityId, Entity>, Failure> {
    let mut found = HashMap::new();
    for some in ids.chunks(limits::IDS) {
        let entities = call.store().entities(some).await?;
        let seen = Sight::of(call).await?.all(call, entities).await?;
        found.extend(seen.into_iter().map(|entity| (entity.id, entity)));
    }
    Ok(found)
}

/// Removes duplicates and keeps the order of first appearance.
fn unique(ids: impl Iterator<Item = EntityId>) -> Vec<EntityId> {
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(*id)).collect()
}

//! Graph patterns: entities of a kind that are related in some way to anything, or to a given
//! entity. Also from plain questions such as "what food do I like?".

use super::{EntityRef, EntityVisibility, RelationView, find, relations_touching, with_names};
use crate::Graph;
use crate::relations::OWNER;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Entity, EntityId, Failure, Page, Permission, Relation, limits};
use reading::RelationSubject;
use std::collections::{HashMap, HashSet};
use store::EntityQuery;

/// Default number of entities.
const LIMIT: usize = 20;
const LIMIT_MAX: usize = 200;

/// Input of [`Graph::graph_pattern`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphPatternRequest {
    pub kind: Option<String>,
    /// Part of the name, case-insensitive.
    pub name: Option<String>,
    /// Kinds of relations in either direction; any when empty.
    pub relations: Vec<String>,
    /// Entity at the other end.
    pub related_to: Option<EntityRef>,
    /// Kind of the entity at the other end.
    pub related_to_kind: Option<String>,
    /// Use of media, one of [`reading::MEDIA_USES`]; a relation that states another does not match.
    pub media_use: Option<&'static str>,
    /// 20 when missing, at most 200.
    pub limit: Option<usize>,
}

/// Entities that match a pattern, with the relations that make them match.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphPatternResults {
    /// Most strongly related first, then most mentioned.
    pub entities: Vec<Entity>,
    pub relations: Vec<RelationView>,
    /// The pattern in words.
    pub description: String,
    /// True when no entity has the requested kind, so that others are returned.
    pub kind_ignored: bool,
}

impl GraphPatternRequest {
    /// Parses a question in plain words; `None` when it does not ask about relations.
    #[must_use]
    pub fn from_question(question: &str) -> Option<Self> {
        let asked = reading::parse_relation_question(question)?;
        let subject = match asked.subject {
            RelationSubject::Owner => OWNER.to_owned(),
            RelationSubject::Named(name) | RelationSubject::Thing(name) => name,
        };
        Some(Self {
            kind: asked.kind.map(str::to_owned),
            relations: asked.relations,
            related_to: Some(EntityRef::Name(subject)),
            media_use: asked.media_use,
            ..Self::default()
        })
    }

    fn describe(&self) -> String {
        let kind = self.kind.as_deref().unwrap_or("anything");
        let name = self.name.as_deref().map(|name| format!(" named like {name}"));
        let tied = (!self.relations.is_empty())
            .then(|| format!(" tied by {}", self.relations.join(" or ")));
        let to = self.related_to.as_ref().map(|entity| format!(" to {entity}"));
        let sort = self.related_to_kind.as_deref().map(|kind| format!(" to some {kind}"));
        [Some(kind.to_owned()), name, tied, to, sort].into_iter().flatten().collect()
    }
}

impl<'e> Graph<'e> {
    /// Returns the entities that match a pattern. When none has the requested kind, those of an
    /// unspecific kind are returned; when the entity at the other end is unknown, none.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn graph_pattern(
        self,
        caller: &'e Caller,
        input: &'e GraphPatternRequest,
    ) -> UseCaseFuture<'e, GraphPatternResults> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
            let looked_for = input.describe();
            let by_relation = !input.relations.is_empty()
                || input.related_to.is_some()
                || input.related_to_kind.is_some()
                || input.media_use.is_some();
            let mut found = if by_relation {
                match_relations(&call, input).await?
            } else {
                list_entities(&call, input).await?
            };
            found.description = looked_for;
            call.note_shown(format!("showed {} entities", found.entities.len()), &[]).await;
            Ok(found)
        })
    }
}

async fn list_entities(
    call: &Call<'_>,
    input: &GraphPatternRequest,
) -> Result<GraphPatternResults, Failure> {
    let query = EntityQuery { name: input.name.clone(), kind: input.kind.clone() };
    let page = Page::first(limit_of(input));
    let listed = EntityVisibility::for_call(call).await?.list(call, &query, page).await?;
    let ids: Vec<EntityId> = listed.items.iter().map(|entity| entity.id).collect();
    let mut relations = relations_touching(call, &ids).await?;
    // A well connected entity may have more relations than a result should carry.
    relations.truncate(limits::PAGE_ITEMS);
    let relations = with_names(call, relations).await?;
    Ok(GraphPatternResults { entities: listed.items, relations, ..GraphPatternResults::default() })
}

async fn match_relations(
    call: &Call<'_>,
    input: &GraphPatternRequest,
) -> Result<GraphPatternResults, Failure> {
    // Relations are read by entity, so the search needs entities to begin at.
    let Some(anchors) = anchors(call, input).await? else {
        return Ok(GraphPatternResults::default());
    };
    let relations = relations_touching(call, &anchors.ids).await?;
    let ways: Vec<(Relation, EntityId, EntityId)> =
        relations.into_iter().filter(|one| follows(input, one)).flat_map(both_ways).collect();
    let ids: Vec<EntityId> = unique(ways.iter().flat_map(|(_, from, to)| [*from, *to]));
    let entities = entities_by_id(call, &ids).await?;
    let mut matcher = PatternMatcher::new(input, &anchors, &entities);
    let mut matching: Vec<&(Relation, EntityId, EntityId)> =
        ways.iter().filter(|way| matcher.matches(way)).collect();
    // An entity read from a plain text often has the kind `topic`; better that than no answer.
    if matching.is_empty() && input.kind.is_some() {
        matcher.any_kind = true;
        matching = ways.iter().filter(|way| matcher.matches(way)).collect();
    }
    let of_any_kind = matcher.any_kind && !matching.is_empty();
    let mut answer: Vec<EntityId> = unique(matching.iter().map(|(_, _, to)| *to));
    answer.truncate(limit_of(input));
    let shown: Vec<Relation> = matching
        .iter()
        .filter(|(_, _, to)| answer.contains(to))
        .map(|(relation, ..)| relation.clone())
        .collect();
    let entities = answer.iter().filter_map(|id| entities.get(id).cloned()).collect();
    let relations = with_names(call, shown).await?;
    Ok(GraphPatternResults {
        entities,
        relations,
        kind_ignored: of_any_kind,
        ..GraphPatternResults::default()
    })
}

fn limit_of(input: &GraphPatternRequest) -> usize {
    input.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX)
}

/// Entities at which to look for relations.
struct Anchors {
    ids: Vec<EntityId>,
    /// True when these are the other ends, false when they are the answers themselves.
    are_others: bool,
}

async fn anchors(call: &Call<'_>, input: &GraphPatternRequest) -> Result<Option<Anchors>, Failure> {
    if let Some(entity) = &input.related_to {
        return match find(call, entity).await {
            Ok(entity) => Ok(Some(Anchors { ids: vec![entity.id], are_others: true })),
            // Asking about an unknown person is a question without an answer, not an error.
            Err(failure) if failure.code == model::ErrorCode::NotFound => Ok(None),
            Err(failure) => Err(failure),
        };
    }
    let query = EntityQuery { name: input.name.clone(), kind: input.kind.clone() };
    let page = Page::first(limits::IDS_PER_CALL);
    let listed = EntityVisibility::for_call(call).await?.list(call, &query, page).await?;
    Ok(Some(Anchors {
        ids: listed.items.iter().map(|entity| entity.id).collect(),
        are_others: false,
    }))
}

fn follows(input: &GraphPatternRequest, relation: &Relation) -> bool {
    let is_asked = input.relations.is_empty() || input.relations.contains(&relation.kind);
    is_asked && input.media_use.is_none_or(|wanted| may_be_used(relation, wanted))
}

/// Returns false if a relation states another use of its media only.
fn may_be_used(relation: &Relation, wanted: &str) -> bool {
    let states = |name: &str| relation.properties.contains_key(name);
    states(wanted) || !reading::MEDIA_USES.into_iter().any(states)
}

/// Returns a relation from both ends, each as (relation, other end, answer).
fn both_ways(relation: Relation) -> [(Relation, EntityId, EntityId); 2] {
    let (source, target) = (relation.source, relation.target);
    [(relation.clone(), source, target), (relation, target, source)]
}

/// Decides which end of a relation matches the pattern.
struct PatternMatcher<'f> {
    input: &'f GraphPatternRequest,
    anchors: HashSet<EntityId>,
    are_others: bool,
    entities: &'f HashMap<EntityId, Entity>,
    any_kind: bool,
}

impl<'f> PatternMatcher<'f> {
    fn new(
        input: &'f GraphPatternRequest,
        anchors: &Anchors,
        entities: &'f HashMap<EntityId, Entity>,
    ) -> Self {
        let (ids, are_others) = (anchors.ids.iter().copied().collect(), anchors.are_others);
        Self { input, anchors: ids, are_others, entities, any_kind: false }
    }

    fn matches(&self, (_, other, answer): &(Relation, EntityId, EntityId)) -> bool {
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
        let contains = |part: &str| answer.name.to_lowercase().contains(&part.to_lowercase());
        self.input.name.as_deref().is_none_or(contains)
    }

    fn fits_other(&self, other: &Entity) -> bool {
        self.input.related_to_kind.as_deref().is_none_or(|kind| kind == other.kind)
    }
}

async fn entities_by_id(
    call: &Call<'_>,
    ids: &[EntityId],
) -> Result<HashMap<EntityId, Entity>, Failure> {
    let mut found = HashMap::new();
    for some in ids.chunks(limits::IDS_PER_CALL) {
        let entities = call.store().entities(some).await?;
        let seen = EntityVisibility::for_call(call).await?.visible_of(call, entities).await?;
        found.extend(seen.into_iter().map(|entity| (entity.id, entity)));
    }
    Ok(found)
}

/// Removes duplicates and keeps the order of first appearance.
fn unique(ids: impl Iterator<Item = EntityId>) -> Vec<EntityId> {
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(*id)).collect()
}

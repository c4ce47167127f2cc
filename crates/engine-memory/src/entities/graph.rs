//! The graph around entities: a breadth-first walk over relations, either way, with a limit on
//! depth and size. The strongest relations are followed first, so that a limit cuts off the
//! weakest.

use super::{EntityRef, RelationView, Sight, find, relations_touching, with_names};
use crate::Graph;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Entity, EntityId, Failure, Page, Permission, Relation, limits};
use std::collections::{HashMap, HashSet};
use store::EntityQuery;

/// How far a walk goes unless told otherwise.
const DEPTH: usize = 2;
/// How far it goes at most.
const DEPTH_MAX: usize = 6;
/// How many entities it gives unless told otherwise.
const ENTITIES: usize = 50;
/// How many entities it gives at most.
const ENTITIES_MAX: usize = 2_000;
/// How many relations it gives at most.
const RELATIONS_MAX: usize = 4_000;

/// Where a walk begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GraphStart {
    /// At one entity.
    Entity(EntityRef),
    /// At the entities whose name contains this.
    Named(String),
    /// At the entities mentioned most.
    #[default]
    MostMentioned,
}

/// A walk over relations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityGraph {
    /// Where it begins.
    pub start: GraphStart,
    /// How many relations away it goes; 2 unless told otherwise, at most 6.
    pub depth: Option<usize>,
    /// How many entities it gives; 50 unless told otherwise, at most 2,000.
    pub limit: Option<usize>,
    /// Only along relations of these kinds; any when empty.
    pub relations: Vec<String>,
    /// Only to entities of these sorts; any when empty. Where it begins does not count.
    pub kinds: Vec<String>,
    /// Only along relations of at least this confidence.
    pub confidence_min: Option<f32>,
}

/// An entity that a walk reached.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphNode {
    /// The entity.
    pub entity: Entity,
    /// How many relations away from the start it is.
    pub depth: usize,
    /// The weights of the relations that lead there, added up.
    pub path_weight: f32,
}

/// What a walk reached.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphView {
    /// The entities, nearest first.
    pub entities: Vec<GraphNode>,
    /// The relations between them, strongest first.
    pub relations: Vec<RelationView>,
    /// Whether a limit cut it short.
    pub cut_short: bool,
}

impl Graph<'_> {
    /// Walks the relations around an entity, or around several.
    ///
    /// # Errors
    /// `not_found` when the entity to begin at is not there.
    pub async fn entity_graph(
        self,
        caller: &Caller,
        input: &EntityGraph,
    ) -> Result<GraphView, Failure> {
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
        let limit = input.limit.unwrap_or(ENTITIES).clamp(1, ENTITIES_MAX);
        let start = begin(&call, &input.start, limit).await?;
        let mut walk = Walk::new(input, limit, start);
        for depth in 1..=input.depth.unwrap_or(DEPTH).min(DEPTH_MAX) {
            let relations = relations_touching(&call, &walk.frontier).await?;
            let steps = walk.steps(&relations);
            let ids: Vec<EntityId> = steps.keys().copied().collect();
            let reached = call.store().entities(&ids).await?;
            let reached = Sight::of(&call).await?.all(&call, reached).await?;
            if !walk.advance(reached, &steps, depth) {
                break;
            }
        }
        let relations = walk.inner_relations(&call).await?;
        call.note_shown(format!("walked to {} entities", walk.nodes.len()), &[]).await;
        Ok(GraphView { entities: walk.nodes, relations, cut_short: walk.cut_short })
    }
}

async fn begin(call: &Call<'_>, start: &GraphStart, limit: usize) -> Result<Vec<Entity>, Failure> {
    let name = match start {
        GraphStart::Entity(entity) => return Ok(vec![find(call, entity).await?]),
        GraphStart::Named(part) => Some(part.trim().to_owned()),
        GraphStart::MostMentioned => None,
    };
    let query = EntityQuery { name, kind: None };
    Ok(Sight::of(call).await?.list(call, &query, Page::first(limit)).await?.items)
}

/// A walk on its way.
struct Walk<'q> {
    query: &'q EntityGraph,
    limit: usize,
    nodes: Vec<GraphNode>,
    weights: HashMap<EntityId, f32>,
    frontier: Vec<EntityId>,
    cut_short: bool,
}

impl<'q> Walk<'q> {
    fn new(query: &'q EntityGraph, limit: usize, start: Vec<Entity>) -> Self {
        let frontier: Vec<EntityId> = start.iter().map(|entity| entity.id).collect();
        let weights = frontier.iter().map(|id| (*id, 0.0)).collect();
        let nodes = start
            .into_iter()
            .map(|entity| GraphNode { entity, depth: 0, path_weight: 0.0 })
            .collect();
        Self { query, limit, nodes, weights, frontier, cut_short: false }
    }

    /// The entities one relation further, and the weight of the best way to each.
    fn steps(&mut self, relations: &[Relation]) -> HashMap<EntityId, f32> {
        let frontier: HashSet<EntityId> = self.frontier.iter().copied().collect();
        let followed: Vec<&Relation> =
            relations.iter().filter(|relation| self.follows(relation)).collect();
        let ways = followed.iter().flat_map(|one| {
            [(one.source, one.target, one.weight), (one.target, one.source, one.weight)]
        });
        let mut steps = HashMap::new();
        for (near, far, weight) in ways {
            if !frontier.contains(&near) || self.weights.contains_key(&far) {
                continue;
            }
            // The strongest relations come first, so the first ones are the ones to keep.
            if steps.len() >= limits::IDS && !steps.contains_key(&far) {
                self.cut_short = true;
                continue;
            }
            let weight = self.weights.get(&near).copied().unwrap_or(0.0) + weight;
            let best = steps.entry(far).or_insert(weight);
            *best = best.max(weight);
        }
        steps
    }

    fn follows(&self, relation: &Relation) -> bool {
        let kinds = &self.query.relations;
        let of_kind = kinds.is_empty() || kinds.contains(&relation.kind);
        of_kind && self.query.confidence_min.is_none_or(|least| relation.confidence >= least)
    }

    /// Takes the entities that were reached, heaviest way first; answers whether there is more to
    /// walk.
    fn advance(
        &mut self,
        reached: Vec<Entity>,
        steps: &HashMap<EntityId, f32>,
        depth: usize,
    ) -> bool {
        let wanted = |entity: &Entity| {
            self.query.kinds.is_empty() || self.query.kinds.contains(&entity.kind)
        };
        let weight = |entity: &Entity| steps.get(&entity.id).copied().unwrap_or(0.0);
        let mut reached: Vec<Entity> = reached.into_iter().filter(wanted).collect();
        reached.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.id.cmp(&b.id)));
        let room = self.limit.saturating_sub(self.nodes.len());
        self.cut_short |= reached.len() > room;
        reached.truncate(room);
        self.frontier = reached.iter().map(|entity| entity.id).collect();
        for entity in reached {
            let path_weight = weight(&entity);
            self.weights.insert(entity.id, path_weight);
            self.nodes.push(GraphNode { entity, depth, path_weight });
        }
        !self.frontier.is_empty()
    }

    /// The relations whose both ends were reached.
    async fn inner_relations(&mut self, call: &Call<'_>) -> Result<Vec<RelationView>, Failure> {
        let ids: Vec<EntityId> = self.nodes.iter().map(|node| node.entity.id).collect();
        let inside = |one: &Relation| {
            self.weights.contains_key(&one.source)
                && self.weights.contains_key(&one.target)
                && self.follows(one)
        };
        let touching = relations_touching(call, &ids).await?;
        let mut relations: Vec<Relation> = touching.into_iter().filter(inside).collect();
        self.cut_short |= relations.len() > RELATIONS_MAX;
        relations.truncate(RELATIONS_MAX);
        with_names(call, relations).await
    }
}

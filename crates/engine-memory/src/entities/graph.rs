//! The graph around entities: a breadth-first search over relations in both directions, limited in
//! depth and size. The strongest relations are followed first, so that a limit cuts off the
//! weakest.

use super::{EntityRef, EntityVisibility, RelationView, find, relations_touching, with_names};
use crate::Graph;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Entity, EntityId, Failure, Page, Permission, Relation, limits};
use std::collections::{HashMap, HashSet};
use store::EntityQuery;

/// Default depth of the search.
const DEPTH: usize = 2;
const DEPTH_MAX: usize = 6;
/// Default number of entities.
const ENTITIES: usize = 50;
const ENTITIES_MAX: usize = 10_000;
const RELATIONS_MAX: usize = 20_000;

/// Start of a graph search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GraphStart {
    Entity(EntityRef),
    /// Entities whose name contains this text.
    NameContains(String),
    #[default]
    MostMentioned,
}

/// Input of [`Graph::entity_graph`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityGraphRequest {
    pub start: GraphStart,
    /// Number of relations from the start; 2 when missing, at most 6.
    pub depth: Option<usize>,
    /// Number of entities; 50 when missing, at most 10,000.
    pub limit: Option<usize>,
    /// Kinds of relations to follow; all when empty.
    pub relations: Vec<String>,
    /// Kinds of entities to reach; all when empty. The start is exempt.
    pub kinds: Vec<String>,
    /// Smallest confidence of the relations to follow.
    pub confidence_min: Option<f32>,
}

/// An entity that the search reached.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphNode {
    pub entity: Entity,
    /// Number of relations from the start.
    pub depth: usize,
    /// Sum of the weights along the best path.
    pub path_weight: f32,
}

/// Result of a graph search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphView {
    /// Nearest first.
    pub entities: Vec<GraphNode>,
    /// Relations among the entities, strongest first.
    pub relations: Vec<RelationView>,
    /// True when a limit cut the result short.
    pub cut_short: bool,
}

impl<'e> Graph<'e> {
    /// Searches the relations around one or several entities.
    ///
    /// # Errors
    /// `not_found` when the start entity does not exist.
    pub fn entity_graph(
        self,
        caller: &'e Caller,
        input: &'e EntityGraphRequest,
    ) -> UseCaseFuture<'e, GraphView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
            let limit = input.limit.unwrap_or(ENTITIES).clamp(1, ENTITIES_MAX);
            let start = begin(&call, &input.start, limit).await?;
            let mut walk = GraphSearch::new(input, limit, start);
            for depth in 1..=input.depth.unwrap_or(DEPTH).min(DEPTH_MAX) {
                let relations = relations_touching(&call, &walk.frontier).await?;
                let steps = walk.steps(&relations);
                let ids: Vec<EntityId> = steps.keys().copied().collect();
                let reached = call.store().entities(&ids).await?;
                // Hidden entities are dropped before the next step, so that no path leads through
                // them.
                let reached =
                    EntityVisibility::for_call(&call).await?.visible_of(&call, reached).await?;
                if !walk.advance(reached, &steps, depth) {
                    break;
                }
            }
            let relations = walk.inner_relations(&call).await?;
            call.note_shown(format!("walked to {} entities", walk.nodes.len()), &[]).await;
            Ok(GraphView { entities: walk.nodes, relations, cut_short: walk.cut_short })
        })
    }
}

async fn begin(call: &Call<'_>, start: &GraphStart, limit: usize) -> Result<Vec<Entity>, Failure> {
    let name = match start {
        GraphStart::Entity(entity) => return Ok(vec![find(call, entity).await?]),
        GraphStart::NameContains(part) => Some(part.trim().to_owned()),
        GraphStart::MostMentioned => None,
    };
    let query = EntityQuery { name, kind: None };
    let visible = EntityVisibility::for_call(call).await?;
    let mut start = Vec::new();
    // The store returns at most one page at a time.
    while start.len() < limit {
        let size = (limit - start.len()).min(limits::PAGE_ITEMS);
        let page = Page { limit: size, offset: start.len() };
        let some = visible.list(call, &query, page).await?.items;
        let last = some.len() < size;
        start.extend(some);
        if last {
            break;
        }
    }
    Ok(start)
}

/// State of the search.
struct GraphSearch<'q> {
    query: &'q EntityGraphRequest,
    limit: usize,
    nodes: Vec<GraphNode>,
    weights: HashMap<EntityId, f32>,
    frontier: Vec<EntityId>,
    cut_short: bool,
}

impl<'q> GraphSearch<'q> {
    fn new(query: &'q EntityGraphRequest, limit: usize, start: Vec<Entity>) -> Self {
        let frontier: Vec<EntityId> = start.iter().map(|entity| entity.id).collect();
        let weights = frontier.iter().map(|id| (*id, 0.0)).collect();
        let nodes = start
            .into_iter()
            .map(|entity| GraphNode { entity, depth: 0, path_weight: 0.0 })
            .collect();
        Self { query, limit, nodes, weights, frontier, cut_short: false }
    }

    /// Returns the entities one relation further, with the weight of the best path to each.
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
            // Relations come strongest first, so dropping the later ones drops the weakest.
            if steps.len() >= limits::IDS_PER_CALL && !steps.contains_key(&far) {
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

    /// Adds the reached entities, heaviest path first. Returns whether there is more to search.
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
        let left = self.limit.saturating_sub(self.nodes.len());
        // Reported, so that a caller does not take the missing rest for absent.
        self.cut_short |= reached.len() > left;
        reached.truncate(left);
        self.frontier = reached.iter().map(|entity| entity.id).collect();
        for entity in reached {
            let path_weight = weight(&entity);
            self.weights.insert(entity.id, path_weight);
            self.nodes.push(GraphNode { entity, depth, path_weight });
        }
        !self.frontier.is_empty()
    }

    /// Returns the relations with both ends in the result.
    async fn inner_relations(&mut self, call: &Call<'_>) -> Result<Vec<RelationView>, Failure> {
        let ids: Vec<EntityId> = self.nodes.iter().map(|node| node.entity.id).collect();
        let inside = |one: &Relation| {
            self.weights.contains_key(&one.source)
                && self.weights.contains_key(&one.target)
                && self.follows(one)
        };
        // Read again for all nodes: relations between two nodes of the last depth were never
        // followed.
        let touching = relations_touching(call, &ids).await?;
        let mut relations: Vec<Relation> = touching.into_iter().filter(inside).collect();
        self.cut_short |= relations.len() > RELATIONS_MAX;
        relations.truncate(RELATIONS_MAX);
        with_names(call, relations).await
    }
}

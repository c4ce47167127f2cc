//! Exploring links: the neighbourhood of a memory, and the shortest path between two. A replaced
//! memory counts as its newest version, unless history is asked for.

use crate::Graph;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, Filter, LinkEdge, LinkKinds, StatusFilter, Traversal, View};
use model::{Failure, LinkKind, Memory, MemoryId, Permission, limits};
use std::collections::{HashMap, HashSet};

/// Default depth.
const DEPTH: usize = 2;
/// Default number of memories.
const LIMIT: usize = 20;

/// Direction in which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkDirection {
    #[default]
    Both,
    /// From source to target.
    Forward,
    /// From target to source.
    Backward,
}

/// Input of [`Graph::explore`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExploreRequest {
    /// Start of the search; its newest version if it was replaced.
    pub memory: MemoryId,
    pub direction: LinkDirection,
    /// Kinds of links to follow; all when empty.
    pub kinds: Vec<LinkKind>,
    /// Number of links from the start; 2 when missing, at most 16.
    pub depth: Option<usize>,
    /// Number of memories including the start; 20 when missing.
    pub limit: Option<usize>,
    /// Smallest confidence of the memories to visit.
    pub confidence_min: Option<f32>,
    /// Includes superseded, rejected and retired memories, each version by itself.
    pub with_history: bool,
    /// Also returns all links among the visited memories.
    pub with_links_between: bool,
}

impl ExploreRequest {
    /// Explores in both directions.
    #[must_use]
    pub fn around(memory: MemoryId) -> Self {
        Self {
            memory,
            direction: LinkDirection::Both,
            kinds: Vec::new(),
            depth: None,
            limit: None,
            confidence_min: None,
            with_history: false,
            with_links_between: true,
        }
    }

    /// Explores the causes of a memory: what it was caused by or derived from.
    #[must_use]
    pub fn causes(memory: MemoryId) -> Self {
        let kinds = vec![LinkKind::CausedBy, LinkKind::DerivedFrom];
        Self { direction: LinkDirection::Forward, kinds, ..Self::around(memory) }
    }

    /// Explores the consequences of a memory: what it caused or what was derived from it.
    #[must_use]
    pub fn consequences(memory: MemoryId) -> Self {
        let kinds = vec![LinkKind::CausedBy, LinkKind::DerivedFrom];
        Self { direction: LinkDirection::Backward, kinds, ..Self::around(memory) }
    }

    fn filter(&self, call: &Call<'_>) -> Filter {
        let status = if self.with_history { StatusFilter::Any } else { StatusFilter::Current };
        Filter { status, confidence_min: self.confidence_min, ..call.filter() }
    }
}

/// Result of exploring.
#[derive(Debug, Clone, PartialEq)]
pub struct ExploreResults {
    /// Start of the search: the newest version of the memory that was asked for.
    pub start: MemoryId,
    /// Memories with their distance from the start, nearest first.
    pub visits: Vec<(Memory, usize)>,
    /// Links that the search followed, in its order.
    pub followed: Vec<LinkEdge>,
    /// All links among the visited memories, if they were asked for.
    pub between: Vec<LinkEdge>,
}

impl<'e> Graph<'e> {
    /// Explores the links around a memory.
    ///
    /// # Errors
    /// `not_found` when there is no such memory; `invalid_argument` when the depth or the
    /// confidence is out of range.
    pub fn explore(
        self,
        caller: &'e Caller,
        input: &'e ExploreRequest,
    ) -> UseCaseFuture<'e, ExploreResults> {
        Box::pin(async move {
            let depth = checked_depth(input.depth)?;
            limits::range(
                "min_confidence",
                f64::from(input.confidence_min.unwrap_or_default()),
                0.0,
                1.0,
            )?;
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, input).await?;
            let view = self.core.view(&caller.owner).await?;
            let walked = view.read(|view| search(view, input, depth, &call));
            // A hidden start looks like a missing one.
            let walked = walked.ok_or_else(|| Failure::not_found("memory", input.memory))?;
            let memories = call.memories(&walked.ids()).await?;
            let shown: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
            call.note_shown(format!("walked over {}", shown.len()), &shown).await;
            Ok(walked.with_memories(memories))
        })
    }

    /// Returns the memories and links of a shortest path between the newest versions of two
    /// memories, in either link direction; `None` when there is no path.
    ///
    /// # Errors
    /// `not_found` when one of them does not exist.
    pub fn path(
        self,
        caller: &'e Caller,
        from: MemoryId,
        to: MemoryId,
    ) -> UseCaseFuture<'e, Option<(Vec<Memory>, Vec<LinkEdge>)>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, &(from, to))
                    .await?;
            call.memory(from).await?;
            call.memory(to).await?;
            let view = self.core.view(&caller.owner).await?;
            let (start, edges) = view.read(|view| {
                let (within, readable) =
                    (view.filter(&call.filter(), call.at), readable(view, &call));
                let walk = Traversal {
                    depth_max: depth_bound(limits::WALK_DEPTH),
                    visits_max: usize::MAX,
                    direction: Direction::Both,
                    // Any kind of link counts: the question is whether there is a connection at
                    // all.
                    kinds: LinkKinds::ALL,
                    within: Some(&within),
                    versions: Some(&readable),
                };
                let start = view.newest_version(from, Some(&readable));
                (start, view.shortest_path(from, to, &walk))
            });
            call.note_shown("looked for a path", &[]).await;
            let Some(edges) = edges else { return Ok(None) };
            let mut ids = vec![start];
            for edge in &edges {
                ids.push(edge.other(ids.last().copied().unwrap_or(start)));
            }
            Ok(Some((call.memories(&ids).await?, edges)))
        })
    }
}

/// Result of a search before its memories are read.
struct VisitedIds {
    start: MemoryId,
    visits: Vec<(MemoryId, usize)>,
    followed: Vec<LinkEdge>,
    between: Vec<LinkEdge>,
}

impl VisitedIds {
    fn ids(&self) -> Vec<MemoryId> {
        self.visits.iter().map(|(id, _)| *id).collect()
    }

    /// Adds the memories; what the store did not return is left out with its links.
    // The store may have changed since the view was read, so a visited memory can be gone.
    fn with_memories(self, memories: Vec<Memory>) -> ExploreResults {
        let shown: HashSet<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let depths: HashMap<MemoryId, usize> = self.visits.into_iter().collect();
        let both_shown =
            |edge: &LinkEdge| shown.contains(&edge.source) && shown.contains(&edge.target);
        let depth_of = |id: MemoryId| depths.get(&id).copied().unwrap_or_default();
        ExploreResults {
            start: self.start,
            visits: memories
                .into_iter()
                .map(|memory| {
                    let depth = depth_of(memory.id);
                    (memory, depth)
                })
                .collect(),
            followed: self.followed.into_iter().filter(both_shown).collect(),
            between: self.between.into_iter().filter(both_shown).collect(),
        }
    }
}

fn checked_depth(depth: Option<usize>) -> Result<usize, Failure> {
    let depth = depth.unwrap_or(DEPTH);
    if depth > limits::WALK_DEPTH {
        return Err(Failure::invalid(format!(
            "depth is {depth}; the limit is {}",
            limits::WALK_DEPTH
        )));
    }
    Ok(depth)
}

fn depth_bound(depth: usize) -> u32 {
    u32::try_from(depth).unwrap_or(u32::MAX)
}

/// Walks over the links; `None` if the start does not exist or may not be read.
fn search(
    view: &View,
    input: &ExploreRequest,
    depth: usize,
    call: &Call<'_>,
) -> Option<VisitedIds> {
    let kinds =
        if input.kinds.is_empty() { LinkKinds::ALL } else { LinkKinds::from_kinds(&input.kinds) };
    let direction = match input.direction {
        LinkDirection::Both => Direction::Both,
        LinkDirection::Forward => Direction::Out,
        LinkDirection::Backward => Direction::In,
    };
    let within = view.filter(&input.filter(call), call.at);
    let readable = readable(view, call);
    if !view.doc(input.memory).is_some_and(|doc| readable.contains(doc)) {
        return None;
    }
    let versions = (!input.with_history).then_some(&readable);
    let walk = Traversal {
        depth_max: depth_bound(depth),
        visits_max: input.limit.unwrap_or(LIMIT).clamp(1, limits::WALK_MEMORIES),
        direction,
        kinds,
        within: Some(&within),
        versions,
    };
    let visits = view.traverse(&[input.memory], &walk);
    let ids: HashSet<MemoryId> = visits.iter().map(|visit| visit.id).collect();
    let out = |id: MemoryId| match versions {
        Some(readable) => view.current_links(id, Direction::Out, LinkKinds::ALL, Some(readable)),
        None => view.links(id, Direction::Out, LinkKinds::ALL),
    };
    let between = input.with_links_between.then_some(&visits).into_iter().flatten();
    Some(VisitedIds {
        start: visits.first().map_or(input.memory, |visit| visit.id),
        followed: visits
            .iter()
            .filter_map(|visit| visit.reached_from.map(|(_, edge)| edge))
            .collect(),
        // Outgoing links of all visits, so that each link appears once.
        between: between
            .flat_map(|visit| out(visit.id))
            .filter(|edge| ids.contains(&edge.target))
            .collect(),
        visits: visits.iter().map(|visit| (visit.id, visit.depth as usize)).collect(),
    })
}

//! Breadth-first traversal of the link graph: reachable memories and shortest paths. Depth and
//! number of visits are bounded, so that a hub with thousands of links cannot dominate a call.

use crate::links::{Direction, LinkEdge, LinkKinds};
use crate::{DocId, DocSet, View};
use model::MemoryId;

/// Bounds and filters of a traversal.
#[derive(Debug, Clone, Copy)]
pub struct Traversal<'a> {
    /// Maximum number of links from a starting memory.
    pub depth_max: u32,
    /// Maximum number of visited memories, starting ones included.
    pub visits_max: usize,
    pub direction: Direction,
    pub kinds: LinkKinds,
    /// Restricts the traversal to these memories; the starting ones are exempt.
    pub within: Option<&'a DocSet>,
    /// Treats a replaced memory as its newest version, over versions among these; `None` visits
    /// each version by itself.
    pub versions: Option<&'a DocSet>,
}

/// A memory reached by a traversal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphVisit {
    pub id: MemoryId,
    pub doc: DocId,
    /// Number of links from the nearest starting memory.
    pub depth: u32,
    /// Index of the visit it was reached from, and the link; `None` for a starting memory.
    pub reached_from: Option<(usize, LinkEdge)>,
}

impl View {
    /// Returns the memories reachable from the starting ones, nearest first. Unknown starts are
    /// skipped, and replaced ones are their newest versions.
    #[must_use]
    pub fn traverse(&self, starts: &[MemoryId], walk: &Traversal<'_>) -> Vec<GraphVisit> {
        self.breadth_first(starts, walk, None)
    }

    /// Returns the links of a shortest path between two memories; empty when they are the same,
    /// `None` when there is no path within the bounds.
    #[must_use]
    pub fn shortest_path(
        &self,
        start: MemoryId,
        goal: MemoryId,
        walk: &Traversal<'_>,
    ) -> Option<Vec<LinkEdge>> {
        let goal = self.visited_version(goal, walk);
        let visits = self.breadth_first(&[start], walk, Some(goal));
        let mut visit = visits.last().filter(|last| last.id == goal)?;
        let mut edges = Vec::new();
        while let Some((before, edge)) = visit.reached_from {
            edges.push(edge);
            visit = &visits[before];
        }
        edges.reverse();
        Some(edges)
    }

    /// Traverses until the goal is the last visit, or until nothing is left.
    fn breadth_first(
        &self,
        starts: &[MemoryId],
        walk: &Traversal<'_>,
        goal: Option<MemoryId>,
    ) -> Vec<GraphVisit> {
        let mut seen = DocSet::default();
        let mut visits: Vec<GraphVisit> = Vec::new();
        for &start in starts {
            let id = self.visited_version(start, walk);
            if let Some(doc) = self.doc(id).filter(|&doc| !seen.contains(doc)) {
                seen.insert(doc);
                visits.push(GraphVisit { id, doc, depth: 0, reached_from: None });
            }
        }
        visits.truncate(walk.visits_max);
        let is_done = |visits: &[GraphVisit]| {
            visits.len() >= walk.visits_max
                || goal.is_some() && visits.last().map(|last| last.id) == goal
        };
        // The list of visits doubles as the queue of the breadth-first search: `next` is its head.
        let mut next = 0;
        while next < visits.len() && visits[next].depth < walk.depth_max && !is_done(&visits) {
            self.visit_neighbours(next, walk, &mut seen, &mut visits, is_done);
            next += 1;
        }
        visits
    }

    fn visit_neighbours(
        &self,
        from: usize,
        walk: &Traversal<'_>,
        seen: &mut DocSet,
        visits: &mut Vec<GraphVisit>,
        is_done: impl Fn(&[GraphVisit]) -> bool,
    ) {
        let GraphVisit { id: here, depth, .. } = visits[from];
        let mut visit = |edge: LinkEdge| {
            let id = edge.other(here);
            let Some(doc) = self.doc(id) else { return };
            let allowed = walk.kinds.contains(edge.kind)
                && walk.within.is_none_or(|within| within.contains(doc));
            if allowed && !seen.contains(doc) && !is_done(visits) {
                seen.insert(doc);
                visits.push(GraphVisit {
                    id,
                    doc,
                    depth: depth + 1,
                    reached_from: Some((from, edge)),
                });
            }
        };
        match walk.versions {
            None => self.for_each_link(here, walk.direction, visit),
            Some(readable) => self
                .current_links(here, walk.direction, walk.kinds, Some(readable))
                .into_iter()
                .for_each(&mut visit),
        }
    }

    /// Returns the memory that a traversal visits in place of this one.
    fn visited_version(&self, id: MemoryId, walk: &Traversal<'_>) -> MemoryId {
        walk.versions.map_or(id, |readable| self.newest_version(id, Some(readable)))
    }
}

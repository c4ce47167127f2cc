//! Breadth-first traversal of the link graph: reachable memories and shortest paths. Depth and
//! number of visits are bounded, so that a hub with thousands of links cannot dominate a call.

use crate::links::{Direction, Edge, LinkKinds};
use crate::{Doc, DocSet, View};
use model::MemoryId;

/// Bounds and filters of a traversal.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'a> {
    /// Maximum number of links from a starting memory.
    pub depth_max: u32,
    /// Maximum number of visited memories, starting ones included.
    pub visits_max: usize,
    pub direction: Direction,
    pub kinds: LinkKinds,
    /// Restricts the traversal to these memories; the starting ones are exempt.
    pub within: Option<&'a DocSet>,
}

/// A memory reached by a traversal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    pub id: MemoryId,
    pub doc: Doc,
    /// Number of links from the nearest starting memory.
    pub depth: u32,
    /// Index of the visit it was reached from, and the link; `None` for a starting memory.
    pub from: Option<(usize, Edge)>,
}

impl View {
    /// Returns the memories reachable from the starting ones, nearest first. Unknown starts are
    /// skipped.
    #[must_use]
    pub fn walk(&self, starts: &[MemoryId], walk: &Walk<'_>) -> Vec<Visit> {
        self.walk_until(starts, walk, None)
    }

    /// Returns the links of a shortest path between two memories; empty when they are the same,
    /// `None` when there is no path within the bounds.
    #[must_use]
    pub fn path(&self, start: MemoryId, goal: MemoryId, walk: &Walk<'_>) -> Option<Vec<Edge>> {
        let visits = self.walk_until(&[start], walk, Some(goal));
        let mut visit = visits.last().filter(|last| last.id == goal)?;
        let mut edges = Vec::new();
        while let Some((before, edge)) = visit.from {
            edges.push(edge);
            visit = &visits[before];
        }
        edges.reverse();
        Some(edges)
    }

    /// Traverses until the goal is the last visit, or until nothing is left.
    fn walk_until(
        &self,
        starts: &[MemoryId],
        walk: &Walk<'_>,
        goal: Option<MemoryId>,
    ) -> Vec<Visit> {
        let mut seen = DocSet::default();
        let mut visits: Vec<Visit> = Vec::new();
        for &id in starts {
            if let Some(doc) = self.doc(id).filter(|&doc| !seen.contains(doc)) {
                seen.insert(doc);
                visits.push(Visit { id, doc, depth: 0, from: None });
            }
        }
        visits.truncate(walk.visits_max);
        let is_done = |visits: &[Visit]| {
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
        walk: &Walk<'_>,
        seen: &mut DocSet,
        visits: &mut Vec<Visit>,
        is_done: impl Fn(&[Visit]) -> bool,
    ) {
        let Visit { id: here, depth, .. } = visits[from];
        self.each_link(here, walk.direction, |edge| {
            let id = edge.other(here);
            let Some(doc) = self.doc(id) else { return };
            let allowed = walk.kinds.contains(edge.kind)
                && walk.within.is_none_or(|within| within.contains(doc));
            if allowed && !seen.contains(doc) && !is_done(visits) {
                seen.insert(doc);
                visits.push(Visit { id, doc, depth: depth + 1, from: Some((from, edge)) });
            }
        });
    }
}

//! Walks over links: what can be reached from here, and how two memories hang together.
//! Breadth first and bounded, so the nearest come first and a hub cannot run away.

use crate::links::{Direction, Edge, LinkKinds};
use crate::{Doc, DocSet, View};
use model::MemoryId;

/// How far to walk, and over what.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'a> {
    /// How many links away at most.
    pub depth_max: u32,
    /// How many memories to visit at most, the starting ones included.
    pub visits_max: usize,
    /// Which way to follow links.
    pub direction: Direction,
    /// Which links to follow.
    pub kinds: LinkKinds,
    /// Only over these memories; the starting ones need not be among them.
    pub within: Option<&'a DocSet>,
}

/// A memory the walk came by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// The memory.
    pub id: MemoryId,
    /// Its place in the view.
    pub doc: Doc,
    /// How many links away from the nearest starting memory.
    pub depth: u32,
    /// Which visit it was reached from, and over which link; nothing for a starting memory.
    pub from: Option<(usize, Edge)>,
}

impl View {
    /// The memories that can be reached from the starting ones, nearest first. Unknown starts are
    /// passed over.
    #[must_use]
    pub fn walk(&self, starts: &[MemoryId], walk: &Walk<'_>) -> Vec<Visit> {
        self.walk_until(starts, walk, None)
    }

    /// The links on a shortest way from one memory to another, empty when they are the same.
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

    /// Walks until the goal is the last visit, or to the end.
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

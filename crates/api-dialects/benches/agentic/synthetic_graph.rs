//! A graph that is the same in every run: nodes of all types in sessions of twelve, each linked to
//! the one before it and to an earlier one; one in fifty corrects another.

use interchange::amem::{AmemEdge, AmemGraph, AmemNode};
use model::LinkKind;
use testkit::bench::{Xorshift, text};

/// Time of the first node, 2026-05-01 in Unix microseconds.
pub const FIRST_AT: i64 = 1_777_593_600_000_000;
/// Time between two nodes in microseconds.
pub const STEP_US: i64 = 1_000_000;

const KINDS: [&str; 5] = ["fact", "decision", "fact", "inference", "skill"];
const NODE_WORDS: usize = 24;
const SESSION_NODES: usize = 12;

/// Returns a graph of this many nodes.
pub fn graph(size: usize) -> AmemGraph {
    let mut rng = Xorshift::new(7);
    let nodes = (0..size).map(|at| node(&mut rng, at)).collect();
    let mut edges: Vec<AmemEdge> = (1..size).flat_map(|at| edges(&mut rng, at)).collect();
    edges.sort_by_key(|edge| (edge.source, edge.target));
    AmemGraph { nodes, edges }
}

fn node(rng: &mut Xorshift, at: usize) -> AmemNode {
    let is_last = at % SESSION_NODES == SESSION_NODES - 1;
    let created_at = FIRST_AT + at as i64 * STEP_US;
    AmemNode {
        id: at as u64,
        kind: if is_last { "episode" } else { KINDS[at % KINDS.len()] }.to_owned(),
        title: None,
        content: text(rng, NODE_WORDS),
        reason: None,
        is_replaced: false,
        created_at,
        session: Some((at / SESSION_NODES + 1) as u32),
        confidence: 0.5 + 0.05 * (at % 10) as f32,
        uses: 0,
        used_at: created_at,
        decay: 1.0,
    }
}

fn edges(rng: &mut Xorshift, at: usize) -> Vec<AmemEdge> {
    let edge = |source: usize, target: usize, kind| AmemEdge {
        source: source as u64,
        target: target as u64,
        kind,
        weight: 1.0,
        created_at: FIRST_AT + at as i64 * STEP_US,
    };
    let earlier = rng.below(at);
    let reason = if at.is_multiple_of(2) { LinkKind::CausedBy } else { LinkKind::Supports };
    let mut edges = vec![edge(at - 1, at, LinkKind::TemporalNext), edge(at, earlier, reason)];
    // Only nodes that nothing else corrects, so that each has one newest version.
    if at.is_multiple_of(50) {
        edges.push(edge(at, at - 25, LinkKind::Supersedes));
    }
    edges
}

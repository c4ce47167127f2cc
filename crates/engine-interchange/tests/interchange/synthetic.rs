//! Synthetic graphs and a deterministic random number generator.

use interchange::amem::{AmemEdge, AmemGraph, AmemNode};
use model::LinkKind;

/// SplitMix64: a small pseudo-random number generator that repeats for the same seed.
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Returns a node with this content.
pub fn node(id: u64, kind: &str, content: &str, session: u32) -> AmemNode {
    let created_at = 1_777_777_777_000_000 + id as i64;
    AmemNode {
        id,
        kind: kind.to_owned(),
        title: None,
        content: content.to_owned(),
        reason: None,
        is_replaced: false,
        created_at,
        session: Some(session),
        confidence: 0.75,
        uses: 3,
        used_at: created_at + 5,
        decay: 0.5,
    }
}

/// Returns an edge between two nodes.
pub fn edge(source: u64, target: u64, kind: LinkKind) -> AmemEdge {
    AmemEdge { source, target, kind, weight: 0.5, created_at: 1_777_777_777_000_000 }
}

/// Returns a graph with every kind of node and edge, two sessions, a correction, and texts in
/// several scripts.
pub fn graph() -> AmemGraph {
    let contents = [
        ("fact", "The office is in Toronto.", 1),
        ("decision", "We meet in Toronto.", 1),
        ("inference", "東京の天気は晴れです", 1),
        ("episode", "Talked about offices.", 1),
        ("correction", "The office is in Montreal.", 2),
        ("skill", "Äpfel schälen, ohne hinzusehen: ✂️", 2),
        ("note", "User: hello\nAgent: hi", 2),
        ("preference", "Tea, not coffee.", 2),
        ("episode", "Moved the office.", 2),
    ];
    let nodes =
        contents.iter().zip(0..).map(|((kind, text, session), id)| node(id, kind, text, *session));
    let mut edges: Vec<AmemEdge> = vec![edge(4, 0, LinkKind::Supersedes)];
    edges.extend([0, 1, 2].map(|id| edge(id, 3, LinkKind::PartOf)));
    edges.extend([
        edge(1, 0, LinkKind::CausedBy),
        edge(2, 0, LinkKind::DerivedFrom),
        edge(5, 1, LinkKind::Supports),
        edge(6, 1, LinkKind::Contradicts),
        edge(7, 5, LinkKind::RelatedTo),
        edge(0, 1, LinkKind::TemporalNext),
    ]);
    edges.sort_by_key(|edge| (edge.source, edge.target));
    AmemGraph { nodes: nodes.collect(), edges }
}

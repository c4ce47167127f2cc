//! Link graph between memories, navigable in both directions.
//!
//! The outgoing links of a memory are the truth. The reverse direction is only a set of hints: a
//! possible source is always checked against its own outgoing links, so that the two directions can
//! never disagree and a stale hint is harmless.

use crate::ragged_array::RaggedArray;
use crate::{DocId, OutgoingLink, View};
use model::{LinkKind, MemoryId};
use std::collections::HashMap;

/// Direction in which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From source to target.
    Out,
    /// From target to source.
    In,
    /// Either way.
    Both,
}

/// Set of link kinds, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkKinds(u8);

impl LinkKinds {
    /// Every kind.
    pub const ALL: Self = Self(u8::MAX);

    /// Returns the set of one kind.
    #[must_use]
    pub const fn only(kind: LinkKind) -> Self {
        Self(1 << kind as u8)
    }

    /// Returns the set of exactly these kinds.
    #[must_use]
    pub fn from_kinds(kinds: &[LinkKind]) -> Self {
        Self(kinds.iter().fold(0, |bits, &kind| bits | 1 << kind as u8))
    }

    /// Returns true if the set contains the kind.
    #[must_use]
    pub fn contains(self, kind: LinkKind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }
}

/// A link between two memories that are both in the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkEdge {
    pub source: MemoryId,
    pub target: MemoryId,
    /// Role of the source towards the target.
    pub kind: LinkKind,
    /// Strength, 0 to 1.
    pub weight: f32,
}

impl LinkEdge {
    /// Returns the end of the link that is not this memory.
    #[must_use]
    pub fn other(&self, end: MemoryId) -> MemoryId {
        if self.source == end { self.target } else { self.source }
    }
}

impl View {
    /// Returns the links between a memory and others in the view, outgoing ones first.
    #[must_use]
    pub fn links(&self, id: MemoryId, direction: Direction, kinds: LinkKinds) -> Vec<LinkEdge> {
        let mut edges = Vec::new();
        self.for_each_link(id, direction, |edge| {
            if kinds.contains(edge.kind) {
                edges.push(edge);
            }
        });
        edges
    }

    pub(crate) fn for_each_link(
        &self,
        id: MemoryId,
        direction: Direction,
        mut visit: impl FnMut(LinkEdge),
    ) {
        let Some(doc) = self.doc(id) else { return };
        if direction != Direction::In {
            let outgoing = self.links.out(doc).map(|link| edge(id, link));
            // A target may not have arrived yet: the link appears once it does.
            outgoing.filter(|edge| self.doc(edge.target).is_some()).for_each(&mut visit);
        }
        if direction != Direction::Out {
            for source in self.links.possible_sources(id) {
                let Some(doc) = self.doc(source) else { continue };
                let to_here = self.links.out(doc).filter(|link| link.target == id);
                to_here.map(|link| edge(source, link)).for_each(&mut visit);
            }
        }
    }
}

fn edge(source: MemoryId, link: OutgoingLink) -> LinkEdge {
    LinkEdge { source, target: link.target, kind: link.kind, weight: link.weight }
}

/// Outgoing links of every document, and hints for the reverse direction.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkTable {
    out: RaggedArray<[i64; 2]>,
    /// Number of links of all documents.
    count: usize,
    /// Pairs of target and source, sorted.
    reverse_hints: Vec<[i64; 2]>,
    /// Sources by target, added since the hints were last sorted.
    unsorted_hints: HashMap<i64, Vec<i64>>,
}

impl LinkTable {
    /// Iterates over the outgoing links of a document.
    pub(crate) fn out(&self, doc: DocId) -> impl Iterator<Item = OutgoingLink> + '_ {
        self.out.get(doc).iter().filter_map(|&packed| unpack(packed))
    }

    /// Returns the number of links of all documents.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Replaces the outgoing links of a document. Returns true if old ones became garbage.
    pub(crate) fn set(&mut self, doc: DocId, source: MemoryId, links: &[OutgoingLink]) -> bool {
        let packed: Vec<[i64; 2]> = links.iter().map(pack).collect();
        if self.out.get(doc) == packed {
            return false;
        }
        let left_garbage = self.replace(doc, &packed);
        for link in links {
            let sources = self.unsorted_hints.entry(link.target.0).or_default();
            if !sources.contains(&source.0) {
                sources.push(source.0);
            }
        }
        left_garbage
    }

    /// Drops the links of a document that lead to the target.
    pub(crate) fn unlink(&mut self, doc: DocId, target: MemoryId) {
        let remaining: Vec<[i64; 2]> =
            self.out.get(doc).iter().copied().filter(|link| link[0] != target.0).collect();
        self.replace(doc, &remaining);
    }

    fn replace(&mut self, doc: DocId, packed: &[[i64; 2]]) -> bool {
        self.count = self.count - self.out.get(doc).len() + packed.len();
        self.out.set(doc, packed)
    }

    /// Returns the memories that may link to the target, sorted and without duplicates. Some may
    /// have dropped the link since.
    pub(crate) fn possible_sources(&self, target: MemoryId) -> Vec<MemoryId> {
        let start = self.reverse_hints.partition_point(|hint| hint[0] < target.0);
        let sorted = self.reverse_hints[start..]
            .iter()
            .take_while(|hint| hint[0] == target.0)
            .map(|hint| hint[1]);
        let recent = self.unsorted_hints.get(&target.0).into_iter().flatten().copied();
        let mut sources: Vec<MemoryId> = sorted.chain(recent).map(MemoryId).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// Copies the links of these documents, in this order, and rebuilds the hints.
    pub(crate) fn gather(&self, order: &[DocId], id_of: impl Fn(DocId) -> i64) -> Self {
        let mut hints: Vec<[i64; 2]> = (order.iter())
            .flat_map(|&doc| self.out.get(doc).iter().map(move |link| (doc, link[0])))
            .map(|(doc, target)| [target, id_of(doc)])
            .collect();
        hints.sort_unstable();
        hints.dedup();
        Self::from_parts(self.out.gather(order), hints)
    }

    /// Returns true if no hint was added since the last sort.
    pub(crate) fn is_sorted(&self) -> bool {
        self.unsorted_hints.is_empty()
    }

    pub(crate) fn parts(&self) -> (&RaggedArray<[i64; 2]>, &[[i64; 2]]) {
        (&self.out, &self.reverse_hints)
    }

    pub(crate) fn from_parts(out: RaggedArray<[i64; 2]>, hints: Vec<[i64; 2]>) -> Self {
        let count = out.total_len();
        Self { out, count, reverse_hints: hints, unsorted_hints: HashMap::new() }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.out.size_bytes() + self.reverse_hints.capacity() * 16 + self.unsorted_hints.len() * 80
    }
}

/// Packs a link into two integers: the target, and the kind above the bits of the weight. This is
/// also its form in a snapshot.
fn pack(link: &OutgoingLink) -> [i64; 2] {
    [link.target.0, i64::from(link.kind as u8) << 32 | i64::from(link.weight.to_bits())]
}

fn unpack([target, rest]: [i64; 2]) -> Option<OutgoingLink> {
    let kind = LinkKind::from_code(u8::try_from(rest >> 32).ok()?)?;
    Some(OutgoingLink { target: MemoryId(target), kind, weight: f32::from_bits(rest as u32) })
}

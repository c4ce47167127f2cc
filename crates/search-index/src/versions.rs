//! Versions of a memory in the link graph. A replaced memory counts as the newest memory that
//! replaced it, and its links count as links of that one, so that a correction does not cut the
//! graph. Everything that follows or counts links decides here which memory a link leads to.

use crate::{Direction, DocId, DocSet, LinkEdge, LinkKinds, View};
use model::{LinkKind, MemoryId, Status};
use std::collections::{BTreeSet, HashMap};

/// Largest number of versions that are followed. Bounds the work on an imported file that chains
/// replacements without end; a cycle ends where it began.
const VERSIONS_MAX: usize = 1_000;

const SUPERSEDES: LinkKinds = LinkKinds::only(LinkKind::Supersedes);

/// Returns the newest current version of an item: the item itself while it is current, otherwise
/// the greatest current one among its successors, directly or over others. When none of them is
/// current, the greatest successor of all; the item itself when it has none.
pub fn newest_version<N: Copy + Ord>(
    item: N,
    is_current: impl Fn(N) -> bool,
    successors: impl Fn(N) -> Vec<N>,
) -> N {
    let (mut seen, mut open) = (BTreeSet::from([item]), vec![item]);
    let mut current = None;
    while let Some(version) = open.pop() {
        // A current version ends its branch: whatever replaced it earlier no longer does.
        if is_current(version) {
            current = current.max(Some(version));
            continue;
        }
        for next in successors(version) {
            if seen.len() < VERSIONS_MAX && seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen.remove(&item);
    current.or(seen.last().copied()).unwrap_or(item)
}

impl View {
    /// Returns the newest current version of a memory, over versions among the readable ones; all
    /// of them when no set is given. A memory that nothing replaced is its own newest version.
    #[must_use]
    pub fn newest_version(&self, id: MemoryId, readable: Option<&DocSet>) -> MemoryId {
        newest_version(
            id,
            |version| self.doc(version).is_none_or(|doc| self.is_active(doc)),
            |version| self.replacements(version, Direction::In, readable),
        )
    }

    /// Returns the versions whose newest one is this memory, without itself, nearest first.
    #[must_use]
    pub fn older_versions(&self, id: MemoryId, readable: Option<&DocSet>) -> Vec<MemoryId> {
        let mut older = self.all_older_versions(id, readable);
        older.retain(|&version| self.newest_version(version, readable) == id);
        older
    }

    /// Returns everything that a memory replaced, directly or over others, nearest first, whatever
    /// else replaced it too.
    #[must_use]
    pub fn all_older_versions(&self, id: MemoryId, readable: Option<&DocSet>) -> Vec<MemoryId> {
        let (mut seen, mut older, mut next) = (BTreeSet::from([id]), vec![id], 0);
        while let Some(&version) = older.get(next) {
            for replaced in self.replacements(version, Direction::Out, readable) {
                if seen.len() < VERSIONS_MAX && seen.insert(replaced) {
                    older.push(replaced);
                }
            }
            next += 1;
        }
        older.remove(0);
        older
    }

    /// Returns the links of a memory and of its older versions, each between newest versions and
    /// once; of several between the same two the strongest. Links that say what replaced what are
    /// those of the memory alone, as written.
    #[must_use]
    pub fn current_links(
        &self,
        id: MemoryId,
        direction: Direction,
        kinds: LinkKinds,
        readable: Option<&DocSet>,
    ) -> Vec<LinkEdge> {
        let mut found = CurrentLinks::default();
        for edge in self.links(id, direction, kinds) {
            if edge.kind == LinkKind::Supersedes {
                found.add(edge);
            } else {
                self.add_between_newest(&mut found, id, id, edge, readable);
            }
        }
        for version in self.older_versions(id, readable) {
            for edge in self.links(version, direction, kinds) {
                if edge.kind != LinkKind::Supersedes {
                    self.add_between_newest(&mut found, id, version, edge, readable);
                }
            }
        }
        found.edges
    }

    /// Adds a link of a version as a link of the newest one, unless both ends are versions of it.
    fn add_between_newest(
        &self,
        found: &mut CurrentLinks,
        newest: MemoryId,
        version: MemoryId,
        edge: LinkEdge,
        readable: Option<&DocSet>,
    ) {
        let other = self.newest_version(edge.other(version), readable);
        if other != newest {
            let (source, target) =
                if edge.source == version { (newest, other) } else { (other, newest) };
            found.add(LinkEdge { source, target, ..edge });
        }
    }

    /// Returns what a memory replaced (`Out`) or what replaced it (`In`), of the readable ones.
    fn replacements(
        &self,
        id: MemoryId,
        direction: Direction,
        readable: Option<&DocSet>,
    ) -> Vec<MemoryId> {
        let is_readable = |id: MemoryId| {
            readable.is_none_or(|set| self.doc(id).is_some_and(|doc| set.contains(doc)))
        };
        let links = self.links(id, direction, SUPERSEDES);
        links.iter().map(|edge| edge.other(id)).filter(|&other| is_readable(other)).collect()
    }

    /// Returns true if the status of a memory is active.
    #[must_use]
    pub fn is_active(&self, doc: DocId) -> bool {
        self.columns.table.status[doc.index()] == Status::Active as u8
    }
}

/// Links under collection, each once.
#[derive(Default)]
struct CurrentLinks {
    edges: Vec<LinkEdge>,
    places: HashMap<(MemoryId, MemoryId, u8), usize>,
}

impl CurrentLinks {
    fn add(&mut self, edge: LinkEdge) {
        let key = (edge.source, edge.target, edge.kind as u8);
        match self.places.get(&key) {
            Some(&place) => self.edges[place].weight = self.edges[place].weight.max(edge.weight),
            None => {
                self.places.insert(key, self.edges.len());
                self.edges.push(edge);
            }
        }
    }
}

//! A census of the links: which current memories have any, which have a reason, and how many links
//! of each kind there are. One pass over all links, in which a replaced memory counts as its newest
//! version, as in [`View::current_links`].

use crate::versions::newest_version;
use crate::{DocId, DocSet, OutgoingLink, View};
use model::LinkKind;
use std::collections::HashMap;

/// Result of counting the links of current memories.
#[derive(Debug, Clone, Default)]
pub struct LinkCensus {
    /// Number of links that start at a current memory.
    pub links: usize,
    /// Number of pairs of current memories that contradict each other.
    pub contradictions: usize,
    /// Number of memories that current ones replaced.
    pub corrections: usize,
    /// Current memories with a link in either direction.
    pub linked: DocSet,
    /// Current memories with a link to a cause or a source, or a supporting link in either
    /// direction.
    pub founded: DocSet,
}

impl View {
    /// Counts the links of the current memories. Links from and to others than the readable ones do
    /// not exist.
    #[must_use]
    pub fn link_census(&self, current: &DocSet, readable: &DocSet) -> LinkCensus {
        let mut counter = LinkCounter {
            view: self,
            current,
            readable,
            successors: self.successors(readable),
            newest: HashMap::new(),
            moved: HashMap::new(),
        };
        let slots = self.columns.slot_count();
        let (linked, founded) = (DocSet::with_capacity(slots), DocSet::with_capacity(slots));
        let mut census = LinkCensus { linked, founded, ..LinkCensus::default() };
        for source in readable.iter() {
            for link in self.links.out(source) {
                counter.count(&mut census, source, &link);
            }
        }
        census
    }

    /// Returns the readable replacements of each readable memory.
    fn successors(&self, readable: &DocSet) -> HashMap<DocId, Vec<DocId>> {
        let mut successors: HashMap<DocId, Vec<DocId>> = HashMap::new();
        for new in readable.iter() {
            for old in self.replaced_by(new).filter(|&old| readable.contains(old)) {
                successors.entry(old).or_default().push(new);
            }
        }
        successors
    }

    /// Returns the number of links between memories.
    #[must_use]
    pub fn link_count(&self) -> usize {
        self.links.count()
    }
}

impl View {
    /// Returns the number of links with both ends among these memories.
    #[must_use]
    pub fn links_among(&self, readable: &DocSet) -> usize {
        let is_readable = |link: &OutgoingLink| {
            self.doc(link.target).is_some_and(|target| readable.contains(target))
        };
        readable.iter().map(|doc| self.links.out(doc).filter(is_readable).count()).sum()
    }
}

struct LinkCounter<'v> {
    view: &'v View,
    current: &'v DocSet,
    readable: &'v DocSet,
    /// Replacements of each memory, gathered once: every link of a replaced one asks for them.
    successors: HashMap<DocId, Vec<DocId>>,
    /// Newest versions of replaced memories.
    newest: HashMap<DocId, DocId>,
    /// Kinds of the links that were written for an older version, one bit each, by the newest
    /// versions they lead from and to.
    moved: HashMap<(DocId, DocId), u8>,
}

impl LinkCounter<'_> {
    #[inline]
    fn count(&mut self, census: &mut LinkCensus, source: DocId, link: &OutgoingLink) {
        let Some(target) = self.view.doc(link.target) else { return };
        if !self.readable.contains(target) {
            return;
        }
        if link.kind == LinkKind::Supersedes {
            return self.count_replacement(census, source, target);
        }
        let (from, to) = (self.newest_of(source), self.newest_of(target));
        let is_moved = (from, to) != (source, target);
        if from == to || is_moved && self.is_known(from, to, link.kind) {
            return;
        }
        if self.current.contains(from) {
            census.links += 1;
            census.linked.insert(from);
            if matches!(link.kind, LinkKind::CausedBy | LinkKind::DerivedFrom | LinkKind::Supports)
            {
                census.founded.insert(from);
            }
            let contradicts = link.kind == LinkKind::Contradicts && self.current.contains(to);
            census.contradictions += usize::from(contradicts);
        }
        if self.current.contains(to) {
            census.linked.insert(to);
            if link.kind == LinkKind::Supports {
                census.founded.insert(to);
            }
        }
    }

    /// Counts what replaced what, as it was written.
    fn count_replacement(&self, census: &mut LinkCensus, new: DocId, old: DocId) {
        if self.current.contains(new) {
            census.links += 1;
            census.corrections += 1;
            census.linked.insert(new);
        }
        if self.current.contains(old) {
            census.linked.insert(old);
        }
    }

    /// Returns true if a link between newest versions was counted already, or will be.
    fn is_known(&mut self, from: DocId, to: DocId, kind: LinkKind) -> bool {
        let target = self.view.id(to);
        let is_written =
            self.view.links.out(from).any(|link| link.kind == kind && link.target == target);
        let moved = self.moved.entry((from, to)).or_default();
        let bit = 1 << kind as u8;
        is_written || std::mem::replace(moved, *moved | bit) & bit != 0
    }

    #[inline]
    fn newest_of(&mut self, doc: DocId) -> DocId {
        // Nearly every memory is current, and then it is its own newest version. The bitmap of
        // them stays in the cache, which the column of statuses does not.
        if self.view.columns.active().contains(doc) { doc } else { self.newest_of_replaced(doc) }
    }

    #[inline(never)]
    fn newest_of_replaced(&mut self, doc: DocId) -> DocId {
        let Self { view, successors, .. } = self;
        // The versions compare by their memory ids, as everywhere else.
        let by_id = |doc: DocId| (view.id(doc), doc);
        *self.newest.entry(doc).or_insert_with(|| {
            let replacements = |(_, doc)| {
                successors.get(&doc).into_iter().flatten().map(|&new| by_id(new)).collect()
            };
            newest_version(by_id(doc), |(_, doc)| view.is_active(doc), replacements).1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocFacts, Filter, IndexEntry, StatusFilter};
    use model::{MemoryId, Moment, Seq, Status};

    /// A memory with its id, its status, and the targets and kinds of its links.
    type LinkedMemory<'m> = (i64, Status, &'m [(i64, LinkKind)]);

    fn view(memories: &[LinkedMemory<'_>]) -> View {
        let mut view = View::new(None);
        for &(id, status, links) in memories {
            let facts = DocFacts { status, ..DocFacts::note(MemoryId(id), Moment(0)) };
            let link = |&(target, kind): &(i64, LinkKind)| OutgoingLink {
                target: MemoryId(target),
                kind,
                weight: 1.0,
            };
            let links = links.iter().map(link).collect();
            view.apply([IndexEntry { links, ..IndexEntry::new(facts) }], [], Seq(id));
        }
        view
    }

    fn census(view: &View) -> LinkCensus {
        let set = |status| view.filter(&Filter { status, ..Filter::default() }, Moment(0));
        view.link_census(&set(StatusFilter::Current), &set(StatusFilter::Any))
    }

    fn ids(view: &View, set: &DocSet) -> Vec<i64> {
        set.iter().map(|doc| view.id(doc).0).collect()
    }

    #[test]
    fn links_of_a_replaced_memory_count_for_its_newest_version() {
        let view = view(&[
            (1, Status::Active, &[]),
            (2, Status::Superseded, &[(1, LinkKind::CausedBy)]),
            (3, Status::Active, &[(2, LinkKind::Supersedes)]),
            (4, Status::Active, &[(2, LinkKind::Supports)]),
            (5, Status::Active, &[]),
        ]);
        let census = census(&view);
        assert_eq!((census.links, census.corrections, census.contradictions), (3, 1, 0));
        assert_eq!(ids(&view, &census.linked), [1, 3, 4]);
        assert_eq!(ids(&view, &census.founded), [3, 4]);
        assert_eq!(view.link_count(), 3);
    }

    #[test]
    fn the_same_link_of_two_versions_counts_once() {
        let view = view(&[
            (1, Status::Active, &[]),
            (2, Status::Superseded, &[(1, LinkKind::Contradicts)]),
            (3, Status::Active, &[(2, LinkKind::Supersedes), (1, LinkKind::Contradicts)]),
        ]);
        let census = census(&view);
        assert_eq!((census.links, census.contradictions), (2, 1));
    }

    #[test]
    fn a_link_between_two_versions_of_one_memory_does_not_count() {
        let view = view(&[
            (1, Status::Superseded, &[(2, LinkKind::TemporalNext)]),
            (2, Status::Active, &[(1, LinkKind::Supersedes)]),
        ]);
        let census = census(&view);
        assert_eq!((census.links, census.corrections), (1, 1));
        assert_eq!(ids(&view, &census.linked), [2]);
    }
}

//! The effects of a batch on versions and parts, before it is written: which memories it replaces,
//! ends, forgets or makes a part of something.

use index::{Direction, LinkKinds, View};
use model::{Kind, LinkKind, MemoryId, Status};
use std::collections::{BTreeSet, HashMap, HashSet};
use store::{AddMemory, Change, MemoryEdit, Ref};

/// A memory as a batch refers to it. One that the batch adds is newer than all stored ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum BatchMemory {
    Stored(MemoryId),
    /// The one that the change at this index adds.
    Added(usize),
}

/// Effects of a batch on versions and parts.
#[derive(Debug, Default)]
pub(super) struct BatchEffects<'b> {
    added: HashMap<usize, &'b AddMemory>,
    statuses: HashMap<BatchMemory, Status>,
    edits: HashMap<MemoryId, &'b MemoryEdit>,
    /// Pairs of a replaced memory and its replacement.
    replaced: BTreeSet<(BatchMemory, BatchMemory)>,
    no_longer_replaced: HashSet<(BatchMemory, BatchMemory)>,
    /// Pairs of a part and the whole.
    parts: BTreeSet<(BatchMemory, MemoryId)>,
    no_longer_parts: HashSet<(BatchMemory, MemoryId)>,
    forgotten: HashSet<MemoryId>,
    /// Stored memories whose extracts may change.
    touched: BTreeSet<MemoryId>,
    /// Memories that gain or lose a part.
    wholes: BTreeSet<MemoryId>,
}

impl<'b> BatchEffects<'b> {
    /// Reads the effects of these changes.
    pub fn read(changes: &'b [Change]) -> Self {
        let mut effects = Self::default();
        changes.iter().enumerate().for_each(|(at, change)| effects.add(at, change));
        effects
    }

    /// Returns whether no stored extract can change with this batch.
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty() && self.wholes.is_empty()
    }

    /// Returns the stored memories whose extracts may change.
    pub fn touched(&self) -> impl Iterator<Item = MemoryId> + '_ {
        self.touched.iter().copied()
    }

    /// Returns the memories that gain or lose a part.
    pub fn wholes(&self) -> impl Iterator<Item = MemoryId> + '_ {
        self.wholes.iter().copied()
    }

    /// Returns whether the batch forgets a memory.
    pub fn forgets(&self, memory: MemoryId) -> bool {
        self.forgotten.contains(&memory)
    }

    /// Returns whether the batch forgets anything.
    pub fn forgets_any(&self) -> bool {
        !self.forgotten.is_empty()
    }

    fn add(&mut self, at: usize, change: &'b Change) {
        match change {
            Change::AddMemory(add) => {
                self.added.insert(at, add);
                self.statuses.insert(BatchMemory::Added(at), add.memory.status);
            }
            Change::EditMemory { memory, edit } if may_move_quote(edit) => {
                self.edits.insert(*memory, edit);
                self.touched.insert(*memory);
            }
            Change::SetStatus { memory, status } => self.set_status(*memory, *status),
            Change::RestoreStatus { memory, status, .. } => {
                self.set_status(Ref::Id(*memory), *status);
            }
            Change::Supersede { old, new } => {
                self.set_status(Ref::Id(*old), Status::Superseded);
                self.link(*new, Ref::Id(*old), LinkKind::Supersedes);
            }
            Change::Link { source, target, kind, .. } => self.link(*source, *target, *kind),
            Change::Unlink { source, target, kind } => self.unlink(*source, *target, *kind),
            Change::Forget { memories } => {
                self.forgotten.extend(memories);
                self.touched.extend(memories);
            }
            // An import changes no stored memory, and checks the extracts that it brings at its
            // end.
            _ => {}
        }
    }

    fn set_status(&mut self, memory: Ref<MemoryId>, status: Status) {
        if let Some(memory) = self.resolve(memory) {
            self.statuses.insert(memory, status);
            self.touch(memory);
        }
    }

    fn link(&mut self, source: Ref<MemoryId>, target: Ref<MemoryId>, kind: LinkKind) {
        let (Some(source), Some(target)) = (self.resolve(source), self.resolve(target)) else {
            return;
        };
        match (kind, target) {
            (LinkKind::Supersedes, _) if source != target => {
                self.replaced.insert((target, source));
                self.touch(target);
            }
            (LinkKind::PartOf, BatchMemory::Stored(whole)) => {
                self.parts.insert((source, whole));
                self.wholes.insert(whole);
            }
            _ => {}
        }
    }

    fn unlink(&mut self, source: MemoryId, target: MemoryId, kind: LinkKind) {
        let part = BatchMemory::Stored(source);
        match kind {
            LinkKind::Supersedes => {
                self.no_longer_replaced.insert((BatchMemory::Stored(target), part));
                self.touched.insert(target);
            }
            LinkKind::PartOf => {
                self.no_longer_parts.insert((part, target));
                self.wholes.insert(target);
            }
            _ => {}
        }
    }

    fn resolve(&self, memory: Ref<MemoryId>) -> Option<BatchMemory> {
        match memory {
            Ref::Id(id) => Some(BatchMemory::Stored(id)),
            Ref::ResultOf(at) => self.added.contains_key(&at).then_some(BatchMemory::Added(at)),
        }
    }

    fn touch(&mut self, memory: BatchMemory) {
        if let BatchMemory::Stored(id) = memory {
            self.touched.insert(id);
        }
    }

    /// Returns the memory that the change at an index adds.
    pub fn added(&self, at: usize) -> Option<&'b AddMemory> {
        self.added.get(&at).copied()
    }

    /// Returns the edit of a memory.
    pub fn edit(&self, memory: MemoryId) -> Option<&'b MemoryEdit> {
        self.edits.get(&memory).copied()
    }

    /// Returns the status of a stored memory after the batch, if the batch sets it.
    pub fn status(&self, memory: MemoryId) -> Option<Status> {
        self.statuses.get(&BatchMemory::Stored(memory)).copied()
    }

    /// Returns the parts of a memory after the batch.
    pub fn parts_after(&self, view: &View, whole: MemoryId) -> Vec<BatchMemory> {
        let links = view.links(whole, Direction::In, LinkKinds::only(LinkKind::PartOf));
        let stored = links.iter().map(|edge| BatchMemory::Stored(edge.source));
        let new = self.parts.iter().filter(|(_, other)| *other == whole).map(|(part, _)| *part);
        let parts = stored.filter(|part| !self.no_longer_parts.contains(&(*part, whole)));
        let all: BTreeSet<BatchMemory> = parts.chain(new).collect();
        all.into_iter().filter(|part| !self.is_forgotten(*part)).collect()
    }

    /// Returns the newest version of a memory after the batch.
    pub fn newest_after(&self, view: &View, memory: BatchMemory) -> BatchMemory {
        let is_current =
            |version: BatchMemory| self.status_after(view, version) == Some(Status::Active);
        index::newest_version(memory, is_current, |version| self.successors(view, version))
    }

    /// Returns the status of a memory after the batch; `None` when there is no such memory then.
    pub fn status_after(&self, view: &View, memory: BatchMemory) -> Option<Status> {
        if self.is_forgotten(memory) {
            return None;
        }
        let stored = || match memory {
            BatchMemory::Stored(id) => view.doc(id).map(|doc| view.facts(doc).status),
            BatchMemory::Added(_) => None,
        };
        self.statuses.get(&memory).copied().or_else(stored)
    }

    fn successors(&self, view: &View, memory: BatchMemory) -> Vec<BatchMemory> {
        let kinds = LinkKinds::only(LinkKind::Supersedes);
        let links = match memory {
            BatchMemory::Stored(id) => view.links(id, Direction::In, kinds),
            BatchMemory::Added(_) => Vec::new(),
        };
        let stored = links.iter().map(|edge| BatchMemory::Stored(edge.source));
        let stored = stored.filter(|new| !self.no_longer_replaced.contains(&(memory, *new)));
        let new = self.replaced.iter().filter(|(old, _)| *old == memory).map(|(_, new)| *new);
        stored.chain(new).filter(|version| !self.is_forgotten(*version)).collect()
    }

    fn is_forgotten(&self, memory: BatchMemory) -> bool {
        matches!(memory, BatchMemory::Stored(id) if self.forgotten.contains(&id))
    }
}

/// Returns whether an edit may change which extract quotes a memory, or under which heading.
fn may_move_quote(edit: &MemoryEdit) -> bool {
    let MemoryEdit { kind, collection, priority, metadata, .. } = edit;
    kind.is_some() || collection.is_some() || priority.is_some() || metadata.is_some()
}

/// Returns whether memories of a kind are quoted: an extract does not quote another.
pub(super) fn is_quotable(kind: &Kind) -> bool {
    *kind != Kind::episode()
}

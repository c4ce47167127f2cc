//! Effect of decisions on memories that compete. It is a function of the set of decisions, so
//! their order does not matter. Pure: memories, versions and decisions in, statuses and
//! replacements out.

use model::{MemoryId, Resolution, ReviewItem, ReviewKind, Status};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A replacement: the new memory, then the old one.
pub(super) type Replacement = (MemoryId, MemoryId);

/// One consequence of a decision on a review item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The memory holds.
    Accept(MemoryId),
    /// The memory does not hold.
    Reject(MemoryId),
    /// One memory holds in place of another.
    Replace(Replacement),
}

/// Returns the consequences of deciding an item. An item about the profile has none.
pub(super) fn verdicts(item: &ReviewItem, resolution: Resolution) -> Vec<Verdict> {
    let Some(subject) = item.subject else { return Vec::new() };
    let accept_against = item.against.map(Verdict::Accept);
    let replace = item.against.map(|against| Verdict::Replace((subject, against)));
    match (item.kind, resolution) {
        // Confirming a flag means that the complaint is right.
        (ReviewKind::Flag, Resolution::Confirm) => vec![Verdict::Reject(subject)],
        (ReviewKind::Flag, _) => Vec::new(),
        (_, Resolution::Confirm) => [Verdict::Accept(subject)].into_iter().chain(replace).collect(),
        (_, Resolution::Reject) => vec![Verdict::Reject(subject)],
        (_, Resolution::KeepBoth) => {
            [Verdict::Accept(subject)].into_iter().chain(accept_against).collect()
        }
    }
}

/// Memories that decisions connect.
#[derive(Debug, Clone, Default)]
pub(super) struct RivalGraph {
    /// Status of each memory apart from all decisions.
    pub base: BTreeMap<MemoryId, Status>,
    /// Replacements that no decision made, such as corrections.
    pub versions: BTreeSet<Replacement>,
}

/// Statuses and replacements that result from decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RivalState {
    pub statuses: BTreeMap<MemoryId, Status>,
    pub replacements: BTreeSet<Replacement>,
}

impl RivalGraph {
    /// Returns the state that results from a set of decisions, in whatever order they are given.
    pub fn state(&self, decisions: &[Verdict]) -> RivalState {
        let verdicts = VerdictSets::collect(decisions);
        let mut candidates = self.candidates(&verdicts);
        // Replacements by the newer memory form no cycle among themselves and come first, so that
        // in a cycle it is one in favour of an older memory that has no effect.
        candidates.sort_unstable_by_key(|(new, old)| (new < old, *old, Reverse(*new)));
        let mut replacements = BTreeSet::new();
        for (new, old) in candidates {
            if !self.leads_to(old, new, &replacements) {
                replacements.insert((new, old));
            }
        }
        let replaced: BTreeSet<MemoryId> = replacements.iter().map(|(_, old)| *old).collect();
        let status = |(id, base): (&MemoryId, &Status)| {
            (*id, verdicts.status(*id, *base, replaced.contains(id)))
        };
        RivalState { statuses: self.base.iter().map(status).collect(), replacements }
    }

    /// Returns the current versions of a memory, apart from all decisions: itself, or what
    /// corrections replaced it with.
    pub fn current_versions(&self, id: MemoryId) -> BTreeSet<MemoryId> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([id]), vec![id]);
        while let Some(id) = open.pop() {
            match self.base.get(&id) {
                Some(Status::Active | Status::Proposed) => {
                    found.insert(id);
                }
                Some(Status::Superseded) => {
                    let newer = self.versions.iter().filter(|(_, old)| *old == id);
                    open.extend(newer.map(|(new, _)| *new).filter(|new| seen.insert(*new)));
                }
                _ => {}
            }
        }
        found
    }

    /// Returns the replacements that the decisions ask for. A rejected memory replaces nothing and
    /// is replaced by nothing.
    fn candidates(&self, verdicts: &VerdictSets) -> Vec<Replacement> {
        let mut candidates = BTreeSet::new();
        for (new, old) in &verdicts.replacements {
            let holders = self.current_versions(*new);
            let holds = holders.iter().any(|id| verdicts.holds(*id, self.base.get(id)));
            if verdicts.rejected.contains(new) || !holds {
                continue;
            }
            // Versions that were written while the item was open lose as well.
            let losers = self.current_versions(*old);
            let stands = |id: &&MemoryId| !verdicts.rejected.contains(id) && !holders.contains(id);
            candidates.extend(losers.iter().filter(stands).map(|old| (*new, *old)));
        }
        candidates.into_iter().collect()
    }

    /// Returns whether a memory replaces another, directly or through others.
    fn leads_to(&self, from: MemoryId, to: MemoryId, made: &BTreeSet<Replacement>) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(id) = open.pop() {
            let replaced = |links: &BTreeSet<Replacement>| -> Vec<MemoryId> {
                let all = (id, MemoryId(i64::MIN))..=(id, MemoryId(i64::MAX));
                links.range(all).map(|(_, old)| *old).collect()
            };
            let next = replaced(&self.versions).into_iter().chain(replaced(made));
            open.extend(next.filter(|old| seen.insert(*old)));
        }
        seen.contains(&to)
    }
}

/// The decisions as sets.
#[derive(Default)]
struct VerdictSets {
    accepted: BTreeSet<MemoryId>,
    rejected: BTreeSet<MemoryId>,
    replacements: BTreeSet<Replacement>,
}

impl VerdictSets {
    fn collect(decisions: &[Verdict]) -> Self {
        let mut sets = Self::default();
        for decision in decisions {
            match *decision {
                Verdict::Accept(id) => _ = sets.accepted.insert(id),
                Verdict::Reject(id) => _ = sets.rejected.insert(id),
                Verdict::Replace(replacement) => _ = sets.replacements.insert(replacement),
            }
        }
        sets
    }

    /// Returns whether a memory of this base status holds, if nothing replaces it.
    fn holds(&self, id: MemoryId, base: Option<&Status>) -> bool {
        base.is_some_and(|base| self.status(id, *base, false) == Status::Active)
    }

    fn status(&self, id: MemoryId, base: Status, is_replaced: bool) -> Status {
        match base {
            Status::Superseded | Status::Rejected | Status::Retired => base,
            Status::Active | Status::Proposed if self.rejected.contains(&id) => Status::Rejected,
            Status::Active | Status::Proposed if is_replaced => Status::Superseded,
            Status::Proposed if !self.accepted.contains(&id) => Status::Proposed,
            Status::Active | Status::Proposed => Status::Active,
        }
    }
}

#[cfg(test)]
mod tests;

//! The memories that decisions connect with some review items, read together with those decisions.
//! A memory's status apart from decisions is derived here: each decision starts from it again.

use super::rival_graph::{Replacement, RivalGraph, RivalState, Verdict, verdicts};
use super::undo_state::UndoState;
use engine_core::call::Call;
use index::{Direction, LinkKinds, View};
use model::{
    Failure, LinkKind, Memory, MemoryId, Moment, Page, Resolution, ReviewId, ReviewItem,
    ReviewKind, ReviewState, Status, limits,
};
use std::collections::{BTreeMap, BTreeSet};
use store::{ExpectedVersion, ReviewQuery};

/// Memories that decisions connect, with these decisions.
#[derive(Debug, Default)]
pub(super) struct DecisionContext {
    pub memories: BTreeMap<MemoryId, Memory>,
    /// Links of supersession between the memories.
    pub links: BTreeSet<Replacement>,
    /// Memories that were proposals before any decision.
    pub proposals: BTreeSet<MemoryId>,
    graph: RivalGraph,
    decisions: BTreeMap<ReviewId, Vec<Verdict>>,
    /// All items about the memories, with the time of the decision.
    decided_at: BTreeMap<ReviewId, Option<Moment>>,
}

impl DecisionContext {
    /// Reads everything that decisions and versions connect with the sides of these items.
    pub async fn load(call: &Call<'_>, items: &[ReviewItem]) -> Result<Self, Failure> {
        let view = call.view().await?;
        let (mut known, mut links) = (BTreeSet::new(), BTreeSet::new());
        let mut decided: BTreeMap<ReviewId, ReviewItem> = BTreeMap::new();
        let mut decided_at = BTreeMap::new();
        let mut next: BTreeSet<MemoryId> = items.iter().flat_map(sides).collect();
        while !next.is_empty() {
            let near = view.read(|view| supersessions(view, &next));
            let mut about = items_about(call, &next).await?;
            decided_at.extend(about.iter().map(|item| (item.id, time_of_decision(item))));
            about.retain(|item| item.state != ReviewState::Open);
            known.append(&mut next);
            let ends = near.iter().flat_map(|(new, old)| [*new, *old]);
            next.extend(ends.chain(about.iter().flat_map(sides)));
            next.retain(|id| !known.contains(id));
            links.extend(near);
            decided.extend(about.into_iter().map(|item| (item.id, item)));
        }
        let memories = memories_by_id(call, known).await?;
        Self { memories, links, decided_at, ..Self::default() }.with_decisions(call, &decided).await
    }

    async fn with_decisions(
        mut self,
        call: &Call<'_>,
        decided: &BTreeMap<ReviewId, ReviewItem>,
    ) -> Result<Self, Failure> {
        let mut made: BTreeSet<Replacement> = BTreeSet::new();
        for item in decided.values() {
            let state = UndoState::decode(&call.store().review_undo_state(item.id).await?);
            made.extend(confirmed_pair(item));
            made.extend(state.supersessions());
            self.proposals.extend(state.proposals());
            self.decisions.insert(item.id, resolution(item).map_or(vec![], |r| verdicts(item, r)));
        }
        self.graph.versions = &self.links - &made;
        self.graph.base = self.memories.values().map(|one| (one.id, self.base_of(one))).collect();
        self.proposals.extend(
            self.graph.base.iter().filter(|(_, base)| **base == Status::Proposed).map(|(id, _)| id),
        );
        Ok(self)
    }

    /// Returns the status of a memory apart from the decisions made so far.
    fn base_of(&self, memory: &Memory) -> Status {
        let id = memory.id;
        let is_decided =
            |verdict: Verdict| self.decisions.values().flatten().any(|v| *v == verdict);
        let replaced_in = |links: &BTreeSet<Replacement>| links.iter().any(|(_, old)| *old == id);
        let explained = match memory.status {
            Status::Active => is_decided(Verdict::Accept(id)),
            Status::Rejected => is_decided(Verdict::Reject(id)),
            Status::Superseded => replaced_in(&self.links) && !replaced_in(&self.graph.versions),
            Status::Proposed | Status::Retired => false,
        };
        match explained {
            // Nothing changes it back to a proposal but undoing, so an earlier state says so.
            true if self.proposals.contains(&id) => Status::Proposed,
            true => Status::Active,
            false => memory.status,
        }
    }

    /// Returns the status of a memory apart from all decisions.
    pub fn base(&self, id: MemoryId) -> Option<Status> {
        self.graph.base.get(&id).copied()
    }

    /// Returns the current versions of a memory, apart from all decisions.
    pub fn current_versions(&self, id: MemoryId) -> Vec<&Memory> {
        let versions = self.graph.current_versions(id);
        versions.iter().filter_map(|id| self.memories.get(id)).collect()
    }

    /// Returns the state that results from the decisions made so far and more.
    pub fn state_with(&self, more: &[Verdict]) -> RivalState {
        let all: Vec<Verdict> = self.decisions.values().flatten().chain(more).copied().collect();
        self.graph.state(&all)
    }

    /// Returns the state as if some items had not been decided.
    pub fn state_without(&self, items: &[ReviewItem]) -> RivalState {
        let remains = |id: &ReviewId| items.iter().all(|item| item.id != *id);
        let others = self.decisions.iter().filter(|(id, _)| remains(id));
        let all: Vec<Verdict> = others.flat_map(|(_, verdicts)| verdicts).copied().collect();
        self.graph.state(&all)
    }

    /// Returns the versions on which the decision depends, for the store to check once more.
    pub fn expected_versions(&self) -> Vec<ExpectedVersion> {
        let version = |memory: &Memory| ExpectedVersion::Memory(memory.id, memory.updated_at);
        let state = |(id, at): (&ReviewId, &Option<Moment>)| ExpectedVersion::Review(*id, *at);
        self.memories.values().map(version).chain(self.decided_at.iter().map(state)).collect()
    }
}

fn sides(item: &ReviewItem) -> impl Iterator<Item = MemoryId> + use<> {
    item.subject.into_iter().chain(item.against)
}

fn resolution(item: &ReviewItem) -> Option<Resolution> {
    match item.state {
        ReviewState::Open => None,
        ReviewState::Resolved { resolution, .. } => Some(resolution),
    }
}

fn time_of_decision(item: &ReviewItem) -> Option<Moment> {
    match item.state {
        ReviewState::Open => None,
        ReviewState::Resolved { at, .. } => Some(at),
    }
}

/// Returns the replacement that a confirmed item made.
fn confirmed_pair(item: &ReviewItem) -> Option<Replacement> {
    let is_confirmed = resolution(item) == Some(Resolution::Confirm);
    (is_confirmed && item.kind != ReviewKind::Flag).then_some((item.subject?, item.against?))
}

/// Returns the links of supersession that start or end at these memories.
fn supersessions(view: &View, memories: &BTreeSet<MemoryId>) -> Vec<Replacement> {
    let kinds = LinkKinds::from_kinds(&[LinkKind::Supersedes]);
    let links = memories.iter().flat_map(|id| view.links(*id, Direction::Both, kinds));
    links.map(|link| (link.source, link.target)).collect()
}

async fn items_about(
    call: &Call<'_>,
    memories: &BTreeSet<MemoryId>,
) -> Result<Vec<ReviewItem>, Failure> {
    let memories: Vec<MemoryId> = memories.iter().copied().collect();
    let mut found = Vec::new();
    for some in memories.chunks(limits::IDS_PER_CALL) {
        let query = ReviewQuery { memories: Some(some.to_vec()), ..ReviewQuery::default() };
        found.extend(all_reviews(call, &query).await?);
    }
    Ok(found)
}

/// Returns all review items that match, newest first.
pub(super) async fn all_reviews(
    call: &Call<'_>,
    query: &ReviewQuery,
) -> Result<Vec<ReviewItem>, Failure> {
    let (mut found, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let some = call.store().reviews(query, page).await?.items;
        page.offset += some.len();
        let is_last = some.len() < limits::PAGE_ITEMS;
        found.extend(some);
        if is_last {
            return Ok(found);
        }
    }
}

async fn memories_by_id(
    call: &Call<'_>,
    ids: BTreeSet<MemoryId>,
) -> Result<BTreeMap<MemoryId, Memory>, Failure> {
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let mut found = BTreeMap::new();
    for some in ids.chunks(limits::IDS_PER_CALL) {
        let memories = call.memories_unchecked(some).await?;
        found.extend(memories.into_iter().map(|memory| (memory.id, memory)));
    }
    Ok(found)
}

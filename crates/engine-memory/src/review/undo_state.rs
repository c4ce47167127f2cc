//! State before a decision, stored with the item as ids and statuses only.

use super::PROFILE;
use engine_core::call::Call;
use model::{Failure, FlagId, JsonMap, LinkKind, Memory, MemoryId, Moment, ReviewId, ReviewItem};
use model::{Link, Status};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use store::{Change, Ref};

/// A memory that a decision changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StatusBefore {
    pub id: MemoryId,
    pub before: Status,
    pub ended_at: Option<Moment>,
    /// Status that the decision gave it.
    pub after: Status,
}

/// State before a decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct UndoState {
    pub memories: Vec<StatusBefore>,
    /// Links that the decision added.
    pub linked: Vec<(MemoryId, MemoryId, LinkKind)>,
    /// Links that the decision removed.
    pub unlinked: Vec<(MemoryId, MemoryId, LinkKind, f32)>,
    /// Flags that the decision settled.
    pub flags: Vec<(MemoryId, FlagId)>,
    /// Other items that it decided.
    pub decided_items: Vec<ReviewId>,
    /// Version of the profile that it changed.
    pub profile: Option<u32>,
    /// Connected memories that were proposals before any decision.
    proposals: Vec<MemoryId>,
}

impl UndoState {
    /// Captures what the changes of a decision will affect.
    pub async fn capture(
        call: &Call<'_>,
        changes: &[Change],
        memories: &BTreeMap<MemoryId, Memory>,
    ) -> Result<Self, Failure> {
        let mut links = BTreeMap::new();
        for id in changes.iter().filter_map(link_source) {
            // Links are read before the decision: afterwards it is unknown which ones it added.
            links.insert(id, call.store().links(id).await?.outgoing);
        }
        let mut state = Self::default();
        for change in changes {
            state.record(change, memories, &links);
            if let Change::SettleFlags { memory } = change {
                let flags = call.store().flags(*memory).await?;
                let open = flags.iter().filter(|flag| !flag.settled);
                state.flags.extend(open.map(|flag| (*memory, flag.id)));
            }
            if matches!(change, Change::PatchProfile { .. }) {
                let standing = call.store().profile().await?;
                state.profile = Some(standing.map_or(0, |version| version.version));
            }
        }
        Ok(state)
    }

    /// Adds which memories were proposals before any decision.
    #[must_use]
    pub fn with_proposals(mut self, proposals: &BTreeSet<MemoryId>) -> Self {
        self.proposals = proposals.iter().copied().collect();
        self
    }

    /// Takes the part out that concerns an item which was decided together with this one.
    pub fn split_off(&mut self, item: &ReviewItem) -> Self {
        let is_side = |id: MemoryId| Some(id) == item.subject || Some(id) == item.against;
        Self {
            memories: self.memories.extract_if(.., |row| is_side(row.id)).collect(),
            linked: self.linked.extract_if(.., |row| Some(row.0) == item.subject).collect(),
            unlinked: self
                .unlinked
                .extract_if(.., |row| is_side(row.0) && is_side(row.1))
                .collect(),
            proposals: self.proposals.clone(),
            ..Self::default()
        }
    }

    /// Adds the part of an item that was decided together with this one.
    pub fn merge(&mut self, part: Self) {
        self.memories.extend(part.memories);
        self.linked.extend(part.linked);
        self.unlinked.extend(part.unlinked);
    }

    /// Returns the replacements that the decision made.
    pub fn supersessions(&self) -> impl Iterator<Item = (MemoryId, MemoryId)> + '_ {
        let made = self.linked.iter().filter(|(.., kind)| *kind == LinkKind::Supersedes);
        made.map(|(new, old, _)| (*new, *old))
    }

    /// Returns the memories that were proposals before any decision.
    pub fn proposals(&self) -> impl Iterator<Item = MemoryId> + '_ {
        let changed = self.memories.iter().filter(|row| row.before == Status::Proposed);
        changed.map(|row| row.id).chain(self.proposals.iter().copied())
    }

    fn record(
        &mut self,
        change: &Change,
        memories: &BTreeMap<MemoryId, Memory>,
        links: &BTreeMap<MemoryId, Vec<Link>>,
    ) {
        let link = |source: &MemoryId, target: &MemoryId, kind: LinkKind| {
            let out = links.get(source)?;
            out.iter().find(|link| link.target == *target && link.kind == kind)
        };
        match change {
            Change::SetStatus { memory: Ref::Id(id), status } => {
                self.record_status(*id, *status, memories)
            }
            Change::Supersede { old, new: Ref::Id(new) } if old != new => {
                self.record_status(*old, Status::Superseded, memories);
                if link(new, old, LinkKind::Supersedes).is_none() {
                    self.linked.push((*new, *old, LinkKind::Supersedes));
                }
            }
            Change::Link { source: Ref::Id(source), target: Ref::Id(target), kind, .. }
                if link(source, target, *kind).is_none() =>
            {
                self.linked.push((*source, *target, *kind));
            }
            Change::Unlink { source, target, kind } => {
                let weight = link(source, target, *kind).map_or(1.0, |link| link.weight);
                self.unlinked.push((*source, *target, *kind, weight));
            }
            Change::ResolveReview { review, .. } => self.decided_items.push(*review),
            _ => {}
        }
    }

    fn record_status(
        &mut self,
        id: MemoryId,
        after: Status,
        memories: &BTreeMap<MemoryId, Memory>,
    ) {
        if let Some(memory) = memories.get(&id) {
            let (before, ended_at) = (memory.status, memory.ended_at);
            self.memories.push(StatusBefore { id, before, ended_at, after });
        }
    }

    /// Encodes the state for the store.
    // The store keeps this JSON; names and order of the values must not change.
    pub fn encode(&self) -> JsonMap {
        let memories = self.memories.iter().map(|row| {
            let ended_at = row.ended_at.map(|moment| moment.0);
            json!([row.id.0, row.before.name(), ended_at, row.after.name()])
        });
        let linked = self
            .linked
            .iter()
            .map(|(source, target, kind)| json!([source.0, target.0, kind.name()]));
        let unlinked = self
            .unlinked
            .iter()
            .map(|(source, target, kind, weight)| json!([source.0, target.0, kind.name(), weight]));
        let flags = self.flags.iter().map(|(memory, flag)| json!([memory.0, flag.0]));
        JsonMap::from_iter([
            ("memories".to_owned(), memories.collect()),
            ("linked".to_owned(), linked.collect()),
            ("unlinked".to_owned(), unlinked.collect()),
            ("flags".to_owned(), flags.collect()),
            ("items".to_owned(), self.decided_items.iter().map(|item| item.0).collect()),
            ("proposals".to_owned(), self.proposals.iter().map(|id| id.0).collect()),
            (PROFILE.to_owned(), self.profile.into()),
        ])
    }

    /// Decodes what `encode` returned; unreadable entries are skipped.
    pub fn decode(stored: &JsonMap) -> Self {
        let rows =
            |name: &str| stored.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let id = |row: &Value, at: usize| row[at].as_i64();
        let kind = |row: &Value| row[2].as_str().and_then(LinkKind::parse);
        Self {
            memories: rows("memories").iter().filter_map(StatusBefore::decode).collect(),
            linked: rows("linked")
                .iter()
                .filter_map(|row| Some((MemoryId(id(row, 0)?), MemoryId(id(row, 1)?), kind(row)?)))
                .collect(),
            unlinked: rows("unlinked")
                .iter()
                .filter_map(|row| {
                    let weight = row[3].as_f64()? as f32;
                    Some((MemoryId(id(row, 0)?), MemoryId(id(row, 1)?), kind(row)?, weight))
                })
                .collect(),
            flags: rows("flags")
                .iter()
                .filter_map(|row| Some((MemoryId(id(row, 0)?), FlagId(id(row, 1)?))))
                .collect(),
            decided_items: rows("items").iter().filter_map(Value::as_i64).map(ReviewId).collect(),
            proposals: rows("proposals").iter().filter_map(Value::as_i64).map(MemoryId).collect(),
            profile: stored
                .get(PROFILE)
                .and_then(Value::as_u64)
                .and_then(|version| u32::try_from(version).ok()),
        }
    }
}

impl StatusBefore {
    fn decode(row: &Value) -> Option<Self> {
        let status = |at: usize| row[at].as_str().and_then(Status::parse);
        let ended_at = row[2].as_i64().map(Moment);
        Some(Self {
            id: MemoryId(row[0].as_i64()?),
            before: status(1)?,
            ended_at,
            after: status(3)?,
        })
    }
}

/// Returns the memory at which a change adds or removes a link.
fn link_source(change: &Change) -> Option<MemoryId> {
    match change {
        Change::Supersede { new: Ref::Id(source), .. }
        | Change::Link { source: Ref::Id(source), .. }
        | Change::Unlink { source, .. } => Some(*source),
        _ => None,
    }
}

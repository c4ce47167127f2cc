//! Undoing a decision: both sides, their links and their flags are restored in one batch. The state
//! before a decision is stored with the item, as ids and statuses only. Only the owner in person
//! may undo, and not after a side has changed again.

use super::{BatchPlan, PROFILE, ReviewView, item_by_id, view};
use crate::Reviews;
use crate::profile::{PatchProfileRequest, plan_profile};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    ErrorCode, Failure, FlagId, JsonMap, LinkKind, Memory, MemoryId, Moment, Page, Permission,
    ReviewId, ReviewState, Status, limits, patch_between,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::{Change, Links, Ref};

impl<'e> Reviews<'e> {
    /// Undoes a decision and returns the item with both sides.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `conflict` when the item is open, or
    /// when a side has changed since.
    pub fn undo(self, caller: &'e Caller, id: ReviewId) -> UseCaseFuture<'e, ReviewView> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Administration,
                Permission::Write,
                &("undo", id),
            )
            .await?;
            let item = item_by_id(&call, id).await?;
            if item.state == ReviewState::Open {
                return Err(conflict(format!("review item {id} has not been decided yet")));
            }
            let before = call.store().review_undo_state(id).await?;
            if before.is_empty() {
                let why =
                    "it was decided by a version that could not undo; correct the memory instead";
                return Err(Failure::invalid(why));
            }
            let before = DecisionState::decode(&before);
            let mut plan = BatchPlan::default();
            before.plan_restore(&call, &mut plan).await?;
            plan.push(Change::ReopenReview { review: id });
            call.write_plan(format!("undid the decision on review item {id}"), plan).await?;
            view(&call, item_by_id(&call, id).await?).await
        })
    }
}

/// State before a decision.
#[derive(Debug, Default, PartialEq)]
pub(super) struct DecisionState {
    /// Id, status before, end before, and the status that the decision gave it.
    memories: Vec<(MemoryId, Status, Option<Moment>, Status)>,
    /// Links that the decision added.
    linked: Vec<(MemoryId, MemoryId, LinkKind)>,
    /// Links that the decision removed.
    unlinked: Vec<(MemoryId, MemoryId, LinkKind, f32)>,
    /// Flags that the decision settled.
    flags: Vec<(MemoryId, FlagId)>,
    /// Other items that it decided.
    decided_items: Vec<ReviewId>,
    /// Version of the profile that it changed.
    profile: Option<u32>,
}

impl DecisionState {
    /// Captures what the changes of a decision will affect.
    pub async fn capture(
        call: &Call<'_>,
        changes: &[Change],
        sides: &[&Memory],
    ) -> Result<Self, Failure> {
        let known: BTreeMap<MemoryId, &Memory> =
            sides.iter().map(|side| (side.id, *side)).collect();
        let mut links = BTreeMap::new();
        for id in known.keys() {
            let found = call.store().links(*id).await?;
            // Links are read before the decision: afterwards it is unknown which ones it added.
            links.insert(*id, found);
        }
        let mut before = Self::default();
        for change in changes {
            before.record(change, &known, &links);
            if let Change::SettleFlags { memory } = change {
                let flags = call.store().flags(*memory).await?;
                let open = flags.iter().filter(|flag| !flag.settled);
                before.flags.extend(open.map(|flag| (*memory, flag.id)));
            }
            if matches!(change, Change::PatchProfile { .. }) {
                let standing = call.store().profile().await?;
                before.profile = Some(standing.map_or(0, |version| version.version));
            }
        }
        Ok(before)
    }

    fn record(
        &mut self,
        change: &Change,
        known: &BTreeMap<MemoryId, &Memory>,
        links: &BTreeMap<MemoryId, Links>,
    ) {
        let link = |source: &MemoryId, target: &MemoryId, kind: LinkKind| {
            let out = &links.get(source)?.outgoing;
            out.iter().find(|link| link.target == *target && link.kind == kind)
        };
        match change {
            Change::SetStatus { memory: Ref::Id(id), status } => {
                self.record_status(*id, *status, known)
            }
            Change::Supersede { old, new: Ref::Id(new) } if old != new => {
                self.record_status(*old, Status::Superseded, known);
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

    fn record_status(&mut self, id: MemoryId, after: Status, known: &BTreeMap<MemoryId, &Memory>) {
        if let Some(memory) = known.get(&id) {
            self.memories.push((id, memory.status, memory.ended_at, after));
        }
    }

    /// Encodes the state for the store.
    // The store keeps this JSON; names and order of the values must not change.
    pub fn encode(&self) -> JsonMap {
        let memories = self.memories.iter().map(|(id, status, ended, after)| {
            json!([id.0, status.name(), ended.map(|moment| moment.0), after.name()])
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
        let list =
            |values: &mut dyn Iterator<Item = Value>| Value::from(values.collect::<Vec<Value>>());
        JsonMap::from_iter([
            ("memories".to_owned(), list(&mut memories.into_iter())),
            ("linked".to_owned(), list(&mut linked.into_iter())),
            ("unlinked".to_owned(), list(&mut unlinked.into_iter())),
            ("flags".to_owned(), list(&mut flags.into_iter())),
            (
                "items".to_owned(),
                list(&mut self.decided_items.iter().map(|item| Value::from(item.0))),
            ),
            (PROFILE.to_owned(), self.profile.into()),
        ])
    }

    /// Decodes what `encode` returned; unreadable entries are skipped.
    fn decode(stored: &JsonMap) -> Self {
        let rows =
            |name: &str| stored.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let id = |row: &Value, at: usize| row[at].as_i64();
        let kind = |row: &Value| row[2].as_str().and_then(LinkKind::parse);
        let status = |row: &Value, at: usize| row[at].as_str().and_then(Status::parse);
        Self {
            memories: rows("memories")
                .iter()
                .filter_map(|row| {
                    Some((
                        MemoryId(id(row, 0)?),
                        status(row, 1)?,
                        id(row, 2).map(Moment),
                        status(row, 3)?,
                    ))
                })
                .collect(),
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
            decided_items: rows("items")
                .iter()
                .filter_map(|item| item.as_i64().map(ReviewId))
                .collect(),
            profile: stored
                .get(PROFILE)
                .and_then(Value::as_u64)
                .and_then(|version| u32::try_from(version).ok()),
        }
    }

    /// Adds the changes that restore the state to a batch.
    async fn plan_restore(&self, call: &Call<'_>, plan: &mut BatchPlan) -> Result<(), Failure> {
        let ids: Vec<MemoryId> = self.memories.iter().map(|(id, ..)| *id).collect();
        let standing = call.memories(&ids).await?;
        for (id, status, ended_at, after) in &self.memories {
            let now = standing.iter().find(|memory| memory.id == *id).map(|memory| memory.status);
            // A status other than the decision's means that somebody has changed the memory since.
            if now != Some(*after) {
                return Err(conflict(changed_since(*id, now)));
            }
            plan.push(Change::RestoreStatus { memory: *id, status: *status, ended_at: *ended_at });
        }
        self.plan_links(call, plan).await?;
        // Grouped, because the store reopens the flags of one memory in one change.
        let mut flags: BTreeMap<MemoryId, Vec<FlagId>> = BTreeMap::new();
        self.flags.iter().for_each(|(memory, flag)| flags.entry(*memory).or_default().push(*flag));
        for (memory, flags) in flags {
            plan.push(Change::ReopenFlags { memory, flags });
        }
        self.decided_items
            .iter()
            .for_each(|item| _ = plan.push(Change::ReopenReview { review: *item }));
        match self.profile {
            Some(version) => plan_profile_restore(call, plan, version).await,
            None => Ok(()),
        }
    }

    // A link that somebody removed or added meanwhile stays as it is.
    async fn plan_links(&self, call: &Call<'_>, plan: &mut BatchPlan) -> Result<(), Failure> {
        for (source, target, kind) in &self.linked {
            let links = call.store().links(*source).await?;
            if links.outgoing.iter().any(|link| link.target == *target && link.kind == *kind) {
                plan.push(Change::Unlink { source: *source, target: *target, kind: *kind });
            }
        }
        for (source, target, kind, weight) in &self.unlinked {
            let (source, target) = (Ref::Id(*source), Ref::Id(*target));
            plan.push(Change::Link { source, target, kind: *kind, weight: *weight });
        }
        Ok(())
    }
}

/// Restores the profile, unless it has changed again since.
async fn plan_profile_restore(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    version: u32,
) -> Result<(), Failure> {
    let store = call.store();
    let current = store.profile().await?;
    let now = current.as_ref().map_or(0, |current| current.version);
    // A decision creates exactly one version.
    if now != version + 1 {
        return Err(conflict(
            "the profile has changed since; restore the version you want instead".to_owned(),
        ));
    }
    let history = store.profile_history(Page::first(limits::PAGE_ITEMS)).await?;
    let earlier = history
        .items
        .into_iter()
        .find(|profile| profile.version == version)
        .map(|profile| profile.data);
    let patch = patch_between(
        &current.map(|profile| profile.data).unwrap_or_default(),
        &earlier.unwrap_or_default(),
    );
    let reason = Some("a decision was undone".to_owned());
    plan_profile(call, plan, &PatchProfileRequest { patch, reason }).await.map(drop)
}

fn changed_since(id: MemoryId, now: Option<Status>) -> String {
    match now {
        Some(status) => {
            format!("memory {id} is {} by now; decide on its current state", status.name())
        }
        None => format!("memory {id} was forgotten since; there is nothing to restore"),
    }
}

fn conflict(message: String) -> Failure {
    Failure::new(ErrorCode::Conflict, message)
}

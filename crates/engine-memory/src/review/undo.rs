//! Undoing a decision: everything is as if it had not been made. The state before a decision is
//! stored with the item. Only the owner in person may undo, and not after a side was changed by
//! something other than a decision.

use super::decision_context::DecisionContext;
use super::undo_state::{StatusBefore, UndoState};
use super::{ReviewView, item_by_id, shown_view};
use crate::Reviews;
use crate::erasure::{Erasure, plan_erasure_undo};
use crate::profile::{PatchProfileRequest, plan_profile};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    ErrorCode, Failure, FlagId, LinkKind, Memory, MemoryId, Moment, Page, Permission, ReviewId,
    ReviewItem, ReviewState, Status, limits, patch_between,
};
use std::collections::{BTreeMap, BTreeSet};
use store::{Change, Ref};

impl<'e> Reviews<'e> {
    /// Undoes a decision and returns the item with both sides. Items that were decided along with
    /// it are open again too.
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
            if let Some(erasure) = Erasure::of_item(&item) {
                return undo_erasure(&call, &item, &erasure).await;
            }
            let undoing = UndoneDecision::load(&call, id).await?;
            let context = DecisionContext::load(&call, &undoing.items).await?;
            let mut plan = BatchPlan::default();
            undoing.plan_statuses(&context, &mut plan, call.at)?;
            undoing.plan_links(&call, &context, &mut plan).await?;
            undoing.plan_records(&call, &mut plan).await?;
            let note = format!("undid the decision on review item {id}");
            plan.expected_versions.extend(context.expected_versions());
            call.write_plan(note, plan).await?;
            shown_view(&call, id).await
        })
    }
}

/// Undoes a decision on a proposed erasure.
async fn undo_erasure(
    call: &Call<'_>,
    item: &ReviewItem,
    erasure: &Erasure,
) -> Result<ReviewView, Failure> {
    let mut plan = BatchPlan::default();
    plan_erasure_undo(call, &mut plan, item, erasure).await?;
    plan.push(Change::ReopenReview { review: item.id });
    let note = format!("undid the decision on review item {}", item.id);
    call.write(note, plan.changes).await?;
    shown_view(call, item.id).await
}

/// A decision that is being undone.
struct UndoneDecision {
    /// The item, then those that were decided along with it.
    items: Vec<ReviewItem>,
    before: UndoState,
}

impl UndoneDecision {
    async fn load(call: &Call<'_>, id: ReviewId) -> Result<Self, Failure> {
        let main = item_by_id(call, id).await?;
        let ReviewState::Resolved { at, .. } = main.state else {
            return Err(conflict(format!("review item {id} has not been decided yet")));
        };
        let stored = call.store().review_undo_state(id).await?;
        if stored.is_empty() {
            let why = "it was decided by a version that could not undo; correct the memory instead";
            return Err(Failure::invalid(why));
        }
        let (mut items, mut before) = (vec![main], UndoState::decode(&stored));
        for other in before.decided_items.clone() {
            let Some(item) = call.store().review(other).await? else { continue };
            // One that was decided again since has its own decision, which stays.
            if matches!(item.state, ReviewState::Resolved { at: then, .. } if then == at) {
                before.merge(UndoState::decode(&call.store().review_undo_state(other).await?));
                items.push(item);
            }
        }
        Ok(Self { items, before })
    }

    /// Adds the statuses as if the decision had not been made.
    fn plan_statuses(
        &self,
        context: &DecisionContext,
        plan: &mut BatchPlan,
        now: Moment,
    ) -> Result<(), Failure> {
        let changed = self.before.memories.iter().filter(|row| row.before != row.after);
        let rows: BTreeMap<MemoryId, &StatusBefore> = changed.map(|row| (row.id, row)).collect();
        // Other memories that it changed may follow other decisions by now.
        let sides = self.items.iter().flat_map(|item| item.subject.into_iter().chain(item.against));
        for side in sides.filter(|side| rows.contains_key(side)) {
            require_unchanged(context, side)?;
        }
        let (with, without) = (context.state_with(&[]), context.state_without(&self.items));
        for (id, status) in &without.statuses {
            let Some(memory) = context.memories.get(id) else { continue };
            let concerned = rows.contains_key(id) || with.statuses.get(id) != Some(status);
            if concerned && memory.status != *status {
                let ended_at = ended_at(memory, *status, rows.get(id).copied(), now);
                plan.push(Change::RestoreStatus { memory: *id, status: *status, ended_at });
            }
        }
        Ok(())
    }

    /// Adds the links as if the decision had not been made. A link that somebody removed or added
    /// meanwhile stays as it is.
    async fn plan_links(
        &self,
        call: &Call<'_>,
        context: &DecisionContext,
        plan: &mut BatchPlan,
    ) -> Result<(), Failure> {
        let (with, without) = (context.state_with(&[]), context.state_without(&self.items));
        let made: BTreeSet<_> = self.before.supersessions().collect();
        for (new, old) in (&with.replacements | &made).difference(&without.replacements) {
            if context.links.contains(&(*new, *old)) {
                plan.push(Change::Unlink {
                    source: *new,
                    target: *old,
                    kind: LinkKind::Supersedes,
                });
            }
        }
        for (new, old) in without.replacements.difference(&with.replacements) {
            plan.push(link(*new, *old, LinkKind::Supersedes, 1.0));
        }
        for (source, target, kind) in &self.before.linked {
            let links = call.store().links(*source).await?.outgoing;
            let is_there = links.iter().any(|one| one.target == *target && one.kind == *kind);
            if is_there && *kind != LinkKind::Supersedes {
                plan.push(Change::Unlink { source: *source, target: *target, kind: *kind });
            }
        }
        for (source, target, kind, weight) in &self.before.unlinked {
            if *kind != LinkKind::Supersedes {
                plan.push(link(*source, *target, *kind, *weight));
            }
        }
        Ok(())
    }

    /// Opens the flags and the items again, and restores the profile.
    async fn plan_records(&self, call: &Call<'_>, plan: &mut BatchPlan) -> Result<(), Failure> {
        // Grouped, because the store reopens the flags of one memory in one change.
        let mut flags: BTreeMap<MemoryId, Vec<FlagId>> = BTreeMap::new();
        for (memory, flag) in &self.before.flags {
            flags.entry(*memory).or_default().push(*flag);
        }
        for (memory, flags) in flags {
            plan.push(Change::ReopenFlags { memory, flags });
        }
        for item in &self.items {
            plan.push(Change::ReopenReview { review: item.id });
        }
        match self.before.profile {
            Some(version) => plan_profile_restore(call, plan, version).await,
            None => Ok(()),
        }
    }
}

/// Refuses when something other than a decision has taken a memory out of use since.
fn require_unchanged(context: &DecisionContext, id: MemoryId) -> Result<(), Failure> {
    match context.base(id) {
        Some(Status::Active | Status::Proposed) => Ok(()),
        other => Err(conflict(changed_since(id, other))),
    }
}

/// Returns the time at which a memory left `active`, for its status without the decision.
fn ended_at(
    memory: &Memory,
    status: Status,
    row: Option<&StatusBefore>,
    now: Moment,
) -> Option<Moment> {
    match (row, status) {
        (Some(row), _) if row.before == status => row.ended_at,
        (_, Status::Active | Status::Proposed) => None,
        _ => memory.ended_at.or(Some(now)),
    }
}

fn link(source: MemoryId, target: MemoryId, kind: LinkKind, weight: f32) -> Change {
    Change::Link { source: Ref::Id(source), target: Ref::Id(target), kind, weight }
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

//! Decisions on review items. A decision changes everything it affects in one batch, so that no
//! side is left half decided. What the owner typed, only the owner in person may overrule.

use super::decision::ReviewSides;
use super::decision_context::DecisionContext;
use super::listing::{self, ReviewGroup};
use super::rival_graph::{DecisionEffect, RivalState, effects};
use super::undo_state::UndoState;
use super::{DecisionScope, PROFILE, ResolveReviewRequest, ReviewView, item_by_id, shown_view};
use crate::Reviews;
use crate::erasure::{self, Erasure, ErasureView, wrote};
use crate::profile::{PatchProfileRequest, plan_profile, plan_with_profile};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    ErrorCode, Failure, LinkKind, Memory, Origin, Page, Permission, Resolution, ReviewItem,
    ReviewKind, ReviewState, Status, limits,
};
use serde_json::Value;
use store::{Change, Ref, ReviewQuery};

impl<'e> Reviews<'e> {
    /// Decides a review item and returns it with both sides, and with the items that were decided
    /// along with it. Decisions on any items, in any order, result in the same state.
    ///
    /// # Errors
    /// `conflict` when it was decided before, or when a memory changed meanwhile;
    /// `consent_required` when only the owner in person may decide; `invalid_argument` when the
    /// decision does not apply to this item.
    pub fn resolve(
        self,
        caller: &'e Caller,
        input: &'e ResolveReviewRequest,
    ) -> UseCaseFuture<'e, ReviewView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Review, Permission::Write, input).await?;
            let shown = shown_view(&call, input.review).await?;
            require_open(&shown.item)?;
            if let Some(proposed) = &shown.erasure {
                let erasure = &proposed.erasure;
                return resolve_erasure(&call, &shown.item, erasure, input.resolution).await;
            }
            require_foreign_flag(&call, &shown, input.resolution).await?;
            let decided = in_scope(shown, input);
            let items: Vec<ReviewItem> = decided.iter().map(|view| view.item.clone()).collect();
            let context = DecisionContext::load(&call, &items).await?;
            let mut plan = plan_decision(&call, &context, &decided, input.resolution).await?;
            plan_records(&call, &context, &mut plan, &items, input.resolution).await?;
            let note = format!("{} review item {}", input.resolution.name(), input.review);
            plan.expected_versions.extend(context.expected_versions());
            call.write_plan(note, plan).await?;
            decided_view(&call, &items).await
        })
    }
}

/// Decides a proposed erasure, which only the owner in person may.
async fn resolve_erasure(
    call: &Call<'_>,
    item: &ReviewItem,
    proposed: &Erasure,
    resolution: Resolution,
) -> Result<ReviewView, Failure> {
    if !call.caller.in_person {
        return Err(owner_required(item));
    }
    let (receipt, skipped) = erasure::decide(call, item, proposed, resolution).await?;
    let mut decided = decided_view(call, std::slice::from_ref(item)).await?;
    decided.erasure = decided.erasure.map(|shown| ErasureView { receipt, skipped, ..shown });
    Ok(decided)
}

/// Refuses to reject another's memory by confirming one's own flag: that would be a deletion.
async fn require_foreign_flag(
    call: &Call<'_>,
    view: &ReviewView,
    resolution: Resolution,
) -> Result<(), Failure> {
    let is_own_flag = view.item.kind == ReviewKind::Flag
        && resolution == Resolution::Confirm
        && view.item.raised_by == call.caller.author.agent;
    let foreign = view.subject.as_ref().is_some_and(|memory| !wrote(call, &memory.provenance));
    if !(is_own_flag && foreign) || call.may_erase().await? {
        return Ok(());
    }
    let message = format!(
        "review item {} is your own flag on what another wrote; the owner or another agent decides \
         it. Ask the owner to run `quipu review`",
        view.item.id
    );
    Err(Failure::new(ErrorCode::ConsentRequired, message))
}

/// Returns the views that a decision on one includes: a decision for the newest of several rivals
/// is one on all their items, a decision against it leaves those between the others open.
fn in_scope(mut shown: ReviewView, input: &ResolveReviewRequest) -> Vec<ReviewView> {
    let mut folded = std::mem::take(&mut shown.folded);
    folded.retain(|other| match (input.scope, input.resolution) {
        (DecisionScope::Item, _) => false,
        (DecisionScope::Rivals, Resolution::Reject) => other.item.subject == shown.item.subject,
        (DecisionScope::Rivals, Resolution::Confirm | Resolution::KeepBoth) => true,
    });
    std::iter::once(shown).chain(folded).collect()
}

/// Returns the changes of a decision, except for the records of the items.
async fn plan_decision(
    call: &Call<'_>,
    context: &DecisionContext,
    decided: &[ReviewView],
    resolution: Resolution,
) -> Result<BatchPlan, Failure> {
    // A decision changes both sides, so the caller needs write access to both.
    let sides: Vec<Memory> =
        decided.iter().flat_map(|view| view.subject.iter().chain(&view.against)).cloned().collect();
    call.require_changeable(&sides).await?;
    let mut plan = BatchPlan::default();
    let mut new: Vec<DecisionEffect> = Vec::new();
    for view in decided {
        require_decider(call, context, view, resolution)?;
        require_subject(view, resolution)?;
        new.extend(effects(&view.item, resolution));
        plan_reconciliation(call, &mut plan, view, resolution).await?;
        plan_flags(call, &mut plan, &view.item, resolution).await?;
        if let Some(patch) = view.item.details.get(PROFILE).and_then(Value::as_object) {
            plan_profile_decision(call, &mut plan, patch, &view.item, resolution).await?;
        }
    }
    let (before, after) = (context.state_with(&[]), context.state_with(&new));
    require_cascade(call, context, &before, &after, &decided[0].item)?;
    plan_with_profile(call, &mut plan, changes_between(context, &before, &after)).await?;
    Ok(plan)
}

/// Returns the changes that lead from one state to another. Only what differs between the two is
/// changed, so that a status from an older version stays until a decision concerns it.
fn changes_between(
    context: &DecisionContext,
    before: &RivalState,
    after: &RivalState,
) -> Vec<Change> {
    let removed = before.replacements.difference(&after.replacements);
    let removed = removed.filter(|link| context.links.contains(link)).map(|(new, old)| {
        Change::Unlink { source: *new, target: *old, kind: LinkKind::Supersedes }
    });
    let restated = changed_statuses(context, before, after)
        // What is superseded gets its status with its replacement.
        .filter(|(_, status)| *status != Status::Superseded)
        .map(|(memory, status)| Change::SetStatus { memory: Ref::Id(memory.id), status });
    let added = after.replacements.difference(&before.replacements);
    let added = added.map(|(new, old)| Change::Supersede { old: *old, new: Ref::Id(*new) });
    removed.chain(restated).chain(added).collect()
}

/// Returns the memories whose status a decision changes, with the new one.
fn changed_statuses<'c>(
    context: &'c DecisionContext,
    before: &'c RivalState,
    after: &'c RivalState,
) -> impl Iterator<Item = (&'c Memory, Status)> {
    context.memories.values().filter_map(|memory| {
        let status = *after.statuses.get(&memory.id)?;
        let changes = before.statuses.get(&memory.id) != Some(&status) && memory.status != status;
        changes.then_some((memory, status))
    })
}

/// Resolves the items and stores what undoing restores, in the same batch.
async fn plan_records(
    call: &Call<'_>,
    context: &DecisionContext,
    plan: &mut BatchPlan,
    items: &[ReviewItem],
    resolution: Resolution,
) -> Result<(), Failure> {
    let Some((main, others)) = items.split_first() else { return Ok(()) };
    for other in others {
        plan.push(Change::ResolveReview { review: other.id, resolution });
    }
    // From the complete list of changes, and before the item itself, which is not among the others.
    let state = UndoState::capture(call, &plan.changes, &context.memories).await?;
    let mut state = state.with_proposals(&context.proposals);
    plan.push(Change::ResolveReview { review: main.id, resolution });
    for other in others {
        let before = state.split_off(other).encode();
        plan.push(Change::SaveUndoState { review: other.id, before });
    }
    plan.push(Change::SaveUndoState { review: main.id, before: state.encode() });
    Ok(())
}

async fn decided_view(call: &Call<'_>, items: &[ReviewItem]) -> Result<ReviewView, Failure> {
    let mut now = Vec::with_capacity(items.len());
    for item in items {
        now.push(item_by_id(call, item.id).await?);
    }
    let main = now.remove(0);
    let group = ReviewGroup { item: main, folded: now, is_settled: false };
    let found = listing::views(call, vec![group]).await?.pop();
    found.ok_or_else(|| Failure::not_found("review item", items[0].id))
}

fn require_open(item: &ReviewItem) -> Result<(), Failure> {
    let ReviewState::Resolved { resolution, by, at } = &item.state else { return Ok(()) };
    let message = format!(
        "review item {} has been decided already: {} by {by} at {at}",
        item.id,
        resolution.name()
    );
    Err(Failure::new(ErrorCode::Conflict, message))
}

/// Refuses a caller who may not decide an item.
fn require_decider(
    call: &Call<'_>,
    context: &DecisionContext,
    view: &ReviewView,
    resolution: Resolution,
) -> Result<(), Failure> {
    let against = view.item.against.map_or(Vec::new(), |id| context.current_versions(id));
    let newer: Vec<&Memory> =
        against.into_iter().filter(|version| Some(version.id) != view.item.subject).collect();
    let sides = ReviewSides {
        kind: view.item.kind,
        subject: view.subject.as_ref(),
        against: view.against.as_ref(),
        newer: &newer,
    };
    let is_about_profile = view.item.details.contains_key(PROFILE);
    if !call.caller.in_person && (is_about_profile || sides.needs_owner_for(resolution)) {
        return Err(owner_required(&view.item));
    }
    Ok(())
}

/// Refuses a decision that would make a forgotten memory current.
fn require_subject(view: &ReviewView, resolution: Resolution) -> Result<(), Failure> {
    let needs_subject =
        view.item.kind != ReviewKind::Flag && !view.item.details.contains_key(PROFILE);
    if needs_subject && view.subject.is_none() && resolution != Resolution::Reject {
        return Err(Failure::invalid(
            "the memory in question was forgotten; this item can only be rejected",
        ));
    }
    Ok(())
}

/// Refuses a decision that also changes memories which the caller may not change, or ends one that
/// the owner typed.
fn require_cascade(
    call: &Call<'_>,
    context: &DecisionContext,
    before: &RivalState,
    after: &RivalState,
    item: &ReviewItem,
) -> Result<(), Failure> {
    let ends_typed = |memory: &Memory, status: Status| {
        memory.provenance.origin == Origin::Typed && status != Status::Active
    };
    let is_refused = changed_statuses(context, before, after)
        .any(|(memory, status)| !call.can_write(memory) || ends_typed(memory, status));
    if is_refused && !call.caller.in_person { Err(owner_required(item)) } else { Ok(()) }
}

fn owner_required(item: &ReviewItem) -> Failure {
    let message = format!(
        "review item {} is about something the owner said; only the owner in person may decide it. \
         Ask them to run `quipu review`",
        item.id
    );
    Failure::new(ErrorCode::ConsentRequired, message)
}

async fn plan_profile_decision(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    patch: &model::JsonMap,
    item: &ReviewItem,
    resolution: Resolution,
) -> Result<(), Failure> {
    match resolution {
        Resolution::Reject => Ok(()),
        Resolution::KeepBoth => Err(Failure::invalid(
            "a field of the profile has one value; confirm the proposal or reject it",
        )),
        Resolution::Confirm => {
            let reason = Some(format!("review item {} was confirmed", item.id));
            let input = PatchProfileRequest { patch: patch.clone(), reason };
            plan_profile(call, plan, &input).await.map(drop)
        }
    }
}

/// Replaces the contradiction between two memories that both hold by a plain link.
async fn plan_reconciliation(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    view: &ReviewView,
    resolution: Resolution,
) -> Result<(), Failure> {
    let (Some(subject), Some(against), Resolution::KeepBoth) =
        (&view.subject, &view.against, resolution)
    else {
        return Ok(());
    };
    let (source, target) = (Ref::Id(subject.id), Ref::Id(against.id));
    plan.push(Change::Link { source, target, kind: LinkKind::RelatedTo, weight: 1.0 });
    let links = call.store().links(subject.id).await?;
    for link in links.outgoing.iter().chain(&links.incoming) {
        let between = link.source == against.id || link.target == against.id;
        let unlink = Change::Unlink { source: link.source, target: link.target, kind: link.kind };
        // Another item about the same two memories may be decided in the same batch.
        if between && link.kind == LinkKind::Contradicts && !plan.changes.contains(&unlink) {
            plan.push(unlink);
        }
    }
    Ok(())
}

/// Settles every flag of the memory, and the other open items about them.
async fn plan_flags(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    item: &ReviewItem,
    resolution: Resolution,
) -> Result<(), Failure> {
    let (ReviewKind::Flag, Some(memory)) = (item.kind, item.subject) else { return Ok(()) };
    plan.push(Change::SettleFlags { memory });
    let query =
        ReviewQuery { open_only: true, kind: Some(ReviewKind::Flag), memories: Some(vec![memory]) };
    let others = call.store().reviews(&query, Page::first(limits::PAGE_ITEMS)).await;
    for other in others?.items.iter().filter(|other| other.id != item.id) {
        plan.push(Change::ResolveReview { review: other.id, resolution });
    }
    Ok(())
}

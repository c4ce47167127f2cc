//! Review items: listing and deciding them. A decision changes both sides in one batch, so that
//! neither is left half decided. What the owner typed, only the owner in person may overrule.

mod decision;
mod flag;
mod undo;

pub use flag::{FlagMemoryRequest, FlagOutcome};

use crate::Reviews;
use crate::profile::{PatchProfileRequest, plan_profile, plan_review_effects};
use crate::versions::visible_versions;
use decision::ReviewSides;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{
    ErrorCode, Failure, LinkKind, Listing, Memory, MemoryId, Page, Permission, Resolution,
    ReviewId, ReviewItem, ReviewKind, ReviewState, Status, limits,
};
use serde_json::Value;
use std::collections::HashMap;
use store::{Change, ReviewQuery};
use undo::DecisionState;

/// Default number of items in a listing.
const LISTED: usize = 20;
// Key in the stored details of a proposal; must not change.
const PROFILE: &str = "profile";

/// Input of [`Engine::list_reviews`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListReviewsRequest {
    /// Includes decided items.
    pub decided: bool,
    pub kind: Option<ReviewKind>,
    /// Memory on either side.
    pub memory: Option<MemoryId>,
    /// 20 when missing.
    pub limit: Option<usize>,
    pub offset: usize,
}

/// A review item with its memories.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewView {
    pub item: ReviewItem,
    /// Memory in question; `None` when it was forgotten, or when the item is not about a memory.
    pub subject: Option<Memory>,
    /// Memory that it disagrees with.
    pub against: Option<Memory>,
}

/// Input of [`Engine::resolve_review`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolveReviewRequest {
    pub review: ReviewId,
    pub resolution: Resolution,
}

impl<'e> Reviews<'e> {
    /// Lists review items, newest first, with the texts of both sides.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(
        self,
        caller: &'e Caller,
        input: &'e ListReviewsRequest,
    ) -> UseCaseFuture<'e, Listing<ReviewView>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Review, Permission::Read, input).await?;
            let query =
                ReviewQuery { open_only: !input.decided, kind: input.kind, memory: input.memory };
            let page = Page { limit: input.limit.unwrap_or(LISTED), offset: input.offset }.capped();
            let listed = list_visible(&call, &query, page).await?;
            call.note_shown(format!("listed {} review items", listed.items.len()), &[]).await;
            Ok(listed)
        })
    }

    /// Returns one review item, decided or not.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn get(self, caller: &'e Caller, id: ReviewId) -> UseCaseFuture<'e, ReviewView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Review, Permission::Read, &id).await?;
            let found = view(&call, item_by_id(&call, id).await?).await?;
            call.note_shown(format!("showed review item {id}"), &[]).await;
            Ok(found)
        })
    }

    /// Decides a review item and returns it with both sides.
    ///
    /// # Errors
    /// `conflict` when it was decided before; `consent_required` when only the owner in person may
    /// decide; `invalid_argument` when the decision does not apply to this item.
    pub fn resolve(
        self,
        caller: &'e Caller,
        input: &'e ResolveReviewRequest,
    ) -> UseCaseFuture<'e, ReviewView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Review, Permission::Write, input).await?;
            let ReviewView { item, subject, against } =
                view(&call, item_by_id(&call, input.review).await?).await?;
            require_open(&item)?;
            // A decision changes both sides, so the caller needs write access to both.
            let changed: Vec<Memory> = subject.iter().chain(&against).cloned().collect();
            call.require_changeable(&changed).await?;
            let profile = item.details.get(PROFILE).and_then(Value::as_object);
            let newer = newer_versions(&call, subject.as_ref(), against.as_ref()).await?;
            let sides = ReviewSides {
                kind: item.kind,
                subject: subject.as_ref(),
                against: against.as_ref(),
                newer: &newer,
            };
            if !caller.in_person && (profile.is_some() || sides.needs_owner_for(input.resolution)) {
                return Err(owner_required(&item));
            }
            let mut plan = BatchPlan::default();
            match profile {
                Some(patch) => {
                    plan_profile_decision(&call, &mut plan, patch, &item, input.resolution).await?
                }
                None => {
                    plan.changes = sides.decide(input.resolution)?;
                    plan_review_effects(&call, &mut plan).await?;
                }
            }
            // After the sides: the state before is captured from the complete list of changes.
            plan_reconciliation(&call, &mut plan, &sides, input.resolution).await?;
            plan_flags(&call, &mut plan, &item, input.resolution).await?;
            // The state to restore is captured before the changes and stored in the same batch.
            let both: Vec<&Memory> = subject.iter().chain(&against).chain(&newer).collect();
            let before = DecisionState::capture(&call, &plan.changes, &both).await?.encode();
            plan.push(Change::ResolveReview { review: item.id, resolution: input.resolution });
            plan.push(Change::SaveUndoState { review: item.id, before });
            let note = format!("{} review item {}", input.resolution.name(), item.id);
            call.write_plan(note, plan).await?;
            view(&call, item_by_id(&call, item.id).await?).await
        })
    }
}

async fn item_by_id(call: &Call<'_>, id: ReviewId) -> Result<ReviewItem, Failure> {
    let item = call.store().review(id).await?;
    item.ok_or_else(|| no_such_item(id))
}

async fn view(call: &Call<'_>, item: ReviewItem) -> Result<ReviewView, Failure> {
    let id = item.id;
    views(call, vec![item]).await?.pop().ok_or_else(|| no_such_item(id))
}

fn no_such_item(id: ReviewId) -> Failure {
    Failure::not_found("review item", format!("{id}; list the review items to see their ids"))
}

/// Returns a page of the matching items that the caller may see, newest first.
async fn list_visible(
    call: &Call<'_>,
    query: &ReviewQuery,
    page: Page,
) -> Result<Listing<ReviewView>, Failure> {
    let store = call.store();
    if call.policy.reads_everything() {
        let listed = store.reviews(query, page).await?;
        return Ok(Listing { items: views(call, listed.items).await?, total: listed.total });
    }
    // Visibility depends on the memories, which the store's paging does not know: all pages are
    // read.
    let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let some = store.reviews(query, from).await?.items;
        from.offset += some.len();
        let last = some.len() < limits::PAGE_ITEMS;
        seen.extend(views(call, some).await?);
        if last {
            break;
        }
    }
    let total = seen.len();
    Ok(Listing { items: seen.into_iter().skip(page.offset).take(page.limit).collect(), total })
}

/// Returns the number of open items that the caller may see.
pub(crate) async fn open_review_count(call: &Call<'_>) -> Result<usize, Failure> {
    if !call.policy.allows(Resource::Review, Permission::Read) {
        return Ok(0);
    }
    let open = ReviewQuery { open_only: true, ..ReviewQuery::default() };
    Ok(list_visible(call, &open, Page::first(1)).await?.total)
}

/// Returns whether the caller may see an item: its reason quotes both sides, so both must be
/// readable.
fn is_visible(call: &Call<'_>, view: &ReviewView) -> bool {
    if call.policy.reads_everything() {
        return true;
    }
    let ReviewView { item, subject, against } = view;
    let about_profile = item.details.contains_key(PROFILE);
    let sides = [(item.subject, subject), (item.against, against)];
    let all_seen = sides.iter().all(|(id, memory)| id.is_none() || memory.is_some());
    let any_seen = subject.is_some() || against.is_some();
    if about_profile { all_seen && call.readable.profile } else { all_seen && any_seen }
}

/// Adds the memories to items, read together, and drops items that the caller may not see.
async fn views(call: &Call<'_>, items: Vec<ReviewItem>) -> Result<Vec<ReviewView>, Failure> {
    let ids: Vec<MemoryId> =
        items.iter().flat_map(|item| item.subject.into_iter().chain(item.against)).collect();
    let mut memories = HashMap::new();
    for some in ids.chunks(limits::IDS_PER_CALL) {
        memories.extend(call.memories(some).await?.into_iter().map(|memory| (memory.id, memory)));
    }
    let side = |id: Option<MemoryId>| id.and_then(|id| memories.get(&id).cloned());
    let view = |item: ReviewItem| ReviewView {
        subject: side(item.subject),
        against: side(item.against),
        item,
    };
    Ok(items.into_iter().map(view).filter(|view| is_visible(call, view)).collect())
}

/// Returns current versions that replaced the other side while the item was open: a decision
/// against it includes these.
async fn newer_versions(
    call: &Call<'_>,
    subject: Option<&Memory>,
    against: Option<&Memory>,
) -> Result<Vec<Memory>, Failure> {
    let Some(against) = against else { return Ok(Vec::new()) };
    let sides = [Some(against.id), subject.map(|memory| memory.id)];
    let mut versions = visible_versions(call, against.id).await?.all;
    versions
        .retain(|version| version.status == Status::Active && !sides.contains(&Some(version.id)));
    Ok(versions)
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

/// Removes the contradiction between two memories that both stay current.
async fn plan_reconciliation(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    sides: &ReviewSides<'_>,
    resolution: Resolution,
) -> Result<(), Failure> {
    let (Some(subject), Some(against), Resolution::KeepBoth) =
        (sides.subject, sides.against, resolution)
    else {
        return Ok(());
    };
    let links = call.store().links(subject.id).await?;
    for link in links.outgoing.iter().chain(&links.incoming) {
        let between = link.source == against.id || link.target == against.id;
        if between && link.kind == LinkKind::Contradicts {
            plan.push(Change::Unlink { source: link.source, target: link.target, kind: link.kind });
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
    let query = ReviewQuery { open_only: true, kind: Some(ReviewKind::Flag), memory: Some(memory) };
    let others = call.store().reviews(&query, Page::first(limits::PAGE_ITEMS)).await;
    for other in others?.items.iter().filter(|other| other.id != item.id) {
        plan.push(Change::ResolveReview { review: other.id, resolution });
    }
    Ok(())
}

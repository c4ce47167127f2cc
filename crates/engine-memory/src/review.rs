//! Review: what waits for a decision, and deciding it. A decision changes both sides in one batch:
//! no side is left in between. What the owner typed only the owner in person may overrule.

mod decision;
mod flag;
mod undo;

pub use flag::{FlagMemory, Flagged};

use crate::Reviews;
use crate::profile::{ProfilePatch, plan_profile};
use crate::versions::versions_of;
use decision::Sides;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::Plan;
use guard::Resource;
use model::{
    ErrorCode, Failure, LinkKind, Listing, Memory, MemoryId, Page, Permission, Resolution,
    ReviewId, ReviewItem, ReviewKind, ReviewState, Status, limits,
};
use serde_json::Value;
use std::collections::HashMap;
use store::{Change, ReviewQuery};
use undo::Before;

/// How many items a listing gives unless told otherwise.
const LISTED: usize = 20;
/// Where a proposal keeps the profile patch it wants.
const PROFILE: &str = "profile";

/// Which review items to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListReviews {
    /// Those that were decided too.
    pub decided: bool,
    /// Of this kind.
    pub kind: Option<ReviewKind>,
    /// About this memory, on either side.
    pub memory: Option<MemoryId>,
    /// How many at most; 20 unless told otherwise.
    pub limit: Option<usize>,
    /// How many to pass over first.
    pub offset: usize,
}

/// A review item with the memories it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewView {
    /// The item.
    pub item: ReviewItem,
    /// The memory in question; `None` when it was forgotten since, or when the item is not about
    /// one.
    pub subject: Option<Memory>,
    /// What it disagrees with.
    pub against: Option<Memory>,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolveReview {
    /// On which item.
    pub review: ReviewId,
    /// What is decided.
    pub resolution: Resolution,
}

impl Reviews<'_> {
    /// What waits for a decision, newest first, with the texts of both sides.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn list(
        self,
        caller: &Caller,
        input: &ListReviews,
    ) -> Result<Listing<ReviewView>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Review, Permission::Read, input).await?;
        let query =
            ReviewQuery { open_only: !input.decided, kind: input.kind, memory: input.memory };
        let page = Page { limit: input.limit.unwrap_or(LISTED), offset: input.offset }.capped();
        let listed = listed(&call, &query, page).await?;
        call.note_shown(format!("listed {} review items", listed.items.len()), &[]).await;
        Ok(listed)
    }

    /// One review item, decided or not.
    ///
    /// # Errors
    /// `not_found` when there is none of this number.
    pub async fn get(self, caller: &Caller, id: ReviewId) -> Result<ReviewView, Failure> {
        let call = Call::begin(self.core, caller, Resource::Review, Permission::Read, &id).await?;
        let found = view(&call, item_by_id(&call, id).await?).await?;
        call.note_shown(format!("showed review item {id}"), &[]).await;
        Ok(found)
    }

    /// Decides a review item, and answers with it and both sides as they stand then.
    ///
    /// # Errors
    /// `conflict` when it was decided before; `consent_required` when only the owner in person may
    /// decide so; `invalid_argument` when the decision has no meaning for this item.
    pub async fn resolve(
        self,
        caller: &Caller,
        input: &ResolveReview,
    ) -> Result<ReviewView, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Review, Permission::Write, input).await?;
        let ReviewView { item, subject, against } =
            view(&call, item_by_id(&call, input.review).await?).await?;
        still_open(&item)?;
        let changed: Vec<Memory> = subject.iter().chain(&against).cloned().collect();
        call.may_change(&changed).await?;
        let profile = item.details.get(PROFILE).and_then(Value::as_object);
        let newer = newer_versions(&call, subject.as_ref(), against.as_ref()).await?;
        let sides = Sides {
            kind: item.kind,
            subject: subject.as_ref(),
            against: against.as_ref(),
            newer: &newer,
        };
        if !caller.in_person && (profile.is_some() || sides.are_the_owners(input.resolution)) {
            return Err(owners_alone(&item));
        }
        let mut plan = Plan::default();
        match profile {
            Some(patch) => {
                plan_profile_decision(&call, &mut plan, patch, &item, input.resolution).await?
            }
            None => plan.changes = sides.decide(input.resolution)?,
        }
        plan_reconciled(&call, &mut plan, &sides, input.resolution).await?;
        plan_flags(&call, &mut plan, &item, input.resolution).await?;
        let both: Vec<&Memory> = subject.iter().chain(&against).chain(&newer).collect();
        let before = Before::of(&call, &plan.changes, &both).await?.kept();
        plan.push(Change::ResolveReview { review: item.id, resolution: input.resolution });
        plan.push(Change::KeepBefore { review: item.id, before });
        let note = format!("{} review item {}", input.resolution.name(), item.id);
        call.write(note, plan.changes).await?;
        view(&call, item_by_id(&call, item.id).await?).await
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
    Failure::not_found("review item", format!("{id}; list the review items to see which wait"))
}

/// A page of the items that match and exist for the caller, newest first.
async fn listed(
    call: &Call<'_>,
    query: &ReviewQuery,
    page: Page,
) -> Result<Listing<ReviewView>, Failure> {
    let store = call.store();
    if call.policy.reads_everything() {
        let listed = store.reviews(query, page).await?;
        return Ok(Listing { items: views(call, listed.items).await?, total: listed.total });
    }
    let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE));
    loop {
        let some = store.reviews(query, from).await?.items;
        from.offset += some.len();
        let last = some.len() < limits::PAGE;
        seen.extend(views(call, some).await?);
        if last {
            break;
        }
    }
    let total = seen.len();
    Ok(Listing { items: seen.into_iter().skip(page.offset).take(page.limit).collect(), total })
}

/// How many items wait for a decision, as far as the caller may know.
pub(crate) async fn waiting_for(call: &Call<'_>) -> Result<usize, Failure> {
    if !call.policy.may(Resource::Review, Permission::Read) {
        return Ok(0);
    }
    let open = ReviewQuery { open_only: true, ..ReviewQuery::default() };
    Ok(listed(call, &open, Page::first(1)).await?.total)
}

/// Whether an item exists for the caller: its reason quotes both sides, so both must.
fn exists_for(call: &Call<'_>, view: &ReviewView) -> bool {
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

/// Items with their memories, read together, as far as they exist for the caller.
async fn views(call: &Call<'_>, items: Vec<ReviewItem>) -> Result<Vec<ReviewView>, Failure> {
    let ids: Vec<MemoryId> =
        items.iter().flat_map(|item| item.subject.into_iter().chain(item.against)).collect();
    let mut memories = HashMap::new();
    for some in ids.chunks(limits::IDS) {
        memories.extend(call.memories(some).await?.into_iter().map(|memory| (memory.id, memory)));
    }
    let side = |id: Option<MemoryId>| id.and_then(|id| memories.get(&id).cloned());
    let view = |item: ReviewItem| ReviewView {
        subject: side(item.subject),
        against: side(item.against),
        item,
    };
    Ok(items.into_iter().map(view).filter(|view| exists_for(call, view)).collect())
}

/// What replaced the other side while the item waited and holds now: a decision against it means
/// these too.
async fn newer_versions(
    call: &Call<'_>,
    subject: Option<&Memory>,
    against: Option<&Memory>,
) -> Result<Vec<Memory>, Failure> {
    let Some(against) = against else { return Ok(Vec::new()) };
    let sides = [Some(against.id), subject.map(|memory| memory.id)];
    let mut versions = versions_of(call, against.id).await?.all;
    versions
        .retain(|version| version.status == Status::Active && !sides.contains(&Some(version.id)));
    Ok(versions)
}

fn still_open(item: &ReviewItem) -> Result<(), Failure> {
    let ReviewState::Resolved { resolution, by, at } = &item.state else { return Ok(()) };
    let message = format!(
        "review item {} was decided before: {} by {by} at {at}",
        item.id,
        resolution.name()
    );
    Err(Failure::new(ErrorCode::Conflict, message))
}

fn owners_alone(item: &ReviewItem) -> Failure {
    let message = format!(
        "review item {} is about something that the owner said; only the owner in person may decide so. \
         Ask them to run `quipu review`",
        item.id
    );
    Failure::new(ErrorCode::ConsentRequired, message)
}

async fn plan_profile_decision(
    call: &Call<'_>,
    plan: &mut Plan,
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
            let input = ProfilePatch { patch: patch.clone(), reason };
            plan_profile(call, plan, &input).await.map(drop)
        }
    }
}

/// Two memories that both hold do not contradict each other any more.
async fn plan_reconciled(
    call: &Call<'_>,
    plan: &mut Plan,
    sides: &Sides<'_>,
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

/// A decision on one flag settles every flag of the memory, and the items that wait because of
/// them.
async fn plan_flags(
    call: &Call<'_>,
    plan: &mut Plan,
    item: &ReviewItem,
    resolution: Resolution,
) -> Result<(), Failure> {
    let (ReviewKind::Flag, Some(memory)) = (item.kind, item.subject) else { return Ok(()) };
    plan.push(Change::SettleFlags { memory });
    let query = ReviewQuery { open_only: true, kind: Some(ReviewKind::Flag), memory: Some(memory) };
    let others = call.store().reviews(&query, Page::first(limits::PAGE)).await;
    for other in others?.items.iter().filter(|other| other.id != item.id) {
        plan.push(Change::ResolveReview { review: other.id, resolution });
    }
    Ok(())
}

//! Review items: listing, deciding and undoing decisions. The state of rival memories is a function
//! of the decisions made about them, not of their order.

mod decision;
mod decision_context;
mod flag;
mod listing;
mod mark;
mod resolve;
mod rival_graph;
mod undo;
mod undo_state;

pub use flag::{FlagMemoryRequest, FlagOutcome};
pub(crate) use listing::{open_review_count, open_reviews_since};
pub use mark::ReviewMark;
pub(crate) use mark::review_marks;

use crate::Reviews;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use listing::{ReviewGroup, ReviewVisibility, list_visible, needs_decision, open_groups, views};
use model::{
    Failure, Listing, Memory, MemoryId, Permission, Resolution, ReviewId, ReviewItem, ReviewKind,
    ReviewState,
};
use std::cmp::Reverse;

// Key in the stored details of a proposal; must not change.
const PROFILE: &str = "profile";

/// Input of [`Reviews::list`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListReviewsRequest {
    /// Includes decided items, and open ones that other decisions settled.
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
    /// Other contradictions between the same rivals, shown as a part of this item.
    pub folded: Vec<ReviewView>,
    /// True for an open item that needs no decision any more, because other decisions left at most
    /// one of its sides.
    pub is_settled: bool,
}

impl ReviewView {
    /// Returns the memories that the item and the folded ones are about, newest first.
    #[must_use]
    pub fn rivals(&self) -> Vec<&Memory> {
        let views = std::iter::once(self).chain(&self.folded);
        let mut rivals: Vec<&Memory> =
            views.flat_map(|view| view.subject.iter().chain(&view.against)).collect();
        rivals.sort_unstable_by_key(|memory| Reverse(memory.id));
        rivals.dedup_by_key(|memory| memory.id);
        rivals
    }
}

/// Extent of a decision on an item that stands for several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecisionScope {
    /// The item and those folded into it. Confirming lets the newer side of each hold, keeping both
    /// lets all hold, and rejecting concerns only the items of the memory in question.
    #[default]
    Rivals,
    /// The item alone.
    Item,
}

/// Input of [`Reviews::resolve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolveReviewRequest {
    pub review: ReviewId,
    pub resolution: Resolution,
    pub scope: DecisionScope,
}

impl ResolveReviewRequest {
    /// Creates a decision on an item as the listing shows it.
    #[must_use]
    pub fn new(review: ReviewId, resolution: Resolution) -> Self {
        Self { review, resolution, scope: DecisionScope::Rivals }
    }
}

impl<'e> Reviews<'e> {
    /// Lists review items, newest first, with the texts of all sides. Open contradictions between
    /// the same rivals are one item.
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
            let listed = list_visible(&call, input).await?;
            call.note_shown(format!("listed {} review items", listed.items.len()), &[]).await;
            Ok(listed)
        })
    }

    /// Returns one review item, decided or not, as the listing shows it.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn get(self, caller: &'e Caller, id: ReviewId) -> UseCaseFuture<'e, ReviewView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Review, Permission::Read, &id).await?;
            let found = shown_view(&call, id).await?;
            call.note_shown(format!("showed review item {id}"), &[]).await;
            Ok(found)
        })
    }
}

async fn item_by_id(call: &Call<'_>, id: ReviewId) -> Result<ReviewItem, Failure> {
    let item = call.store().review(id).await?;
    item.ok_or_else(|| no_such_item(id))
}

/// Returns an item that the caller may see, with those that the listing folds into it.
async fn shown_view(call: &Call<'_>, id: ReviewId) -> Result<ReviewView, Failure> {
    let item = item_by_id(call, id).await?;
    let view = call.view().await?;
    let (is_visible, is_settled) = view.read(|view| {
        let is_open = item.state == ReviewState::Open;
        let is_visible = ReviewVisibility::new(call, view).allows(&item);
        (is_visible, is_open && !needs_decision(view, &item))
    });
    if !is_visible {
        return Err(no_such_item(id));
    }
    let open = if item.state == ReviewState::Open { open_groups(call).await? } else { vec![] };
    let group = open.into_iter().find(|group| group.item.id == id);
    let group = group.unwrap_or_else(|| ReviewGroup::single(item, is_settled));
    views(call, vec![group]).await?.pop().ok_or_else(|| no_such_item(id))
}

fn no_such_item(id: ReviewId) -> Failure {
    Failure::not_found("review item", format!("{id}; list the review items to see their ids"))
}

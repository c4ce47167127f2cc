//! Marks of memories under review, for the results of a recall.

use super::listing::{ReviewVisibility, needs_decision};
use engine_core::call::Call;
use guard::Resource;
use model::{Failure, MemoryId, Page, Permission, ReviewId, ReviewItem, ReviewKind, limits};
use std::collections::HashMap;
use store::ReviewQuery;

/// An open review item about a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewMark {
    pub review: ReviewId,
    pub kind: ReviewKind,
    /// Memories on the other side of this item and of similar ones, newest first.
    pub others: Vec<MemoryId>,
}

impl ReviewMark {
    /// Describes the mark in a few words, such as `contradicts 12`.
    #[must_use]
    pub fn description(&self) -> String {
        let others: Vec<String> = self.others.iter().map(ToString::to_string).collect();
        match self.kind {
            ReviewKind::Contradiction => format!("contradicts {}", others.join(", ")),
            ReviewKind::Proposal => format!("{} proposes another version", others.join(", ")),
            ReviewKind::Flag => "flagged as wrong".to_owned(),
        }
    }
}

/// Returns the marks of current memories, with one read of the store when none has any.
pub(crate) async fn review_marks(
    call: &Call<'_>,
    memories: &[MemoryId],
) -> Result<HashMap<MemoryId, ReviewMark>, Failure> {
    if memories.is_empty() || !call.policy.allows(Resource::Review, Permission::Read) {
        return Ok(HashMap::new());
    }
    let query = ReviewQuery { open_only: true, kind: None, memories: Some(memories.to_vec()) };
    let mut items = call.store().reviews(&query, Page::first(limits::PAGE_ITEMS)).await?.items;
    if items.is_empty() {
        return Ok(HashMap::new());
    }
    call.view().await?.read(|view| {
        let visible = ReviewVisibility::new(call, view);
        items.retain(|item| visible.allows(item) && needs_decision(view, item));
    });
    // The item about the newest memory is the one that the listing shows.
    items.sort_unstable_by(|one, other| {
        (other.subject, other.against).cmp(&(one.subject, one.against))
    });
    Ok(memories.iter().filter_map(|id| Some((*id, mark(*id, &items)?))).collect())
}

/// Returns the mark of a memory: of a contradiction before any other kind of item.
fn mark(memory: MemoryId, items: &[ReviewItem]) -> Option<ReviewMark> {
    let is_side = |item: &&ReviewItem| [item.subject, item.against].contains(&Some(memory));
    let is_contradiction = |item: &&ReviewItem| item.kind == ReviewKind::Contradiction;
    let first = items.iter().filter(is_side).find(is_contradiction);
    let first = first.or_else(|| items.iter().find(is_side))?;
    let alike = items.iter().filter(is_side).filter(|item| item.kind == first.kind);
    let mut others: Vec<MemoryId> = alike
        .flat_map(|item| item.subject.into_iter().chain(item.against))
        .filter(|other| *other != memory)
        .collect();
    others.sort_unstable_by(|one, other| other.cmp(one));
    others.dedup();
    Some(ReviewMark { review: first.id, kind: first.kind, others })
}

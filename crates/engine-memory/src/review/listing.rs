//! Listing of review items. Contradictions between the same rivals are shown as one item. An open
//! item that other decisions have settled is not listed as open, but can still be decided.

use super::decision_context::all_reviews;
use super::{ListReviewsRequest, PROFILE, ReviewView};
use crate::erasure::{Erasure, ErasureAccess, attach_view};
use engine_core::call::Call;
use guard::Resource;
use index::{Direction, DocSet, Filter, LinkKinds, StatusFilter, View};
use model::{
    Failure, LinkKind, Listing, Memory, MemoryId, Moment, Page, Permission, ReviewItem, ReviewKind,
    ReviewState, Status, limits,
};
use std::collections::{BTreeMap, BTreeSet};
use store::ReviewQuery;

/// Default number of items in a listing.
const LISTED: usize = 20;

/// Items that a listing shows as one.
#[derive(Debug, Clone)]
pub(super) struct ReviewGroup {
    pub item: ReviewItem,
    pub folded: Vec<ReviewItem>,
    pub is_settled: bool,
}

impl ReviewGroup {
    /// Creates a group of one item.
    pub fn single(item: ReviewItem, is_settled: bool) -> Self {
        Self { item, folded: Vec::new(), is_settled }
    }

    /// Folds contradictions between the same rivals: the one about the newest memory is shown.
    fn fold(mut items: Vec<ReviewItem>) -> Option<Self> {
        let newest = items.iter().enumerate().max_by_key(|(_, item)| (item.subject, item.against));
        let item = items.remove(newest?.0);
        Some(Self { item, folded: items, is_settled: false })
    }

    fn items(&self) -> impl Iterator<Item = &ReviewItem> {
        std::iter::once(&self.item).chain(&self.folded)
    }

    fn concerns(&self, memory: MemoryId) -> bool {
        self.items().any(|item| item.subject == Some(memory) || item.against == Some(memory))
    }
}

/// Returns a page of the items that the caller may see, newest first.
pub(super) async fn list_visible(
    call: &Call<'_>,
    input: &ListReviewsRequest,
) -> Result<Listing<ReviewView>, Failure> {
    let query =
        ReviewQuery { open_only: !input.decided, kind: input.kind, ..ReviewQuery::default() };
    let mut groups = visible_groups(call, &query).await?;
    groups.retain(|group| input.decided || !group.is_settled);
    groups.retain(|group| input.memory.is_none_or(|memory| group.concerns(memory)));
    let total = groups.len();
    let page = Page { limit: input.limit.unwrap_or(LISTED), offset: input.offset }.capped();
    let shown = groups.into_iter().skip(page.offset).take(page.limit).collect();
    Ok(Listing { items: views(call, shown).await?, total })
}

/// Returns the open items that the caller may see and that still need a decision, newest first.
pub(super) async fn open_groups(call: &Call<'_>) -> Result<Vec<ReviewGroup>, Failure> {
    let open = ReviewQuery { open_only: true, ..ReviewQuery::default() };
    let mut groups = visible_groups(call, &open).await?;
    groups.retain(|group| !group.is_settled);
    Ok(groups)
}

/// Returns the number of open items that the caller may see and that still need a decision.
pub(crate) async fn open_review_count(call: &Call<'_>) -> Result<usize, Failure> {
    if !call.policy.allows(Resource::Review, Permission::Read) {
        return Ok(0);
    }
    Ok(open_groups(call).await?.len())
}

/// Returns the number of open items that were raised after a moment.
pub(crate) async fn open_reviews_since(call: &Call<'_>, since: Moment) -> Result<usize, Failure> {
    let is_new = |group: &&ReviewGroup| group.items().any(|item| item.raised_at > since);
    Ok(open_groups(call).await?.iter().filter(is_new).count())
}

/// Returns the matching items that the caller may see, folded.
pub(super) async fn visible_groups(
    call: &Call<'_>,
    query: &ReviewQuery,
) -> Result<Vec<ReviewGroup>, Failure> {
    let items = all_reviews(call, query).await?;
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let view = call.view().await?;
    Ok(view.read(|view| {
        let visible = ReviewVisibility::new(call, view);
        fold(view, items.into_iter().filter(|item| visible.allows(item)).collect())
    }))
}

/// Rule by which a caller sees an item: its reason quotes both sides, so both must be readable.
pub(super) struct ReviewVisibility<'v> {
    view: &'v View,
    /// `None` for a caller who may read everything.
    readable: Option<DocSet>,
    profile: bool,
    erasures: ErasureAccess,
}

impl<'v> ReviewVisibility<'v> {
    pub fn new(call: &Call<'_>, view: &'v View) -> Self {
        let all = Filter { status: StatusFilter::Any, ..call.filter() };
        let readable = (!call.policy.reads_everything()).then(|| view.filter(&all, call.at));
        let erasures = ErasureAccess::new(call);
        Self { view, readable, profile: call.readable.profile, erasures }
    }

    pub fn allows(&self, item: &ReviewItem) -> bool {
        let Some(readable) = &self.readable else { return true };
        let is_seen = |id: MemoryId| self.view.doc(id).is_some_and(|doc| readable.contains(doc));
        if let Some(erasure) = Erasure::of_item(item) {
            // What is gone already says nothing to anybody.
            let may_see = |id: &MemoryId| self.view.doc(*id).is_none() || is_seen(*id);
            return self.erasures.allows(&erasure) && erasure.memories.iter().all(may_see);
        }
        let mut sides = item.subject.into_iter().chain(item.against).peekable();
        let is_about_profile = item.details.contains_key(PROFILE);
        let may_show = if is_about_profile { self.profile } else { sides.peek().is_some() };
        may_show && sides.all(is_seen)
    }
}

/// Folds open contradictions that share a memory, or a current version of one.
fn fold(view: &View, items: Vec<ReviewItem>) -> Vec<ReviewGroup> {
    let mut groups: Vec<(BTreeSet<MemoryId>, Vec<ReviewItem>)> = Vec::new();
    let mut shown: Vec<ReviewGroup> = Vec::new();
    for item in items {
        let is_settled = item.state == ReviewState::Open && !needs_decision(view, &item);
        if item.state != ReviewState::Open || item.kind != ReviewKind::Contradiction || is_settled {
            shown.push(ReviewGroup::single(item, is_settled));
            continue;
        }
        let mut rivals: BTreeSet<MemoryId> = item.subject.into_iter().chain(item.against).collect();
        let versions: Vec<_> = rivals.iter().map(|id| current_versions(view, *id)).collect();
        rivals.extend(versions.into_iter().flatten());
        let mut joined = vec![item];
        let near = groups.extract_if(.., |(members, _)| !members.is_disjoint(&rivals));
        for (members, more) in near.collect::<Vec<_>>() {
            rivals.extend(members);
            joined.extend(more);
        }
        groups.push((rivals, joined));
    }
    shown.extend(groups.into_iter().filter_map(|(_, items)| ReviewGroup::fold(items)));
    shown.sort_by_key(|group| std::cmp::Reverse((group.item.raised_at, group.item.id)));
    shown
}

/// Returns whether there is still something to decide. A contradiction ends when one of its sides
/// is replaced: what replaced it was compared itself when it was written. A proposal waits while
/// both sides have a current version, and not the same one; a flag in any case.
pub(super) fn needs_decision(view: &View, item: &ReviewItem) -> bool {
    let (ReviewKind::Contradiction | ReviewKind::Proposal, Some(subject), Some(against)) =
        (item.kind, item.subject, item.against)
    else {
        return true;
    };
    if item.kind == ReviewKind::Contradiction {
        let is_current = |id| matches!(status(view, id), Some(Status::Active | Status::Proposed));
        return is_current(subject) && is_current(against);
    }
    let (ours, theirs) = (current_versions(view, subject), current_versions(view, against));
    let is_proposed = status(view, subject) == Some(Status::Proposed);
    is_proposed || (!ours.is_empty() && !theirs.is_empty() && ours.is_disjoint(&theirs))
}

/// Returns the memory itself if it is current or proposed, and otherwise what replaced it.
fn current_versions(view: &View, id: MemoryId) -> BTreeSet<MemoryId> {
    let kinds = LinkKinds::from_kinds(&[LinkKind::Supersedes]);
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([id]), vec![id]);
    while let Some(id) = open.pop() {
        match status(view, id) {
            Some(Status::Active | Status::Proposed) => {
                found.insert(id);
            }
            Some(Status::Superseded) => {
                let newer = view.links(id, Direction::In, kinds);
                open.extend(newer.iter().map(|link| link.source).filter(|id| seen.insert(*id)));
            }
            _ => {}
        }
    }
    found
}

fn status(view: &View, id: MemoryId) -> Option<Status> {
    view.doc(id).map(|doc| view.facts(doc).status)
}

/// Adds the memories to items, read together.
pub(super) async fn views(
    call: &Call<'_>,
    groups: Vec<ReviewGroup>,
) -> Result<Vec<ReviewView>, Failure> {
    let items = groups.iter().flat_map(ReviewGroup::items);
    let ids: BTreeSet<MemoryId> =
        items.flat_map(|item| item.subject.into_iter().chain(item.against)).collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let mut memories: BTreeMap<MemoryId, Memory> = BTreeMap::new();
    for some in ids.chunks(limits::IDS_PER_CALL) {
        memories.extend(call.memories(some).await?.into_iter().map(|memory| (memory.id, memory)));
    }
    let side = |id: Option<MemoryId>| id.and_then(|id| memories.get(&id).cloned());
    let view = |item: ReviewItem, folded, is_settled| ReviewView {
        subject: side(item.subject),
        against: side(item.against),
        item,
        folded,
        is_settled,
        erasure: None,
    };
    let group = |group: ReviewGroup| {
        let folded = group.folded.into_iter().map(|item| view(item, Vec::new(), false)).collect();
        view(group.item, folded, group.is_settled)
    };
    let mut shown = Vec::with_capacity(groups.len());
    for view in groups.into_iter().map(group) {
        shown.push(attach_view(call, view).await?);
    }
    Ok(shown)
}

//! Counts of everything that the caller may read. A caller who may read everything gets the counts
//! of the store; for others each kind of thing is counted among what they may read.

use crate::entities::EntityVisibility;
use crate::review::open_review_count;
use crate::sessions::visible_sessions;
use crate::tables::readable;
use engine_core::call::Call;
use guard::Resource;
use index::{Filter, StatusFilter, View};
use model::{Failure, Page, Permission, Status};
use store::{Counts, EntityQuery, HandoffQuery};

/// Returns the counts for this caller. Sizes on disk and the like are reported to the owner only.
pub async fn visible_counts(call: &Call<'_>) -> Result<Counts, Failure> {
    let store = call.store();
    // One scan of the store is enough here; below, each list is filtered for the caller.
    if call.policy.reads_everything() {
        let reviews_open = open_review_count(call).await?;
        return Ok(Counts { reviews_open, ..store.counts().await? });
    }
    let may = |resource| call.policy.allows(resource, Permission::Read);
    let view = call.view().await?;
    let mut counts = view.read(|view| memory_counts(view, call));
    let tables = readable(call, store.tables().await?);
    counts.records = tables.iter().map(|table| table.rows).sum();
    counts.sessions = visible_sessions(call, Page::first(1)).await?.total;
    if may(Resource::Graph) {
        let all = EntityQuery::default();
        counts.entities =
            EntityVisibility::for_call(call).await?.list(call, &all, Page::first(1)).await?.total;
    }
    if may(Resource::Handoffs) {
        let all = HandoffQuery::default();
        counts.handoffs = store.handoffs(&all, Page::first(1)).await?.total;
    }
    if may(Resource::References) {
        counts.references = store.references(Page::first(1)).await?.total;
    }
    counts.reviews_open = open_review_count(call).await?;
    Ok(counts)
}

fn memory_counts(view: &View, call: &Call<'_>) -> Counts {
    let within = |status| view.filter(&Filter { status, ..call.filter() }, call.at);
    let counted = |status| (status, within(StatusFilter::Statuses(vec![status])).count());
    let active = within(StatusFilter::Statuses(vec![Status::Active]));
    let tally = view.facet_counts(&active);
    let owned = |list: &[(&str, usize)]| {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let embedded = view.facet_counts(&within(StatusFilter::Any)).with_vector;
    Counts {
        memories: Status::ALL.into_iter().map(counted).filter(|(_, count)| *count > 0).collect(),
        kinds: owned(&tally.kinds),
        collections: owned(&tally.collections),
        projects: owned(&tally.projects),
        vectors: vec![(call.core.embedder().model().id.clone(), embedded)],
        ..Counts::default()
    }
}

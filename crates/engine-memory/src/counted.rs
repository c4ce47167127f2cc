//! Counts of everything that the caller may read. A caller who may read everything gets the counts
//! of the store; for others each kind of thing is counted among what they may read.

use crate::entities::Sight;
use crate::review::waiting_for;
use crate::sessions::seen_sessions;
use crate::tables::readable;
use engine_core::call::Call;
use guard::Resource;
use index::{Filter, Standing, View};
use model::{Failure, Page, Permission, Status};
use store::{Counts, EntityQuery, HandoffQuery};

/// Returns the counts for this caller. Sizes on disk and the like are reported to the owner only.
pub async fn counted(call: &Call<'_>) -> Result<Counts, Failure> {
    let store = call.store();
    // One scan of the store is enough here; below, each list is filtered for the caller.
    if call.policy.reads_everything() {
        return store.counts().await;
    }
    let may = |resource| call.policy.may(resource, Permission::Read);
    let view = call.view().await?;
    let mut counts = view.read(|view| of_memories(view, call));
    let tables = readable(call, store.tables().await?);
    counts.records = tables.iter().map(|table| table.rows).sum();
    counts.sessions = seen_sessions(call, Page::first(1)).await?.total;
    if may(Resource::Graph) {
        let all = EntityQuery::default();
        counts.entities = Sight::of(call).await?.list(call, &all, Page::first(1)).await?.total;
    }
    if may(Resource::Handoffs) {
        let all = HandoffQuery::default();
        counts.handoffs = store.handoffs(&all, Page::first(1)).await?.total;
    }
    if may(Resource::References) {
        counts.references = store.references(Page::first(1)).await?.total;
    }
    counts.reviews_open = waiting_for(call).await?;
    Ok(counts)
}

fn of_memories(view: &View, call: &Call<'_>) -> Counts {
    let within = |standing| view.filter(&Filter { standing, ..call.filter() }, call.at);
    let standing = |status| (status, within(Standing::Statuses(vec![status])).count());
    let active = within(Standing::Statuses(vec![Status::Active]));
    let tally = view.tally(&active);
    let owned = |list: &[(&str, usize)]| {
        list.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let embedded = view.tally(&within(Standing::Any)).with_vector;
    Counts {
        memories: Status::ALL.into_iter().map(standing).filter(|(_, count)| *count > 0).collect(),
        kinds: owned(&tally.kinds),
        collections: owned(&tally.collections),
        projects: owned(&tally.projects),
        vectors: vec![(call.core.embedder().model().id.clone(), embedded)],
        ..Counts::default()
    }
}

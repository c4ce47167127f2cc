//! Listing of memories, a page at a time. The view selects the ids, so that a page costs the same
//! at any size of the store; the texts come from the store.

use crate::Memories;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{AgeOrder, Filter, StatusFilter};
use model::{Failure, Listing, Memory, MemoryId, Page, Permission};
use store::{MemoryQuery, MemorySort};

impl<'e> Memories<'e> {
    /// Lists the matching memories. Earlier versions are included when the query asks for their
    /// statuses.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(
        self,
        caller: &'e Caller,
        query: &'e MemoryQuery,
        page: Page,
    ) -> UseCaseFuture<'e, Listing<Memory>> {
        Box::pin(async move {
            let call = Call::begin(
                self.core,
                caller,
                Resource::Memories(query.collection.clone()),
                Permission::Read,
                query,
            )
            .await?;
            // Overwrites whatever sources the caller has put into the query.
            let query = MemoryQuery { sources: call.readable.clone(), ..query.clone() };
            // The view does not know dialects, so the store filters by them.
            let age = age_of(query.sort).filter(|_| query.dialect.is_none());
            let listing = match age {
                Some(age) => by_age(&call, &query, age, page.capped()).await?,
                None => call.store().list_memories(&query, page.capped()).await?,
            };
            call.note_shown(format!("listed {}", listing.items.len()), &[]).await;
            Ok(Listing { items: call.visible(listing.items), total: listing.total })
        })
    }
}

/// Returns the order by age if that is what is asked for. Other orders depend on usage, which the
/// view does not follow, so the store sorts by them.
fn age_of(sort: MemorySort) -> Option<AgeOrder> {
    match sort {
        MemorySort::Newest => Some(AgeOrder::Newest),
        MemorySort::Oldest => Some(AgeOrder::Oldest),
        MemorySort::MostConfident | MemorySort::MostUsed | MemorySort::MostImportant => None,
    }
}

async fn by_age(
    call: &Call<'_>,
    query: &MemoryQuery,
    age: AgeOrder,
    page: Page,
) -> Result<Listing<Memory>, Failure> {
    let view = call.view().await?;
    let (ids, total): (Vec<MemoryId>, usize) = view.read(|view| {
        let matching = view.filter(&to_filter(query), call.at);
        (view.page_by_age(&matching, age, page), matching.count())
    });
    let mut items = call.memories(&ids).await?;
    // The store may have changed since the view was read.
    items.retain(|memory| query.statuses.is_empty() || query.statuses.contains(&memory.status));
    Ok(Listing { items, total })
}

/// Converts the query to a filter of the view.
fn to_filter(query: &MemoryQuery) -> Filter {
    Filter {
        status: match query.statuses[..] {
            [] => StatusFilter::Any,
            ref statuses => StatusFilter::Statuses(statuses.to_vec()),
        },
        sources: query.sources.clone(),
        kinds: query.kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
        collections: query.collection.iter().cloned().collect(),
        projects: query.project.iter().cloned().collect(),
        sessions: query.sessions.clone(),
        agents: query.agent.iter().map(|agent| agent.as_str().to_owned()).collect(),
        tags_any: query.tags.clone(),
        written_since: query.created_from,
        written_until: query.created_until,
        confidence_min: query.confidence_min,
        confidence_max: query.confidence_max,
        ..Filter::default()
    }
}

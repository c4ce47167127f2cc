//! Queries by conditions: current memories that meet all of them, in a chosen order. There is no
//! ranking by text; that is `recall`.

use crate::Memories;
use crate::sessions::SessionRef;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{DocId, DocSet, Filter, View};
use model::{Failure, Memory, MemoryId, Moment, Page, Permission, Status, limits};
use std::cmp::Reverse;
use std::collections::HashSet;
use store::{MemoryQuery, MemorySort};

/// Conditions of a query, all of which must be met. An empty list does not restrict.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryMemoriesRequest {
    pub kinds: Vec<String>,
    pub sessions: Vec<SessionRef>,
    /// Earliest moment, inclusive.
    pub since: Option<Moment>,
    /// Latest moment, inclusive.
    pub until: Option<Moment>,
    /// Inclusive, 0 to 1.
    pub confidence_min: Option<f32>,
    /// Inclusive, 0 to 1.
    pub confidence_max: Option<f32>,
    pub order: QueryOrder,
    /// Capped at one page.
    pub limit: usize,
}

/// Order of query results; the newer one first among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueryOrder {
    #[default]
    Newest,
    MostConfident,
    MostUsed,
    MostImportant,
}

/// Result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryResults {
    pub memories: Vec<Memory>,
    /// Number of memories that meet the conditions, including those past the limit.
    pub total: usize,
}

impl<'e> Memories<'e> {
    /// Returns the memories that meet the conditions.
    ///
    /// # Errors
    /// `not_found` when a session does not exist; otherwise when the store cannot be read.
    pub fn query_memories(
        self,
        caller: &'e Caller,
        input: &'e QueryMemoriesRequest,
    ) -> UseCaseFuture<'e, QueryResults> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                    .await?;
            // Usage still in memory counts: an agent that just used a memory expects to see it
            // first.
            self.core.flush_usage().await;
            let filter = filter_of(&call, input).await?;
            let view = self.core.view(&caller.owner).await?;
            let matching =
                view.read(|view| ordered(view, &view.filter(&filter, call.at), input.order));
            let limit = input.limit.min(limits::PAGE_ITEMS);
            let ids = match input.order {
                QueryOrder::MostUsed => most_used(&call, &matching, limit).await?,
                _ => matching.iter().copied().take(limit).collect(),
            };
            let memories = self.core.still_current(&call, &ids, &filter.status).await?;
            let shown: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
            call.note_shown(format!("chose {}", shown.len()), &shown).await;
            Ok(QueryResults { memories, total: matching.len() })
        })
    }
}

async fn filter_of(call: &Call<'_>, input: &QueryMemoriesRequest) -> Result<Filter, Failure> {
    let mut sessions = Vec::with_capacity(input.sessions.len());
    for session in &input.sessions {
        sessions.push(crate::sessions::require_session(call, session).await?.id);
    }
    Ok(Filter {
        kinds: input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect(),
        sessions,
        since: input.since,
        until: input.until,
        confidence_min: input.confidence_min,
        confidence_max: input.confidence_max,
        ..call.filter()
    })
}

fn ordered(view: &View, matching: &DocSet, order: QueryOrder) -> Vec<MemoryId> {
    let mut docs: Vec<DocId> = matching.iter().collect();
    let age = |doc: DocId| Reverse((view.facts(doc).valid_from, view.id(doc)));
    docs.sort_by_cached_key(|&doc| age(doc));
    match order {
        QueryOrder::Newest | QueryOrder::MostUsed => {}
        QueryOrder::MostConfident => {
            docs.sort_by(|&a, &b| view.facts(b).confidence.total_cmp(&view.facts(a).confidence));
        }
        // Priority 1 is the most important, so ascending order is right.
        QueryOrder::MostImportant => docs.sort_by_key(|&doc| view.facts(doc).priority),
    }
    docs.into_iter().map(|doc| view.id(doc)).collect()
}

// The view does not follow every use, only the store counts them; so its order is taken.
async fn most_used(
    call: &Call<'_>,
    matching: &[MemoryId],
    limit: usize,
) -> Result<Vec<MemoryId>, Failure> {
    let wanted: HashSet<MemoryId> = matching.iter().copied().collect();
    let query =
        MemoryQuery { statuses: vec![Status::Active], sort: MemorySort::MostUsed, ..call.query() };
    let (mut found, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    while found.len() < limit.min(matching.len()) {
        let listed = call.store().list_memories(&query, page).await;
        let listed = listed?.items;
        if listed.is_empty() {
            break;
        }
        page.offset += listed.len();
        found.extend(listed.iter().map(|memory| memory.id).filter(|id| wanted.contains(id)));
    }
    found.truncate(limit);
    Ok(found)
}

//! Queries by conditions: current memories that meet all of them, in a chosen order. There is no
//! ranking by text; that is `recall`.

use crate::Memories;
use crate::sessions::{SessionRef, known_session_ids};
use engine_core::UseCaseFuture;
use engine_core::UseTable;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{DocId, DocSet, Filter, View};
use model::{Failure, Memory, MemoryId, Moment, Permission, limits};
use std::cmp::Reverse;

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
    /// Returns the memories that meet the conditions; none for sessions that do not exist.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn query_memories(
        self,
        caller: &'e Caller,
        input: &'e QueryMemoriesRequest,
    ) -> UseCaseFuture<'e, QueryResults> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                    .await?;
            let Some(filter) = filter_of(&call, input).await? else {
                call.note_shown("chose 0", &[]).await;
                return Ok(QueryResults { memories: Vec::new(), total: 0 });
            };
            let view = self.core.view(&caller.owner).await?;
            let uses = match input.order {
                QueryOrder::MostUsed => Some(self.core.use_table(&caller.owner).await?),
                _ => None,
            };
            let limit = input.limit.min(limits::PAGE_ITEMS);
            let (ids, total) = view.read(|view| {
                let matching = view.filter(&filter, call.at);
                (
                    first_in_order(view, &matching, input.order, uses.as_ref(), limit),
                    matching.count(),
                )
            });
            let mut memories = self.core.still_current(&call, &ids, &filter.status).await?;
            // Usage still in memory counts: an agent that just used a memory expects to see it.
            self.core.add_pending_uses(&caller.owner, &mut memories);
            let shown: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
            call.note_shown(format!("chose {}", shown.len()), &shown).await;
            Ok(QueryResults { memories, total })
        })
    }
}

/// Returns the filter of a query; `None` if it names sessions and none of them exists.
async fn filter_of(
    call: &Call<'_>,
    input: &QueryMemoriesRequest,
) -> Result<Option<Filter>, Failure> {
    let sessions = known_session_ids(call, &input.sessions).await?;
    // An empty list of sessions would not restrict anything.
    if sessions.is_empty() && !input.sessions.is_empty() {
        return Ok(None);
    }
    Ok(Some(Filter {
        kinds: input.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect(),
        sessions,
        since: input.since,
        until: input.until,
        confidence_min: input.confidence_min,
        confidence_max: input.confidence_max,
        ..call.filter()
    }))
}

/// Returns the first memories in an order. Only they are sorted.
fn first_in_order(
    view: &View,
    matching: &DocSet,
    order: QueryOrder,
    uses: Option<&UseTable>,
    limit: usize,
) -> Vec<MemoryId> {
    let uses_of = |doc| uses.map_or(0, |uses| uses.access(view.id(doc)).count);
    // Confidence is never negative, so its bits are in the order of its values.
    let rank = |doc: DocId| match order {
        QueryOrder::Newest => 0,
        QueryOrder::MostConfident => u32::MAX - view.confidence(doc).max(0.0).to_bits(),
        QueryOrder::MostUsed => u32::MAX - uses_of(doc),
        // Priority 1 is the most important, so ascending order is right.
        QueryOrder::MostImportant => u32::from(view.priority(doc)),
    };
    let key = |doc: DocId| (rank(doc), Reverse((view.valid_from(doc), view.id(doc))));
    let mut keys: Vec<_> = matching.iter().map(key).collect();
    if limit < keys.len() {
        keys.select_nth_unstable(limit);
        keys.truncate(limit);
    }
    keys.sort_unstable();
    keys.into_iter().map(|(_, Reverse((_, id)))| id).collect()
}

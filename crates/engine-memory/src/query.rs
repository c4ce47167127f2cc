//! Queries by conditions: current memories that meet all of them, in a chosen order. There is no
//! ranking by text; that is `recall`.

use crate::Memories;
use crate::sessions::{SessionRef, known_session_ids};
use engine_core::UseCaseFuture;
use engine_core::UseTable;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{AgeOrder, DocId, DocSet, Filter, View};
use model::{Failure, Memory, MemoryId, Moment, Page, Permission, limits};
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
    let newer = |doc: DocId| Reverse((view.valid_from(doc), view.id(doc)));
    let first = match order {
        QueryOrder::Newest => {
            return view.page_by_validity(matching, AgeOrder::Newest, Page::first(limit));
        }
        // Confidence is never negative, so its bits are in the order of its values.
        QueryOrder::MostConfident => view.first_by_key(matching, limit, |doc| {
            (Reverse(view.confidence(doc).max(0.0).to_bits()), newer(doc))
        }),
        QueryOrder::MostUsed => return most_used(view, matching, uses, limit),
        // Priority 1 is the most important, so ascending order is right.
        QueryOrder::MostImportant => {
            view.first_by_key(matching, limit, |doc| (view.priority(doc), newer(doc)))
        }
    };
    first.into_iter().map(|doc| view.id(doc)).collect()
}

/// Returns the most used memories, and the newest of the others after them. Only those that were
/// used are compared by their uses.
fn most_used(
    view: &View,
    matching: &DocSet,
    uses: Option<&UseTable>,
    limit: usize,
) -> Vec<MemoryId> {
    let used = uses.into_iter().flat_map(UseTable::iter).filter(|(_, access)| access.count > 0);
    let mut keys: Vec<_> = used
        .filter_map(|(id, access)| Some((access.count, view.doc(id)?)))
        .filter(|(_, doc)| matching.contains(*doc))
        .map(|(count, doc)| (count, view.valid_from(doc), view.id(doc), doc))
        .collect();
    keys.sort_unstable_by(|one, other| other.cmp(one));
    let mut unused = matching.clone();
    keys.iter().for_each(|key| unused.remove(key.3));
    let rest = Page::first(limit.saturating_sub(keys.len()));
    let mut ids: Vec<MemoryId> = keys.into_iter().take(limit).map(|key| key.2).collect();
    ids.extend(view.page_by_validity(&unused, AgeOrder::Newest, rest));
    ids
}

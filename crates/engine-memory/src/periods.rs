//! Comparison of two periods, given as time ranges or sessions: added, corrected, unchanged and
//! faded memories.

use crate::Memories;
use crate::counted_ids::CountedIds;
use crate::decay::faded_below;
use crate::sessions::{SessionRef, known_session_ids};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{DocId, DocSet, Filter, StatusFilter, View};
use model::{Failure, MemoryId, Moment, Permission, Status, limits};

// Decay of a memory that was not used for about four months.
const FADED_BELOW: f32 = 0.3;

/// A time range, or some sessions.
#[derive(Debug, Clone, PartialEq)]
pub enum Period {
    /// Both ends included.
    TimeRange { from: Moment, until: Moment },
    /// Memories written in these sessions.
    Sessions(Vec<SessionRef>),
}

/// Differences between two periods, each list with the first page of its ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodComparison {
    /// In the second and not in the first.
    pub added: CountedIds,
    /// Memories of the first replaced by one of the second, as (old, new).
    pub corrected: Vec<(MemoryId, MemoryId)>,
    /// Memories of the first that are still current and have not faded.
    pub unchanged: CountedIds,
    /// Memories of the first that are still current and have faded.
    pub faded: CountedIds,
}

impl<'e> Memories<'e> {
    /// Compares two periods. A memory that was replaced later belongs to the period in which it was
    /// written; a session that does not exist has none.
    ///
    /// # Errors
    /// `invalid_argument` when a time range ends before it begins.
    pub fn compare_periods(
        self,
        caller: &'e Caller,
        a: &'e Period,
        b: &'e Period,
    ) -> UseCaseFuture<'e, PeriodComparison> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &(a, b))
                    .await?;
            let (a, b) = (period_filter(&call, a).await?, period_filter(&call, b).await?);
            let view = self.core.view(&caller.owner).await?;
            let mut compared = PeriodComparison::default();
            let (current, counts) = view.read(|view| {
                let within = |filter: &Option<Filter>| match filter {
                    Some(filter) => view.filter(filter, call.at),
                    None => DocSet::default(),
                };
                let (first, second) = (within(&a), within(&b));
                compared.corrected = corrections(view, &first, &second);
                let counts = (first.count(), second.count());
                let mut added = second;
                added.subtract(&first);
                compared.added = CountedIds::new(view, &added, limits::PAGE_ITEMS);
                (still_current(view, first, &compared.corrected), counts)
            });
            let faded = faded_below(&call, &view, current.clone(), FADED_BELOW).await?;
            view.read(|view| {
                let mut unchanged = current;
                unchanged.subtract(&faded);
                compared.unchanged = CountedIds::new(view, &unchanged, limits::PAGE_ITEMS);
                compared.faded = CountedIds::new(view, &faded, limits::PAGE_ITEMS);
            });
            call.note_shown(format!("compared {} with {}", counts.0, counts.1), &[]).await;
            Ok(compared)
        })
    }
}

/// Returns the filter for the memories of a period; `None` if it is of sessions that do not exist.
async fn period_filter(call: &Call<'_>, period: &Period) -> Result<Option<Filter>, Failure> {
    let statuses = StatusFilter::Statuses(vec![Status::Active, Status::Superseded]);
    let filter = Filter { status: statuses, ..call.filter() };
    match period {
        Period::TimeRange { from, until } if from > until => {
            Err(Failure::invalid("the time range ends before it begins"))
        }
        Period::TimeRange { from, until } => {
            Ok(Some(Filter { since: Some(*from), until: Some(*until), ..filter }))
        }
        Period::Sessions(sessions) => {
            limits::count("sessions", sessions.len(), limits::IDS_PER_CALL)?;
            let sessions = known_session_ids(call, sessions).await?;
            Ok((!sessions.is_empty()).then_some(Filter { sessions, ..filter }))
        }
    }
}

/// Returns the replacements of memories of the first period by memories of the second.
fn corrections(view: &View, first: &DocSet, second: &DocSet) -> Vec<(MemoryId, MemoryId)> {
    let replaced = |new: DocId| view.replaced_by(new).map(move |old| (old, new));
    let pairs = second.iter().flat_map(replaced).filter(|(old, _)| first.contains(*old));
    let mut pairs: Vec<_> = pairs.map(|(old, new)| (view.id(old), view.id(new))).collect();
    pairs.sort_unstable_by_key(|(old, new)| (*new, *old));
    pairs
}

/// Returns the active memories without those that were corrected.
fn still_current(view: &View, mut docs: DocSet, corrected: &[(MemoryId, MemoryId)]) -> DocSet {
    for (old, _) in corrected {
        view.doc(*old).into_iter().for_each(|doc| docs.remove(doc));
    }
    docs.retain(|doc| view.is_active(doc));
    docs
}

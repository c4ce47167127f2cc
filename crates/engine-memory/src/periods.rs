//! Comparison of two periods, given as time ranges or sessions: added, corrected, unchanged and
//! faded memories.

use crate::Memories;
use crate::decay::decay_at;
use crate::sessions::SessionRef;
use crate::sessions::require_session;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, Filter, LinkKinds, StatusFilter};
use model::{Failure, LinkKind, Memory, MemoryId, Moment, Permission, Status, limits};
use std::collections::BTreeSet;

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

/// Differences between two periods.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodComparison {
    /// In the second and not in the first.
    pub added: Vec<MemoryId>,
    /// Memories of the first replaced by one of the second, as (old, new).
    pub corrected: Vec<(MemoryId, MemoryId)>,
    /// Memories of the first that are still current and have not faded.
    pub unchanged: Vec<MemoryId>,
    /// Memories of the first that are still current and have faded.
    pub faded: Vec<MemoryId>,
}

impl<'e> Memories<'e> {
    /// Compares two periods. A memory that was replaced later belongs to the period in which it was
    /// written.
    ///
    /// # Errors
    /// `not_found` when a session does not exist, `invalid_argument` when a time range ends before
    /// it begins.
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
            // Decay depends on the last use, so usage still in memory counts.
            self.core.flush_usage().await;
            let (first, second) = (memories_in(&call, a).await?, memories_in(&call, b).await?);
            let corrected = corrections(&call, &first, &second).await?;
            let replaced: BTreeSet<MemoryId> = corrected.iter().map(|(old, _)| *old).collect();
            let added = second.difference(&first).copied().collect();
            let left: Vec<MemoryId> = first.difference(&replaced).copied().collect();
            let (unchanged, faded) = split_by_decay(&call, &left).await?;
            call.note_shown(format!("compared {} with {}", first.len(), second.len()), &[]).await;
            Ok(PeriodComparison { added, corrected, unchanged, faded })
        })
    }
}

async fn memories_in(call: &Call<'_>, period: &Period) -> Result<BTreeSet<MemoryId>, Failure> {
    let mut filter = Filter {
        status: StatusFilter::Statuses(vec![Status::Active, Status::Superseded]),
        ..call.filter()
    };
    match period {
        Period::TimeRange { from, until } if from > until => {
            return Err(Failure::invalid("the time range ends before it begins"));
        }
        Period::TimeRange { from, until } => {
            (filter.since, filter.until) = (Some(*from), Some(*until))
        }
        Period::Sessions(sessions) => {
            limits::count("sessions", sessions.len(), limits::IDS_PER_CALL)?;
            for session in sessions {
                filter.sessions.push(require_session(call, session).await?.id);
            }
            if sessions.is_empty() {
                return Ok(BTreeSet::new());
            }
        }
    }
    let view = call.view().await?;
    Ok(view.read(|view| view.filter(&filter, call.at).iter().map(|doc| view.id(doc)).collect()))
}

async fn corrections(
    call: &Call<'_>,
    first: &BTreeSet<MemoryId>,
    second: &BTreeSet<MemoryId>,
) -> Result<Vec<(MemoryId, MemoryId)>, Failure> {
    let view = call.view().await?;
    let kinds = LinkKinds::from_kinds(&[LinkKind::Supersedes]);
    Ok(view.read(|view| {
        let replaced = |&new: &MemoryId| view.links(new, Direction::Out, kinds).into_iter();
        let edges = second.iter().flat_map(replaced).filter(|edge| first.contains(&edge.target));
        edges.map(|edge| (edge.target, edge.source)).collect()
    }))
}

async fn split_by_decay(
    call: &Call<'_>,
    ids: &[MemoryId],
) -> Result<(Vec<MemoryId>, Vec<MemoryId>), Failure> {
    let (mut unchanged, mut faded) = (Vec::new(), Vec::new());
    for some in ids.chunks(limits::IDS_PER_CALL) {
        let memories = call.store().memories(some).await?;
        let current =
            call.visible(memories).into_iter().filter(|memory| memory.status == Status::Active);
        let (fresh, old): (Vec<Memory>, Vec<Memory>) =
            current.partition(|memory| decay_at(memory, call.at) >= FADED_BELOW);
        unchanged.extend(fresh.iter().map(|memory| memory.id));
        faded.extend(old.iter().map(|memory| memory.id));
    }
    Ok((unchanged, faded))
}

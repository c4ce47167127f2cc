//! Statistics of the memory as a whole, counted in the view.

use crate::Memories;
use crate::sessions::visible_sessions;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Filter, StatusFilter, View};
use model::{Page, Permission, Status};

/// Statistics of what a caller may read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryStatistics {
    /// Number of active memories.
    pub active: usize,
    /// Number of memories that were replaced.
    pub superseded: usize,
    /// Active memories by kind, largest count first.
    pub kinds: Vec<(String, usize)>,
    pub links: usize,
    pub sessions: usize,
    /// Size on disk; 0 for a caller who may not read everything.
    pub bytes: u64,
}

impl<'e> Memories<'e> {
    /// Returns the statistics of the memory.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn statistics(self, caller: &'e Caller) -> UseCaseFuture<'e, MemoryStatistics> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &())
                    .await?;
            let view = call.view().await?;
            let mut statistics = view.read(|view| count(view, &call));
            // Only the number is shown, so no session is sorted or read.
            let none = Page { offset: 0, limit: 0 };
            statistics.sessions = visible_sessions(&call, none).await?.total;
            if call.policy.reads_everything() {
                statistics.bytes = call.store().size_bytes().await?;
            }
            call.note_shown("showed the statistics", &[]).await;
            Ok(statistics)
        })
    }
}

fn count(view: &View, call: &Call<'_>) -> MemoryStatistics {
    let owned = |kinds: Vec<(&str, usize)>| {
        kinds.into_iter().map(|(kind, count)| (kind.to_owned(), count)).collect()
    };
    // The view has the numbers of the whole memory at hand; those of a part must be counted.
    if call.policy.reads_everything() {
        return MemoryStatistics {
            active: view.status_count(Status::Active),
            superseded: view.status_count(Status::Superseded),
            kinds: owned(view.active_kind_counts()),
            links: view.link_count(),
            ..MemoryStatistics::default()
        };
    }
    let in_status = |status| {
        let status = StatusFilter::Statuses(vec![status]);
        view.filter(&Filter { status, ..call.filter() }, call.at)
    };
    let active = in_status(Status::Active);
    MemoryStatistics {
        active: active.count(),
        superseded: in_status(Status::Superseded).count(),
        kinds: owned(view.kind_counts(&active)),
        links: view.links_among(&readable(view, call)),
        ..MemoryStatistics::default()
    }
}

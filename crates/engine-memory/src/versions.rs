//! Versions of a memory. A correction replaces a memory, and the newest correction wins, whichever
//! version it names.

use crate::Memories;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{DocSet, Filter, StatusFilter, View};
use model::{Failure, Link, LinkKind, Memory, MemoryId, Permission, Status};
use std::collections::{BTreeSet, VecDeque};

// Bounds the search in a file from elsewhere that chains corrections without end.
const VERSIONS_MAX: usize = 1_000;

/// Weight of the link by which the comparison lets a statement replace an earlier one. Both were
/// said, each for itself; a correction has the weight 1.
pub(crate) const SAID_AGAIN_WEIGHT: f32 = 0.9;

/// A memory with all its versions.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryVersions {
    /// Requested memory.
    pub requested: MemoryId,
    /// Current version; the requested one when nothing replaced it.
    pub latest: MemoryId,
    /// Oldest first.
    pub all: Vec<Memory>,
}

impl<'e> Memories<'e> {
    /// Returns a memory with everything that replaced it or was replaced by it.
    ///
    /// # Errors
    /// `not_found` when there is no such memory.
    pub fn versions(
        self,
        caller: &'e Caller,
        memory: MemoryId,
    ) -> UseCaseFuture<'e, MemoryVersions> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &memory)
                    .await?;
            call.memory(memory).await?;
            let versions = visible_versions(&call, memory).await?;
            call.note_shown(format!("showed {} versions", versions.all.len()), &[]).await;
            Ok(versions)
        })
    }
}

impl<'e> Memories<'e> {
    /// Returns the current version of a memory: itself when nothing replaced it.
    ///
    /// # Errors
    /// `not_found` when there is no such memory.
    pub fn latest_version(self, caller: &'e Caller, memory: MemoryId) -> UseCaseFuture<'e, Memory> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &memory)
                    .await?;
            let view = call.view().await?;
            let latest = view.read(|view| {
                let readable = readable(view, &call);
                let is_visible = view.doc(memory).is_some_and(|doc| readable.contains(doc));
                is_visible.then(|| view.newest_version(memory, Some(&readable)))
            });
            let latest = latest.ok_or_else(|| Failure::not_found("memory", memory))?;
            let latest = call.memory(latest).await?;
            call.note_shown("showed the latest version", &[latest.id]).await;
            Ok(latest)
        })
    }
}

/// Returns the versions of a memory that the caller may read.
pub(crate) async fn visible_versions(
    call: &Call<'_>,
    asked: MemoryId,
) -> Result<MemoryVersions, Failure> {
    let all = call.visible(all_versions(call, asked).await?);
    let newest = newest_version(call, asked).await?;
    let is_current = |memory: &Memory| memory.id == newest && memory.status == Status::Active;
    let latest = if all.iter().any(is_current) { Some(newest) } else { latest_of(&all) };
    Ok(MemoryVersions { requested: asked, latest: latest.unwrap_or(asked), all })
}

/// Returns the newest version of a memory that the caller may read: its own id when nothing
/// replaced it.
pub(crate) async fn newest_version(call: &Call<'_>, memory: MemoryId) -> Result<MemoryId, Failure> {
    let view = call.view().await?;
    Ok(view.read(|view| view.newest_version(memory, Some(&readable(view, call)))))
}

/// Returns the documents of any status that the caller may read: versions among them are followed.
pub(crate) fn readable(view: &View, call: &Call<'_>) -> DocSet {
    view.filter(&Filter { status: StatusFilter::Any, ..call.filter() }, call.at)
}

/// Returns all versions without a permission check: to change together with a row, never for
/// output. Cycles, which an imported file may contain, end where they began.
pub(crate) async fn all_versions(call: &Call<'_>, asked: MemoryId) -> Result<Vec<Memory>, Failure> {
    let mut known = BTreeSet::from([asked]);
    let mut open = VecDeque::from([asked]);
    while let Some(id) = open.pop_front() {
        for next in neighbours(call, id).await? {
            // Breadth first, so that the bound drops the most distant versions.
            if known.len() < VERSIONS_MAX && known.insert(next) {
                open.push_back(next);
            }
        }
    }
    let ids: Vec<MemoryId> = known.into_iter().collect();
    call.memories_unchecked(&ids).await
}

/// Returns what is forgotten together with a memory: its corrections, and whatever it replaced.
/// What was said later with another value stays, and is returned second.
pub(crate) async fn forgotten_together(
    call: &Call<'_>,
    asked: MemoryId,
) -> Result<(Vec<Memory>, Vec<Memory>), Failure> {
    let (mut known, mut later) = (BTreeSet::from([asked]), BTreeSet::new());
    let mut open = VecDeque::from([asked]);
    while let Some(id) = open.pop_front() {
        let links = call.store().links(id).await?;
        let replaces = |link: &&Link| link.kind == LinkKind::Supersedes;
        let (corrections, values): (Vec<&Link>, Vec<&Link>) =
            links.incoming.iter().filter(replaces).partition(|link| link.weight >= 1.0);
        later.extend(values.iter().map(|link| link.source));
        let older = links.outgoing.iter().filter(replaces).map(|link| link.target);
        for next in older.chain(corrections.iter().map(|link| link.source)) {
            if known.len() < VERSIONS_MAX && known.insert(next) {
                open.push_back(next);
            }
        }
    }
    let later: Vec<MemoryId> = later.difference(&known).copied().collect();
    let known: Vec<MemoryId> = known.into_iter().collect();
    let together = call.visible(call.memories_unchecked(&known).await?);
    Ok((together, call.visible(call.memories_unchecked(&later).await?)))
}

/// Returns the newest active version; the newest of all when none is active.
fn latest_of(all: &[Memory]) -> Option<MemoryId> {
    let active = all.iter().filter(|memory| memory.status == Status::Active);
    active.map(|memory| memory.id).max().or_else(|| all.iter().map(|memory| memory.id).max())
}

async fn neighbours(call: &Call<'_>, id: MemoryId) -> Result<Vec<MemoryId>, Failure> {
    let links = call.store().links(id).await?;
    let replaced = links
        .outgoing
        .iter()
        .filter(|link| link.kind == LinkKind::Supersedes)
        .map(|link| link.target);
    let replacing = links
        .incoming
        .iter()
        .filter(|link| link.kind == LinkKind::Supersedes)
        .map(|link| link.source);
    Ok(replaced.chain(replacing).collect())
}

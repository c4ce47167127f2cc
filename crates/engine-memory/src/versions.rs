//! Versions: a correction replaces a memory, and the newest correction wins, whatever it was said
//! to replace.

use crate::Memories;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, LinkKind, Memory, MemoryId, Permission, Status};
use std::collections::{BTreeSet, VecDeque};

/// How many versions of one memory are followed at most.
const VERSIONS_MAX: usize = 1_000;

/// A memory with all its versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Versions {
    /// The memory that was asked for.
    pub asked: MemoryId,
    /// The version that holds now; the asked one itself when nothing replaced it.
    pub latest: MemoryId,
    /// Every version, oldest first.
    pub all: Vec<Memory>,
}

impl Memories<'_> {
    /// A memory with everything that replaced it or was replaced by it.
    ///
    /// # Errors
    /// `not_found` when there is no such memory.
    pub async fn versions(self, caller: &Caller, memory: MemoryId) -> Result<Versions, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &memory)
                .await?;
        call.memory(memory).await?;
        let versions = versions_of(&call, memory).await?;
        call.note_shown(format!("showed {} versions", versions.all.len()), &[]).await;
        Ok(versions)
    }
}

/// Every version of a memory that exists for the caller.
pub(crate) async fn versions_of(call: &Call<'_>, asked: MemoryId) -> Result<Versions, Failure> {
    let all = call.visible(every_version_of(call, asked).await?);
    let latest = latest_of(&all).unwrap_or(asked);
    Ok(Versions { asked, latest, all })
}

/// Every version of a memory, whether it exists for the caller or not: to change together with a
/// row, never to show. Cycles, which a file from elsewhere may hold, end where they began.
pub(crate) async fn every_version_of(
    call: &Call<'_>,
    asked: MemoryId,
) -> Result<Vec<Memory>, Failure> {
    let mut known = BTreeSet::from([asked]);
    let mut open = VecDeque::from([asked]);
    while let Some(id) = open.pop_front() {
        for next in replaced_and_replacing(call, id).await? {
            if known.len() < VERSIONS_MAX && known.insert(next) {
                open.push_back(next);
            }
        }
    }
    let ids: Vec<MemoryId> = known.into_iter().collect();
    call.memories_unseen(&ids).await
}

/// The newest version that holds; when none does, the newest of all.
fn latest_of(all: &[Memory]) -> Option<MemoryId> {
    let holding = all.iter().filter(|memory| memory.status == Status::Active);
    holding.map(|memory| memory.id).max().or_else(|| all.iter().map(|memory| memory.id).max())
}

async fn replaced_and_replacing(call: &Call<'_>, id: MemoryId) -> Result<Vec<MemoryId>, Failure> {
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

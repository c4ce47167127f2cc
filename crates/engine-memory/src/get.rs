//! Memories by id, with their links, mentions, rows and flags.

use crate::Memories;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    Failure, Flag, Link, LinkKind, Memory, MemoryId, Mention, Permission, Record, Status, limits,
};
use std::collections::HashSet;
use store::Links;

/// A memory with everything attached to it.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryDetails {
    pub memory: Memory,
    /// Current version; its own id when nothing replaced it.
    pub latest: MemoryId,
    /// Incoming and outgoing, with those of the versions that a current memory replaced.
    pub links: Links,
    pub mentions: Vec<Mention>,
    /// Rows written with it.
    pub records: Vec<Record>,
    /// Newest first.
    pub flags: Vec<Flag>,
}

impl<'e> Memories<'e> {
    /// Returns memories by id, in the given order, without those that the caller may not read.
    /// Superseded ones are included: whoever gives an id wants exactly that version.
    ///
    /// # Errors
    /// Fails when too many ids are given or the store cannot be read.
    pub fn get(self, caller: &'e Caller, ids: &'e [MemoryId]) -> UseCaseFuture<'e, Vec<Memory>> {
        Box::pin(async move {
            limits::count("ids", ids.len(), limits::IDS_PER_CALL)?;
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &ids)
                    .await?;
            let memories = call.memories(ids).await?;
            let shown: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
            call.note_shown(format!("showed {}", shown.len()), &shown).await;
            Ok(memories)
        })
    }

    /// Returns one memory with everything attached to it.
    ///
    /// # Errors
    /// `not_found` when there is no such memory.
    pub fn get_details(self, caller: &'e Caller, id: MemoryId) -> UseCaseFuture<'e, MemoryDetails> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &id)
                    .await?;
            let memory = call.memory(id).await?;
            let owner = &caller.owner;
            let latest = crate::versions::visible_versions(&call, id).await?.latest;
            let mentions = self.core.store_of(owner).mentions(id).await?;
            let mut records = self.core.store_of(owner).records_of_memory(id).await?;
            records.retain(|row| {
                call.policy.allows(Resource::Tables(Some(row.table.clone())), Permission::Read)
            });
            let details = MemoryDetails {
                links: links_of_versions(&call, &memory).await?,
                // A grant on memories alone does not include the graph, which would reveal entity
                // names.
                mentions: if call.policy.allows(Resource::Graph, Permission::Read) {
                    mentions
                } else {
                    Vec::new()
                },
                records,
                flags: self.core.store_of(owner).flags(id).await?,
                memory,
                latest,
            };
            call.note_shown("showed 1", &[id]).await;
            Ok(details)
        })
    }
}

/// Returns the links of a memory and of the versions that it replaced, between newest versions.
/// The links of a replaced memory are its own, as they were written.
async fn links_of_versions(call: &Call<'_>, memory: &Memory) -> Result<Links, Failure> {
    let mut links = visible_links(call, memory.id).await?;
    if memory.status != Status::Active {
        return Ok(links);
    }
    let view = call.view().await?;
    let older = view.read(|view| view.older_versions(memory.id, Some(&readable(view, call))));
    for version in older {
        let of_version = visible_links(call, version).await?;
        links.outgoing.extend(of_version.outgoing.into_iter().filter(says_more));
        links.incoming.extend(of_version.incoming.into_iter().filter(says_more));
    }
    Ok(view.read(|view| {
        let readable = readable(view, call);
        let newest = |id: MemoryId| view.newest_version(id, Some(&readable));
        Links {
            outgoing: between_newest(links.outgoing, newest),
            incoming: between_newest(links.incoming, newest),
        }
    }))
}

/// Returns whether a link says more than what replaced what.
fn says_more(link: &Link) -> bool {
    link.kind != LinkKind::Supersedes
}

/// Moves links to the newest versions of their ends, each once, without those inside one chain of
/// versions.
fn between_newest(links: Vec<Link>, newest: impl Fn(MemoryId) -> MemoryId) -> Vec<Link> {
    let mut seen = HashSet::new();
    let moved = links.into_iter().map(|link| match says_more(&link) {
        true => Link { source: newest(link.source), target: newest(link.target), ..link },
        false => link,
    });
    moved
        .filter(|link| link.source != link.target)
        .filter(|link| seen.insert((link.source, link.target, link.kind)))
        .collect()
}

/// Returns the links of a memory to memories that the caller may read.
async fn visible_links(call: &Call<'_>, id: MemoryId) -> Result<Links, Failure> {
    let mut links = call.store().links(id).await?;
    if call.readable.is_all() {
        return Ok(links);
    }
    let ends = links
        .outgoing
        .iter()
        .map(|link| link.target)
        .chain(links.incoming.iter().map(|l| l.source));
    let ends: Vec<MemoryId> = ends.collect();
    let mut shown = HashSet::new();
    for some in ends.chunks(limits::IDS_PER_CALL) {
        shown.extend(call.memories(some).await?.iter().map(|memory| memory.id));
    }
    links.outgoing.retain(|link| shown.contains(&link.target));
    links.incoming.retain(|link| shown.contains(&link.source));
    Ok(links)
}

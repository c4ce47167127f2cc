//! Links of several memories at once, outgoing and incoming: as they count now, where a replaced
//! memory is its newest version, or as they were written.

use crate::Graph;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, DocSet, LinkEdge, LinkKinds, View};
use model::{Failure, MemoryId, Permission, limits};

/// Links of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryLinks {
    pub memory: MemoryId,
    pub outgoing: Vec<LinkEdge>,
    pub incoming: Vec<LinkEdge>,
}

impl<'e> Graph<'e> {
    /// Returns the links of these memories, in their order; empty for one that does not exist.
    /// Links of replaced versions count for the newest one.
    ///
    /// # Errors
    /// Fails when too many ids are given or the store cannot be read.
    pub fn links_of(
        self,
        caller: &'e Caller,
        ids: &'e [MemoryId],
    ) -> UseCaseFuture<'e, Vec<MemoryLinks>> {
        Box::pin(async move {
            self.read_links(caller, ids, |view, readable, memory, direction| {
                view.current_links(memory, direction, LinkKinds::ALL, Some(readable))
            })
            .await
        })
    }

    /// Returns the links of these memories as they were written, each version by itself.
    ///
    /// # Errors
    /// As [`Graph::links_of`].
    pub fn written_links_of(
        self,
        caller: &'e Caller,
        ids: &'e [MemoryId],
    ) -> UseCaseFuture<'e, Vec<MemoryLinks>> {
        Box::pin(async move {
            self.read_links(caller, ids, |view, _, memory, direction| {
                view.links(memory, direction, LinkKinds::ALL)
            })
            .await
        })
    }

    async fn read_links(
        self,
        caller: &Caller,
        ids: &[MemoryId],
        links: impl Fn(&View, &DocSet, MemoryId, Direction) -> Vec<LinkEdge>,
    ) -> Result<Vec<MemoryLinks>, Failure> {
        limits::count("ids", ids.len(), limits::IDS_PER_CALL)?;
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, &ids).await?;
        let view = self.core.view(&caller.owner).await?;
        call.note_shown(format!("showed the links of {}", ids.len()), &[]).await;
        Ok(view.read(|view| {
            // A link to a hidden memory would reveal its id, so both ends must be readable.
            let readable = readable(view, &call);
            let is_readable = |id: MemoryId| view.doc(id).is_some_and(|doc| readable.contains(doc));
            let visible = |memory: MemoryId, direction| {
                let mut links = links(view, &readable, memory, direction);
                links.retain(|edge| is_readable(edge.source) && is_readable(edge.target));
                links
            };
            let links_of = |&memory: &MemoryId| MemoryLinks {
                memory,
                outgoing: visible(memory, Direction::Out),
                incoming: visible(memory, Direction::In),
            };
            ids.iter().map(links_of).collect()
        }))
    }
}

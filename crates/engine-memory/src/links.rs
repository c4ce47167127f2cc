//! Links of several memories at once, outgoing and incoming.

use crate::Graph;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, Filter, LinkEdge, LinkKinds, StatusFilter};
use model::{MemoryId, Permission, limits};

/// Links of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryLinks {
    pub memory: MemoryId,
    pub outgoing: Vec<LinkEdge>,
    pub incoming: Vec<LinkEdge>,
}

impl<'e> Graph<'e> {
    /// Returns the links of these memories, in their order; empty for one that does not exist.
    ///
    /// # Errors
    /// Fails when too many ids are given or the store cannot be read.
    pub fn links_of(
        self,
        caller: &'e Caller,
        ids: &'e [MemoryId],
    ) -> UseCaseFuture<'e, Vec<MemoryLinks>> {
        Box::pin(async move {
            limits::count("ids", ids.len(), limits::IDS_PER_CALL)?;
            let call =
                Call::begin(self.core, caller, Resource::Graph, Permission::Read, &ids).await?;
            let view = self.core.view(&caller.owner).await?;
            call.note_shown(format!("showed the links of {}", ids.len()), &[]).await;
            Ok(view.read(|view| {
                // A link to a hidden memory would reveal its id, so both ends must be readable.
                let readable =
                    view.filter(&Filter { status: StatusFilter::Any, ..call.filter() }, call.at);
                let is_readable =
                    |id: MemoryId| view.doc(id).is_some_and(|doc| readable.contains(doc));
                let links = |memory: MemoryId, direction| {
                    let mut links = view.links(memory, direction, LinkKinds::ALL);
                    links.retain(|edge| is_readable(edge.source) && is_readable(edge.target));
                    links
                };
                let links_of = |&memory: &MemoryId| MemoryLinks {
                    memory,
                    outgoing: links(memory, Direction::Out),
                    incoming: links(memory, Direction::In),
                };
                ids.iter().map(links_of).collect()
            }))
        })
    }
}

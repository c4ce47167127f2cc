//! Ties: the links of some memories at a glance, out of each and into it.

use crate::Graph;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, Edge, Filter, LinkKinds, Standing};
use model::{Failure, MemoryId, Permission, limits};

/// The links of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Ties {
    /// Whose.
    pub memory: MemoryId,
    /// Those that start at it.
    pub outgoing: Vec<Edge>,
    /// Those that end at it.
    pub incoming: Vec<Edge>,
}

impl Graph<'_> {
    /// The links of these memories, in their order; none of one that is not there.
    ///
    /// # Errors
    /// When too many ids are given or the store cannot answer.
    pub async fn ties(self, caller: &Caller, ids: &[MemoryId]) -> Result<Vec<Ties>, Failure> {
        limits::count("ids", ids.len(), limits::IDS)?;
        let call = Call::begin(self.core, caller, Resource::Graph, Permission::Read, &ids).await?;
        let view = self.core.view(&caller.owner).await?;
        call.note_shown(format!("showed the links of {}", ids.len()), &[]).await;
        Ok(view.read(|view| {
            let open = view.filter(&Filter { standing: Standing::Any, ..call.filter() }, call.at);
            let exists = |id: MemoryId| view.doc(id).is_some_and(|doc| open.contains(doc));
            let links = |memory: MemoryId, direction| {
                let mut links = view.links(memory, direction, LinkKinds::ALL);
                links.retain(|edge| exists(edge.source) && exists(edge.target));
                links
            };
            let ties = |&memory: &MemoryId| Ties {
                memory,
                outgoing: links(memory, Direction::Out),
                incoming: links(memory, Direction::In),
            };
            ids.iter().map(ties).collect()
        }))
    }
}

//! Ties: the links of some memories at a glance, out of each and into it.

use crate::call::Call;
use crate::{Caller, Engine};
use guard::Resource;
use index::{Direction, Edge, LinkKinds};
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

impl Engine {
    /// The links of these memories, in their order; none of one that is not there.
    ///
    /// # Errors
    /// When too many ids are given or the store cannot answer.
    pub async fn ties(&self, caller: &Caller, ids: &[MemoryId]) -> Result<Vec<Ties>, Failure> {
        limits::count("ids", ids.len(), limits::IDS)?;
        Call::begin(self, caller, Resource::Graph, Permission::Read, &ids)?;
        let view = self.views.current(self, &caller.owner).await?;
        Ok(view.read(|view| {
            let ties = |&memory: &MemoryId| Ties {
                memory,
                outgoing: view.links(memory, Direction::Out, LinkKinds::ALL),
                incoming: view.links(memory, Direction::In, LinkKinds::ALL),
            };
            ids.iter().map(ties).collect()
        }))
    }
}

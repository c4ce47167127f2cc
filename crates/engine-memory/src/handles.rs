//! One handle for each area of a memory. A handle is two references, made for one call.

use crate::entities::EntityShelf;
use crate::references::ReferenceShelf;
use crate::tables::Copies;
use engine_core::Core;
use model::OwnerId;

/// Caches of the use cases, one set for each engine.
#[derive(Default)]
pub struct Caches {
    pub(crate) references: ReferenceShelf,
    pub(crate) cards: EntityShelf,
    pub(crate) copies: Copies,
}

impl Caches {
    /// Drops the copies of an owner's tables, after everything was erased.
    pub fn drop_tables_of(&self, owner: &OwnerId) {
        self.copies.drop_all_of(owner);
    }
}

/// Declares the handles.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $name<'e> {
                pub(crate) core: &'e Core,
                pub(crate) caches: &'e Caches,
            }

            impl<'e> $name<'e> {
                /// Makes the handle over an engine's core and caches.
                #[must_use]
                pub fn new(core: &'e Core, caches: &'e Caches) -> Self {
                    Self { core, caches }
                }
            }
        )*
    };
}

handles! {
    /// Use cases of remember, recall, correct, retire and forget, and what is derived from memories.
    Memories;
    /// Use cases of entities, their relations, and the links between memories.
    Graph;
    /// Use cases of tables and their rows.
    Tables;
    /// Use cases of the profile of the owner.
    Profile;
    /// Use cases of sessions and their episodes.
    Sessions;
    /// Use cases of handoffs between agents.
    Handoffs;
    /// Use cases of long documents, searched on request.
    References;
    /// Use cases of decisions that wait for somebody, and flags.
    Reviews;
    /// Use cases of workspaces of several memories.
    Workspaces;
}

//! One handle for each area of a memory. A handle is one or two references, made for one call.

use crate::entities::EntityCardCache;
use crate::references::ReferenceIndexes;
use crate::tables::SandboxPool;
use engine_core::Core;
use model::OwnerId;

/// Caches of the use cases, one set for each engine.
#[derive(Default)]
pub struct Caches {
    pub(crate) references: ReferenceIndexes,
    pub(crate) cards: EntityCardCache,
    pub(crate) copies: SandboxPool,
}

impl Caches {
    /// Drops the copies of an owner's tables, after everything was erased.
    pub fn drop_tables_of(&self, owner: &OwnerId) {
        self.copies.drop_all_of(owner);
    }
}

/// Declares handles that need the core alone, and handles that need the caches too.
macro_rules! handles {
    (core: $($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub struct $name<'e> {
                pub(crate) core: &'e Core,
            }

            impl<'e> $name<'e> {
                /// Makes the handle over an engine's core.
                #[must_use]
                pub fn new(core: &'e Core) -> Self {
                    Self { core }
                }
            }
        )*
    };
    (core and caches: $($(#[$doc:meta])* $name:ident;)*) => {
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

handles! { core and caches:
    /// Remember, recall, correct, retire and forget, and what is derived from memories.
    Memories;
    /// Entities, their relations, and the links between memories.
    Graph;
    /// Tables and their rows.
    Tables;
    /// Long documents, searched on request.
    References;
}

handles! { core:
    /// The profile of the owner.
    Profile;
    /// Sessions and their episodes.
    Sessions;
    /// Handoffs between agents.
    Handoffs;
    /// Review items and flags.
    Reviews;
    /// Workspaces of several memories.
    Workspaces;
}

//! Administration of a memory: activity, the audit log, backups, grants, credentials, maintenance
//! and the switches of dialects. Almost all of it is the owner's alone. Knows no transport and no
//! SQL.

pub mod activity;
pub mod audit;
pub mod backups;
mod clock_check;
pub mod credentials;
pub mod dialect_switch;
pub mod grants;
pub mod jobs;
pub mod maintenance;
pub mod people;
pub mod reembed;

use dialect_switch::DialectSwitches;
use engine_core::Core;
use engine_memory::Caches;

/// State of administration, one for each engine.
#[derive(Default)]
pub struct AdminState {
    pub(crate) switches: DialectSwitches,
}

/// Use cases of administration.
#[derive(Clone, Copy)]
pub struct Admin<'e> {
    core: &'e Core,
    caches: &'e Caches,
    state: &'e AdminState,
}

impl<'e> Admin<'e> {
    /// Makes the handle over an engine's core, caches and state.
    #[must_use]
    pub fn new(core: &'e Core, caches: &'e Caches, state: &'e AdminState) -> Self {
        Self { core, caches, state }
    }
}

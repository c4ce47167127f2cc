//! File formats: what other programs wrote, read in; what is remembered here, written out. A file
//! is bytes from strangers: whatever is in it, the answer is its content or an error, within bounds
//! that are known beforehand. Knows the engine's use cases, and neither a store nor a command line.

pub mod amem;
mod epitome;
mod export;
mod import;
pub mod intake;
pub mod jsonl;
pub mod transfer;

pub use epitome::{EpitomeError, EpitomeExport, import_epitome};
pub use export::export_amem;
pub use import::{Imported, Step, import_amem};
pub use jsonl::{JsonlError, export_jsonl, import_jsonl};

use engine::Engine;
use engine_core::Core;

/// Use cases of import and export.
#[derive(Clone, Copy)]
pub struct Transfer<'e> {
    core: &'e Core,
}

impl<'e> Transfer<'e> {
    /// Makes the handle over an engine.
    #[must_use]
    pub fn of(engine: &'e Engine) -> Self {
        Self { core: engine.core() }
    }
}

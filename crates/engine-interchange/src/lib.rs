//! Import and export: Quipu's own JSON Lines format, `.amem` graphs and Epitome documents.
//! A file is untrusted input: parsing it yields its content or an error, with bounded memory.
//! The crate knows the use cases of the engine, but neither a store nor a command line.

pub mod amem;
mod amem_export;
mod amem_import;
mod epitome;
mod forgotten_texts;
pub mod intake;
pub mod jsonl;
pub mod transfer;

pub use amem_export::export_amem;
pub use amem_import::{AmemImportOutcome, TransferProgress, import_amem};
pub use epitome::{EpitomeError, EpitomeExport, import_epitome};
pub use forgotten_texts::{ForgottenTexts, describe_forgotten};
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

//! Import and export: Quipu's own JSON Lines format, `.amem` graphs, Epitome documents, vaults of
//! The Librarian and tables of code-memory.
//! A file is untrusted input: parsing it yields its content or an error, with bounded memory.
//! The crate knows the use cases of the engine, but neither a store nor a command line.

pub mod amem;
mod amem_export;
mod amem_import;
mod codememory;
mod epitome;
mod foreign_items;
mod foreign_memory;
mod forgotten_texts;
pub mod intake;
pub mod jsonl;
mod librarian;
pub mod transfer;

pub use amem_export::export_amem;
pub use amem_import::{AmemImportOutcome, TransferProgress, import_amem};
pub use codememory::{CodeMemoryTables, import_code_memory};
pub use epitome::{EpitomeError, EpitomeExport, import_epitome};
pub use forgotten_texts::{ForgottenTexts, describe_forgotten};
pub use jsonl::{JsonlError, export_jsonl, import_jsonl};
pub use librarian::{LibrarianVault, VaultFile, confidence_in_words, import_vault};

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

#[cfg(test)]
mod fuzz_tests;

//! Import and export: Quipu's own JSON Lines format, `.amem` graphs, vaults of Markdown notes, and
//! the formats of other programs.
//! A file is untrusted input: parsing it yields its content or an error, with bounded memory.
//! The crate knows the use cases of the engine, but neither a store nor a command line.

pub mod amem;
mod amem_export;
mod amem_import;
mod codememory;
mod epitome;
mod file_kind;
mod foreign;
mod foreign_memory;
mod forgotten_texts;
mod formats;
pub mod intake;
pub mod jsonl;
mod librarian;
pub mod transfer;
mod vault_export;
mod vault_page;

pub use amem_export::export_amem;
pub use amem_import::{AmemImportOutcome, TransferProgress, import_amem};
pub use codememory::CodeMemoryTables;
pub use epitome::{EpitomeError, EpitomeExport};
pub use file_kind::FileKind;
pub use foreign::{
    ForeignItems, ForeignMemory, ForeignOptions, ForeignSource, UnknownFormat, VaultFile,
    import_foreign,
};
pub use forgotten_texts::{ForgottenTexts, describe_forgotten};
pub use jsonl::{JsonlError, export_jsonl, import_jsonl};
pub use librarian::{LibrarianVault, confidence_in_words};
pub use vault_export::{VaultLayout, export_vault};

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

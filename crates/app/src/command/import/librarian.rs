//! Imports the vault of The Librarian.

use crate::command::reference::documents_below;
use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::setup::Setup;
use interchange::transfer::ImportOutcome;
use interchange::{ForgottenTexts, LibrarianVault, VaultFile, import_vault};
use model::limits;
use std::path::Path;

/// Imports the directory.
///
/// # Errors
/// Fails when it cannot be read, is not a vault, or the memory cannot be written.
pub(super) async fn import(
    directory: &Path,
    forgotten: ForgottenTexts,
    setup: &Setup,
) -> Result<ImportOutcome, Problem> {
    let vault = read(directory)?;
    let mut progress = Progress::new("importing", 0);
    let imported = setup.with_memory(async |memory| {
        let step =
            |step: interchange::TransferProgress| progress.set_done_of(step.done, step.total);
        let caller = memory.outside_projects().caller;
        Ok(import_vault(&memory.engine, &caller, &vault, forgotten, step).await?)
    });
    imported.await
}

/// Reads the Markdown files of the directories of a vault.
fn read(directory: &Path) -> Result<LibrarianVault, Problem> {
    let mut found = Vec::new();
    for name in LibrarianVault::DIRECTORIES {
        let below = directory.join(name);
        if !below.is_dir() {
            continue;
        }
        for document in documents_below(&below)? {
            let bytes = files::read_bounded(&document.file, limits::REFERENCE_BYTES as u64)
                .map_err(|error| Problem::file("reading", &document.file, &error))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            found.push(VaultFile { path: document.path, text });
        }
    }
    let vault = LibrarianVault::new(found);
    if vault.is_empty() {
        let advice = "Nothing was imported. A directory must be a vault of The Librarian, with \
                      memories/, handoffs/ or references/ in it.";
        return Err(Problem::usage(format!("{}: not a vault", directory.display()), advice));
    }
    Ok(vault)
}

//! Imports an export of Epitome.

use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::setup::Setup;
use interchange::transfer::ImportOutcome;
use interchange::{EpitomeExport, ForgottenTexts, import_epitome};
use model::limits;
use std::path::Path;

/// Imports the file.
///
/// # Errors
/// Fails when it cannot be read, is not an export of Epitome, or the memory cannot be written.
pub(super) async fn import(
    file: &Path,
    forgotten: ForgottenTexts,
    setup: &Setup,
) -> Result<ImportOutcome, Problem> {
    let document = read(file)?;
    let mut progress = Progress::new("importing", 0);
    let imported = setup.with_memory(async |memory| {
        let step =
            |step: interchange::TransferProgress| progress.set_done_of(step.done, step.total);
        let caller = memory.outside_projects().caller;
        Ok(import_epitome(&memory.engine, &caller, &document, forgotten, step).await?)
    });
    imported.await
}

fn read(file: &Path) -> Result<EpitomeExport, Problem> {
    let bytes = files::read_bounded(file, limits::IMPORT_BYTES as u64)
        .map_err(|error| Problem::file("reading", file, &error))?;
    EpitomeExport::read(&bytes).map_err(|error| {
        let advice = "Nothing was imported. `quipu import` accepts exports of Quipu and Epitome, \
                      .amem files of version 1, vaults of The Librarian, and files of code-memory.";
        Problem::usage(format!("{}: {error}", file.display()), advice)
    })
}

//! Imports the SQLite file of code-memory.

use crate::exit::Problem;
use crate::progress::Progress;
use crate::setup::Setup;
use interchange::transfer::ImportOutcome;
use interchange::{CodeMemoryTables, ForgottenTexts, import_code_memory};
use model::limits;
use std::path::Path;

/// Imports the file.
///
/// # Errors
/// Fails when it cannot be read, is not a file of code-memory, or the memory cannot be written.
pub(super) async fn import(
    file: &Path,
    forgotten: ForgottenTexts,
    setup: &Setup,
) -> Result<ImportOutcome, Problem> {
    let tables = read(file)?;
    let mut progress = Progress::new("importing", 0);
    let imported = setup.with_memory(async |memory| {
        let step =
            |step: interchange::TransferProgress| progress.set_done_of(step.done, step.total);
        let caller = memory.outside_projects().caller;
        Ok(import_code_memory(&memory.engine, &caller, &tables, forgotten, step).await?)
    });
    imported.await
}

fn read(file: &Path) -> Result<CodeMemoryTables, Problem> {
    let problem = |why: String| {
        let advice = "Nothing was imported. A SQLite file must be one of code-memory; Quipu's own \
                      memory is moved with `quipu export` or `quipu backup`.";
        Problem::usage(format!("{}: {why}", file.display()), advice)
    };
    let tables =
        store_sqlite::read_foreign_tables(file, &CodeMemoryTables::NAMES, limits::IMPORT_BYTES)
            .map_err(|error| problem(error.to_string()))?;
    let tables = CodeMemoryTables::new(tables);
    tables.ok_or_else(|| problem("it has no table of code-memory".to_owned()))
}

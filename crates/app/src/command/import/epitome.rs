//! Imports an export of Epitome.

use super::jsonl;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::setup::Setup;
use crate::text_page::TextPage;
use interchange::{EpitomeExport, import_epitome};
use model::limits;
use std::path::Path;

/// Imports the file.
///
/// # Errors
/// Fails when it cannot be read, is not an export of Epitome, or the memory cannot be written.
pub async fn import(file: &Path, setup: &Setup) -> Result<CommandOutput, Problem> {
    let document = read(file)?;
    let mut progress = Progress::new("importing", 0);
    let imported = setup.with_memory(async |memory| {
        let step =
            |step: interchange::TransferProgress| progress.set_done_of(step.done, step.total);
        Ok(import_epitome(&memory.engine, &memory.outside_projects().caller, &document, step)
            .await?)
    });
    let imported = imported.await?;
    drop(progress);
    let mut page = TextPage::new(setup.terminal);
    jsonl::render(&imported, &mut page);
    Ok(CommandOutput::new(jsonl::to_json(&imported), page))
}

fn read(file: &Path) -> Result<EpitomeExport, Problem> {
    let bytes = files::read_bounded(file, limits::IMPORT_BYTES as u64)
        .map_err(|error| Problem::file("reading", file, &error))?;
    EpitomeExport::read(&bytes).map_err(|error| {
        let advice = "Nothing was imported. `quipu import` accepts exports of Quipu and Epitome, \
                      and .amem files of version 1.";
        Problem::usage(format!("{}: {error}", file.display()), advice)
    })
}

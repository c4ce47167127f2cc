//! Exports everything as JSON Lines, into a temporary file that is renamed once it is complete.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files::PendingFile;
use crate::progress::Progress;
use crate::render::human_size;
use crate::setup::Setup;
use crate::text_page::TextPage;
use interchange::{JsonlError, export_jsonl};
use serde_json::json;
use std::io::BufWriter;
use std::path::Path;

/// Writes the file.
///
/// # Errors
/// Fails when it exists or cannot be written, or the memory cannot be read.
pub async fn export(file: &Path, setup: &Setup) -> Result<CommandOutput, Problem> {
    if file.exists() {
        return Err(super::already_exists(file));
    }
    let mut new = PendingFile::create_beside(file)?;
    let mut progress = Progress::new("exporting", 0);
    let exported = setup.with_memory(async |memory| {
        let step =
            |step: interchange::TransferProgress| progress.set_done_of(step.done, step.total);
        let mut out = BufWriter::new(new.writer());
        let written = export_jsonl(&memory.engine, &memory.caller, &mut out, step).await;
        written.map_err(|error| export_problem(file, error))
    });
    let exported = exported.await?;
    drop(progress);
    let Some(bytes) = new.persist()? else { return Err(super::already_exists(file)) };
    let counts: Vec<String> =
        exported.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("Exported {}, {}:", counts.join(", "), human_size(bytes)));
    page.add_text(&file.display().to_string());
    let output = json!({
        "file": file.display().to_string(), "format": "jsonl", "written": exported, "bytes": bytes,
    });
    Ok(CommandOutput::new(output, page))
}

fn export_problem(file: &Path, error: JsonlError) -> Problem {
    match error {
        JsonlError::Engine(failure) => failure.into(),
        JsonlError::File(error) => Problem::file("writing", file, &error),
        other => Problem::usage(other.to_string(), "Nothing was exported."),
    }
}

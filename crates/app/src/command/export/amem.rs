//! Exports an .amem file for AgenticMemory.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::render::human_size;
use crate::setup::Setup;
use crate::text_page::TextPage;
use interchange::{TransferProgress, amem, export_amem};
use serde_json::json;
use std::path::Path;

/// Writes the file.
///
/// # Errors
/// Fails when it exists or cannot be written, or the memory cannot be read.
pub async fn export(file: &Path, setup: &Setup) -> Result<CommandOutput, Problem> {
    let mut progress = Progress::new("exporting", 0);
    let graph = setup.with_memory(async |memory| {
        let step = |step: TransferProgress| progress.set_done_of(step.done, step.total);
        Ok(export_amem(&memory.engine, &memory.caller, step).await?)
    });
    let graph = graph.await?;
    drop(progress);
    let bytes = amem::write(&graph);
    if !files::write_new(file, &bytes)? {
        return Err(super::already_exists(file));
    }
    let (memories, links) = (graph.nodes.len(), graph.edges.len());
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!(
        "Exported {memories} memories and {links} links, {}:",
        human_size(bytes.len() as u64)
    ));
    page.add_text(&file.display().to_string());
    let output = json!({
        "file": file.display().to_string(),
        "format": "amem",
        "memories": memories,
        "links": links,
        "bytes": bytes.len(),
    });
    Ok(CommandOutput::new(output, page))
}

//! Exports an .amem file for AgenticMemory.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::files;
use crate::page::Page;
use crate::progress::Progress;
use crate::setup::Setup;
use crate::shown::size;
use interchange::{Step, amem, export_amem};
use serde_json::json;
use std::path::Path;

/// Writes the file.
///
/// # Errors
/// When it exists or cannot be written, or the memory cannot be read.
pub async fn export(file: &Path, setup: &Setup) -> Result<Answer, Problem> {
    let mut progress = Progress::new("exporting", 0);
    let graph = setup.with_memory(async |memory| {
        let step = |step: Step| progress.reach_of(step.done, step.total);
        Ok(export_amem(&memory.engine, &memory.caller, step).await?)
    });
    let graph = graph.await?;
    drop(progress);
    let bytes = amem::write(&graph);
    if !files::put_new(file, &bytes)? {
        return Err(super::exists(file));
    }
    let (memories, links) = (graph.nodes.len(), graph.edges.len());
    let mut page = Page::new(setup.screen);
    page.say(&format!(
        "Exported {memories} memories and {links} links, {}:",
        size(bytes.len() as u64)
    ));
    page.say(&file.display().to_string());
    let output = json!({
        "file": file.display().to_string(),
        "format": "amem",
        "memories": memories,
        "links": links,
        "bytes": bytes.len(),
    });
    Ok(Answer::new(output, page))
}

//! Imports an .amem file of AgenticMemory.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::progress::Progress;
use crate::setup::Setup;
use crate::text_page::TextPage;
use interchange::amem::AmemGraph;
use interchange::{AmemImportOutcome, ForgottenTexts, amem, import_amem};
use model::limits;
use serde_json::{Value, json};
use std::path::Path;

/// Imports the file.
///
/// # Errors
/// Fails when it cannot be read, is not an .amem file, or the memory cannot be written.
pub(super) async fn import(
    file: &Path,
    forgotten: ForgottenTexts,
    setup: &Setup,
) -> Result<AmemImportOutcome, Problem> {
    let graph = read(file)?;
    let mut progress = Progress::new("importing", graph.nodes.len() + graph.edges.len());
    let imported = setup.with_memory(async |memory| {
        let step = |step: interchange::TransferProgress| progress.set_done(step.done);
        let caller = memory.outside_projects().caller;
        Ok(import_amem(&memory.engine, &caller, &graph, forgotten, step).await?)
    });
    imported.await
}

fn read(file: &Path) -> Result<AmemGraph, Problem> {
    let bytes = files::read_bounded(file, limits::IMPORT_BYTES as u64)
        .map_err(|error| Problem::file("reading", file, &error))?;
    amem::read(&bytes).map_err(|error| {
        let advice = format!("Nothing was imported. {}", super::foreign::KNOWN);
        Problem::usage(format!("{}: {error}", file.display()), advice)
    })
}

/// Counts what the file has.
///
/// # Errors
/// Fails when it cannot be read, or is not an .amem file.
pub(super) fn count(file: &Path, setup: &Setup) -> Result<CommandOutput, Problem> {
    let graph = read(file)?;
    let (memories, links) = (graph.nodes.len(), graph.edges.len());
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!(
        "The file has {memories} memories and {links} links; those that exist already are not \
         added again."
    ));
    let output = json!({ "dry_run": true, "memories": memories, "links": links });
    Ok(CommandOutput::new(output, page))
}

/// Renders the result of an import.
pub(super) fn render(imported: &AmemImportOutcome, page: &mut TextPage) {
    let AmemImportOutcome { added, existing, forgotten: _, links, sessions, skipped, changed } =
        imported;
    page.add_text(&format!("Imported {added} memories, {links} links, {sessions} sessions."));
    if *existing > 0 {
        page.add_text(&format!("{existing} already existed."));
    }
    let node = |(number, why): &(u64, String)| format!("node {number}: {why}");
    super::render_items(page, "skipped", skipped, node);
    super::render_items(page, "changed during the import", changed, node);
}

/// Converts the result of an import to JSON.
pub(super) fn to_json(imported: &AmemImportOutcome) -> Value {
    let skipped = imported.skipped.iter().map(|(node, why)| json!({ "node": node, "why": why }));
    let changed = imported.changed.iter().map(|(node, what)| json!({ "node": node, "what": what }));
    json!({
        "added": imported.added,
        "known": imported.existing,
        "forgotten": imported.forgotten,
        "links": imported.links,
        "sessions": imported.sessions,
        "passed_over": skipped.collect::<Vec<_>>(),
        "changed": changed.collect::<Vec<_>>(),
    })
}

//! Imports an .amem file of AgenticMemory.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::files;
use crate::page::Page;
use crate::progress::Progress;
use crate::setup::Setup;
use interchange::amem::Graph;
use interchange::{Imported, amem, import_amem};
use model::limits;
use serde_json::{Value, json};
use std::path::Path;

/// Imports the file.
///
/// # Errors
/// When it cannot be read, is not an .amem file, or the memory cannot be written.
pub async fn import(file: &Path, setup: &Setup) -> Result<Answer, Problem> {
    let graph = read(file)?;
    let mut progress = Progress::new("importing", graph.nodes.len() + graph.edges.len());
    let imported = setup.with_memory(async |memory| {
        let step = |step: interchange::Step| progress.reach(step.done);
        Ok(import_amem(&memory.engine, &memory.outside_projects().caller, &graph, step).await?)
    });
    let imported = imported.await?;
    drop(progress);
    let mut page = Page::new(setup.screen);
    write(&imported, &mut page);
    Ok(Answer::new(told(&imported), page))
}

fn read(file: &Path) -> Result<Graph, Problem> {
    let bytes = files::read_bounded(file, limits::IMPORT_BYTES as u64)
        .map_err(|error| Problem::file("reading", file, &error))?;
    amem::read(&bytes).map_err(|error| {
        let advice = "Nothing was imported. `quipu import` accepts exports of Quipu and Epitome, \
                      and .amem files of version 1.";
        Problem::usage(format!("{}: {error}", file.display()), advice)
    })
}

fn write(imported: &Imported, page: &mut Page) {
    let Imported { added, known, links, sessions, passed_over, changed } = imported;
    page.say(&format!("Imported {added} memories, {links} links, {sessions} sessions."));
    if *known > 0 {
        page.say(&format!("{known} already existed."));
    }
    let node = |(number, why): &(u64, String)| format!("node {number}: {why}");
    super::named(page, "skipped", passed_over, node);
    super::named(page, "changed during the import", changed, node);
}

fn told(imported: &Imported) -> Value {
    let passed_over =
        imported.passed_over.iter().map(|(node, why)| json!({ "node": node, "why": why }));
    let changed = imported.changed.iter().map(|(node, what)| json!({ "node": node, "what": what }));
    json!({
        "added": imported.added,
        "known": imported.known,
        "links": imported.links,
        "sessions": imported.sessions,
        "passed_over": passed_over.collect::<Vec<_>>(),
        "changed": changed.collect::<Vec<_>>(),
    })
}

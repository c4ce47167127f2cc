//! Imports a JSON Lines export of Quipu.

use crate::exit::Problem;
use crate::progress::Progress;
use crate::render::count_with_noun;
use crate::setup::Setup;
use crate::text_page::TextPage;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{JsonlError, import_jsonl};
use serde_json::{Value, json};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Imports the file, line by line.
///
/// # Errors
/// Fails when it cannot be read, is not an export of Quipu, or the memory cannot be written.
pub(super) async fn import(
    file: &Path,
    options: ImportOptions,
    setup: &Setup,
) -> Result<ImportOutcome, Problem> {
    let problem = |error: std::io::Error| Problem::file("reading", file, &error);
    let opened = File::open(file).map_err(problem)?;
    let bytes = opened.metadata().map_err(problem)?.len();
    let mut progress =
        Progress::of_bytes("importing", usize::try_from(bytes).unwrap_or(usize::MAX));
    let imported = setup.with_memory(async |memory| {
        let report_progress =
            |done: u64| progress.set_done(usize::try_from(done).unwrap_or(usize::MAX));
        let caller = memory.outside_projects().caller;
        let read =
            import_jsonl(&memory.engine, &caller, BufReader::new(opened), options, report_progress)
                .await;
        let outcome = read.map_err(|error| import_problem(file, error))?;
        super::load_view(memory, &outcome).await;
        Ok(outcome)
    });
    imported.await
}

fn import_problem(file: &Path, error: JsonlError) -> Problem {
    match error {
        JsonlError::Engine(failure) => failure.into(),
        JsonlError::File(error) => Problem::file("reading", file, &error),
        JsonlError::Line { .. } => {
            let advice =
                "The lines before it were imported; correct this line and import the file again.";
            Problem::usage(format!("{}: {error}", file.display()), advice)
        }
        JsonlError::NotAnExport | JsonlError::UnsupportedVersion(_) => {
            let advice = format!("Nothing was imported. {}", super::foreign::KNOWN);
            Problem::usage(format!("{}: {error}", file.display()), advice)
        }
    }
}

/// Renders the result of an import.
pub(super) fn render(imported: &ImportOutcome, program: &str, dry_run: bool, page: &mut TextPage) {
    let counts: Vec<String> =
        imported.added.iter().map(|(kind, count)| count_of_kind(*count, kind)).collect();
    let done = if dry_run { "Would import" } else { "Imported" };
    page.add_text(&format!(
        "{done} from {program}: {}.",
        if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
    ));
    if imported.existing > 0 {
        page.add_text(&format!("{} already existed.", imported.existing));
    }
    let one = |(what, why): &(String, String)| format!("{what}: {why}");
    super::render_items(page, "skipped", &imported.skipped, one);
    super::render_items(page, "changed during the import", &imported.changed, one);
}

/// Returns a number of items with the noun of their kind.
fn count_of_kind(count: usize, kind: &str) -> String {
    let (one, many) = ImportOutcome::nouns(kind);
    count_with_noun(count, &one, &many)
}

/// Converts the result of an import to JSON.
pub(super) fn to_json(imported: &ImportOutcome) -> Value {
    let skipped = imported.skipped.iter().map(|(what, why)| json!({ "what": what, "why": why }));
    let changed = imported.changed.iter().map(|(of, what)| json!({ "of": of, "what": what }));
    json!({
        "added": imported.added,
        "known": imported.existing,
        "forgotten": imported.forgotten,
        "passed_over": skipped.collect::<Vec<_>>(),
        "changed": changed.collect::<Vec<_>>(),
    })
}

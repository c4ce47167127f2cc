//! Exports everything as JSON Lines, into a temporary file that is renamed once it is complete.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::files::NewFile;
use crate::page::Page;
use crate::progress::Progress;
use crate::setup::Setup;
use crate::shown::size;
use interchange::{JsonlError, export_jsonl};
use serde_json::json;
use std::io::BufWriter;
use std::path::Path;

/// Writes the file.
///
/// # Errors
/// When it exists or cannot be written, or the memory cannot be read.
pub async fn export(file: &Path, setup: &Setup) -> Result<Answer, Problem> {
    if file.exists() {
        return Err(super::exists(file));
    }
    let mut new = NewFile::beside(file)?;
    let mut progress = Progress::new("exporting", 0);
    let exported = setup.with_memory(async |memory| {
        let step = |step: interchange::Step| progress.reach_of(step.done, step.total);
        let mut out = BufWriter::new(new.writer());
        let written = export_jsonl(&memory.engine, &memory.caller, &mut out, step).await;
        written.map_err(|error| failed(file, error))
    });
    let exported = exported.await?;
    drop(progress);
    let Some(bytes) = new.put_in_place()? else { return Err(super::exists(file)) };
    let counts: Vec<String> =
        exported.iter().map(|(sort, count)| format!("{sort} {count}")).collect();
    let mut page = Page::new(setup.screen);
    page.say(&format!("Exported {}, {}:", counts.join(", "), size(bytes)));
    page.say(&file.display().to_string());
    let output = json!({
        "file": file.display().to_string(), "format": "jsonl", "written": exported, "bytes": bytes,
    });
    Ok(Answer::new(output, page))
}

fn failed(file: &Path, error: JsonlError) -> Problem {
    match error {
        JsonlError::Memory(failure) => failure.into(),
        JsonlError::File(error) => Problem::file("writing", file, &error),
        other => Problem::usage(other.to_string(), "Nothing was exported."),
    }
}

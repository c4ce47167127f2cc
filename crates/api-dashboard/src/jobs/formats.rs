//! Import and export as jobs: the file formats, the progress and the result.

use super::JobState;
use crate::pages::{counted, format_size, words};
use engine::jobs::ExportedFile;
use engine::{Caller, Engine};
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{
    FileKind, ForeignOptions, ForeignSource, ForgottenTexts, TransferProgress, amem,
    describe_forgotten, export_amem, export_jsonl, import_amem, import_foreign, import_jsonl,
};
use std::io::{Cursor, Error, Result as Written, Write};

/// Maximum size of an export for the browser in bytes; larger ones need the command line.
const EXPORT_BYTES: usize = 256 * 1024 * 1024;

/// File format of an import or export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    /// Everything, as JSON Lines.
    Jsonl,
    /// The format of AgenticMemory.
    Amem,
}

impl FileFormat {
    pub const ALL: [Self; 2] = [Self::Jsonl, Self::Amem];

    /// Returns the name, which is also the file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Amem => "amem",
        }
    }

    /// Returns the label for the dashboard.
    pub fn label(self) -> &'static str {
        match self {
            Self::Jsonl => "everything, as JSON Lines (.jsonl)",
            Self::Amem => "AgenticMemory (.amem)",
        }
    }

    /// Returns the format with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// A file to import, with its name.
pub(crate) struct ImportFile {
    pub name: String,
    pub bytes: Vec<u8>,
    pub forgotten: ForgottenTexts,
}

/// Imports a file. What was imported before a fault stays; importing the file again continues from
/// there.
pub(crate) async fn import_file(
    engine: &Engine,
    caller: &Caller,
    file: ImportFile,
    report: impl Fn(JobState) + Send,
) -> JobState {
    let result = match FileKind::detect(&file.name, &file.bytes) {
        _ if file.bytes.is_empty() => Err("the file is empty".to_owned()),
        FileKind::Quipu => read_jsonl(engine, caller, file, report).await,
        FileKind::Amem => read_amem(engine, caller, &file, report).await,
        FileKind::Text => read_foreign(engine, caller, file, report).await,
        FileKind::Sqlite => {
            Err("this is a database; import it with `quipu import FILE`".to_owned())
        }
        FileKind::Zip => {
            Err("this is a ZIP archive; unpack it and import the files in it".to_owned())
        }
    };
    let failed = |reason: String| JobState::Failed(words::sentence(&reason));
    result.map_or_else(failed, |message| JobState::Done(message, None))
}

async fn read_jsonl(
    engine: &Engine,
    caller: &Caller,
    file: ImportFile,
    report: impl Fn(JobState) + Send,
) -> Result<String, String> {
    let total = file.bytes.len();
    let report_progress =
        |done: u64| report(JobState::Reading(usize::try_from(done).unwrap_or(total), total));
    let options = ImportOptions { forgotten: file.forgotten, ..ImportOptions::default() };
    let bytes = Cursor::new(file.bytes);
    let imported = import_jsonl(engine, caller, bytes, options, report_progress).await;
    let imported =
        imported.map_err(|error| format!("the export of Quipu cannot be read: {error}"))?;
    Ok(outcome_text("", &imported))
}

/// Imports a list, or an export of another program.
async fn read_foreign(
    engine: &Engine,
    caller: &Caller,
    file: ImportFile,
    report: impl Fn(JobState) + Send,
) -> Result<String, String> {
    let ImportFile { name, bytes, forgotten } = file;
    let text = String::from_utf8(bytes)
        .map_err(|_| format!("the file {name} is neither text nor a file of a known program"))?;
    let source = ForeignSource::File { name: name.clone(), text };
    let content = source.recognize().map_err(|error| {
        format!(
            "the file {name} cannot be imported: {error}. `quipu import --help` lists all formats"
        )
    })?;
    let step = |step: TransferProgress| report(JobState::Running(step.done, step.total));
    let options = ForeignOptions { forgotten, dry_run: false };
    let imported = import_foreign(engine, caller, &*content, options, step)
        .await
        .map_err(|failure| failure.message)?;
    Ok(outcome_text(content.program(), &imported))
}

/// Returns what was imported, in a sentence.
fn outcome_text(program: &str, imported: &ImportOutcome) -> String {
    let added: Vec<String> =
        imported.added.iter().map(|(kind, count)| counted_kind(kind, *count)).collect();
    let added = if added.is_empty() { "nothing new".to_owned() } else { added.join(", ") };
    let from = if program.is_empty() { String::new() } else { format!(" from {program}") };
    let mut said = format!("Imported{from}: {added}");
    if imported.existing > 0 {
        said = format!("{said}; {} already existed", imported.existing);
    }
    if let Some((item, reason)) = imported.skipped.first() {
        let skipped = counted(imported.skipped.len(), "was skipped", "were skipped");
        said = format!("{said}; {skipped}, such as {item}: {reason}");
    }
    with_forgotten(said, imported.forgotten)
}

/// Formats a count of a kind of items.
fn counted_kind(kind: &str, count: usize) -> String {
    let (one, many) = ImportOutcome::nouns(kind);
    counted(count, &one, &many)
}

/// Adds the number of forgotten texts, and how to import them.
fn with_forgotten(said: String, forgotten: usize) -> String {
    match describe_forgotten(forgotten) {
        None => said,
        Some(left_out) => {
            format!("{said}. {left_out}; import the file again and choose to include them")
        }
    }
}

async fn read_amem(
    engine: &Engine,
    caller: &Caller,
    file: &ImportFile,
    report: impl Fn(JobState) + Send,
) -> Result<String, String> {
    let graph = amem::read(&file.bytes)
        .map_err(|error| format!("the .amem file cannot be read: {error}"))?;
    let step = |step: TransferProgress| report(JobState::Running(step.done, step.total));
    let imported = import_amem(engine, caller, &graph, file.forgotten, step)
        .await
        .map_err(|failure| failure.message)?;
    let said = format!(
        "Imported: {}, {}, {}; {} already existed, {} skipped",
        counted(imported.added, "memory", "memories"),
        counted(imported.links, "link", "links"),
        counted(imported.sessions, "session", "sessions"),
        imported.existing,
        imported.skipped.len()
    );
    Ok(with_forgotten(said, imported.forgotten))
}

/// Returns the result of an export in a sentence.
pub(crate) fn describe_export(file: &ExportedFile) -> String {
    format!("Exported {}: {}", format_size(file.bytes.len() as u64), file.name)
}

/// Exports the memory into a file.
pub(crate) async fn export_file(
    engine: &Engine,
    caller: &Caller,
    format: FileFormat,
    report: impl Fn(JobState) + Send,
) -> Result<ExportedFile, String> {
    // Before anything is read: what is forgotten from now on may be in the file.
    let erased = engine.admin().newest_erasure(caller).await.map_err(|failure| failure.message)?;
    let written = match format {
        FileFormat::Jsonl => write_jsonl(engine, caller, report).await,
        FileFormat::Amem => {
            let step = |step: TransferProgress| report(JobState::Running(step.done, step.total));
            export_amem(engine, caller, step)
                .await
                .map(|graph| amem::write(&graph))
                .map_err(|failure| failure.message)
        }
    };
    let name = format!("quipu-{}-{}.{}", caller.owner, engine.now().date(), format.name());
    written.map(|bytes| ExportedFile { name, bytes, erased })
}

async fn write_jsonl(
    engine: &Engine,
    caller: &Caller,
    report: impl Fn(JobState) + Send,
) -> Result<Vec<u8>, String> {
    let mut out = BoundedBuffer(Vec::new());
    let step = |step: TransferProgress| report(JobState::Running(step.done, step.total));
    export_jsonl(engine, caller, &mut out, step).await.map_err(|error| error.to_string())?;
    Ok(out.0)
}

/// In-memory file with a maximum size.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> Written<usize> {
        // The whole file is held in memory until it is stored.
        if self.0.len() + bytes.len() > EXPORT_BYTES {
            return Err(Error::other("the file is too large for a browser; use `quipu export`"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Written<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_with_the_right_noun() {
        assert_eq!(counted_kind("memory", 2), "2 memories");
        assert_eq!(counted_kind("memories", 1), "1 memory");
        assert_eq!(counted_kind("profile_version", 3), "3 profile versions");
    }
}

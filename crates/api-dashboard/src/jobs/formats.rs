//! Import and export as jobs: the file formats, the progress and the result.

use super::JobState;
use axum::body::Bytes;
use engine::{Caller, Engine};
use interchange::transfer::ImportOptions;
use interchange::{
    ForgottenTexts, TransferProgress, amem, describe_forgotten, export_amem, export_jsonl,
    import_amem, import_jsonl,
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

    /// Detects the format of a file. Our own export is text that begins with a JSON object.
    fn detect(file: &[u8]) -> Self {
        if file.first() == Some(&b'{') { Self::Jsonl } else { Self::Amem }
    }
}

/// Imports a file. What was imported before a fault stays; importing the file again continues from
/// there.
pub(crate) async fn import_file(
    engine: &Engine,
    caller: &Caller,
    file: Vec<u8>,
    forgotten: ForgottenTexts,
    report: impl Fn(usize, usize) + Send,
) -> JobState {
    let result = match FileFormat::detect(&file) {
        FileFormat::Jsonl => read_jsonl(engine, caller, file, forgotten, report).await,
        FileFormat::Amem => read_amem(engine, caller, &file, forgotten, report).await,
    };
    result.map_or_else(JobState::Failed, |message| JobState::Done(message, None))
}

async fn read_jsonl(
    engine: &Engine,
    caller: &Caller,
    file: Vec<u8>,
    forgotten: ForgottenTexts,
    report: impl Fn(usize, usize) + Send,
) -> Result<String, String> {
    let total = file.len();
    let report_progress = |done: u64| report(usize::try_from(done).unwrap_or(total), total);
    let options = ImportOptions { forgotten, ..ImportOptions::default() };
    let imported = import_jsonl(engine, caller, Cursor::new(file), options, report_progress).await;
    let imported = imported.map_err(|error| format!("the file cannot be read: {error}"))?;
    let added: Vec<String> =
        imported.added.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let added = if added.is_empty() { "nothing".to_owned() } else { added.join(", ") };
    let (existing, skipped) = (imported.existing, imported.skipped.len());
    let said = format!("Imported: {added}; {existing} already existed, {skipped} were skipped");
    Ok(with_forgotten(said, imported.forgotten))
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
    file: &[u8],
    forgotten: ForgottenTexts,
    report: impl Fn(usize, usize) + Send,
) -> Result<String, String> {
    let graph = amem::read(file).map_err(|error| format!("the file cannot be read: {error}"))?;
    let step = |step: TransferProgress| report(step.done, step.total);
    let imported = import_amem(engine, caller, &graph, forgotten, step)
        .await
        .map_err(|failure| failure.message)?;
    let said = format!(
        "Imported: {} memories, {} links, {} sessions; {} already existed, {} were skipped",
        imported.added,
        imported.links,
        imported.sessions,
        imported.existing,
        imported.skipped.len()
    );
    Ok(with_forgotten(said, imported.forgotten))
}

/// Exports the memory into a file.
pub(crate) async fn export_file(
    engine: &Engine,
    caller: &Caller,
    format: FileFormat,
    report: impl Fn(usize, usize) + Send,
) -> JobState {
    let written = match format {
        FileFormat::Jsonl => write_jsonl(engine, caller, report).await,
        FileFormat::Amem => {
            export_amem(engine, caller, |step: TransferProgress| report(step.done, step.total))
                .await
                .map(|graph| amem::write(&graph))
                .map_err(|failure| failure.message)
        }
    };
    let name = format!("quipu-{}-{}.{}", caller.owner, engine.now().date(), format.name());
    written.map_or_else(JobState::Failed, |bytes| {
        JobState::Done(format!("{name}, {} bytes", bytes.len()), Some((name, Bytes::from(bytes))))
    })
}

async fn write_jsonl(
    engine: &Engine,
    caller: &Caller,
    report: impl Fn(usize, usize) + Send,
) -> Result<Vec<u8>, String> {
    let mut out = BoundedBuffer(Vec::new());
    let step = |step: TransferProgress| report(step.done, step.total);
    export_jsonl(engine, caller, &mut out, step).await.map_err(|error| error.to_string())?;
    Ok(out.0)
}

/// In-memory file with a maximum size.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> Written<usize> {
        // The whole file is held in memory until the browser has downloaded it.
        if self.0.len() + bytes.len() > EXPORT_BYTES {
            return Err(Error::other("the file is too large for a browser; use `quipu export`"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Written<()> {
        Ok(())
    }
}

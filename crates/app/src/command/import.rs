//! `quipu import`: imports memories from an export of Quipu or of another program. The format is
//! detected from the first bytes of the file.

mod amem;
mod codememory;
mod epitome;
mod jsonl;
mod librarian;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::{prompt, stdin_is_terminal};
use crate::setup::Setup;
use crate::terminal::OutputFormat;
use crate::text_page::{INDENT, Style, TextPage};
use clap::Args;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{AmemImportOutcome, ForgottenTexts, describe_forgotten};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Number of skipped or changed items that are listed as text; `--json` lists all.
const LISTED_MAX: usize = 10;

const EXAMPLES: &str = "\
Examples:
  quipu import quipu-me-2026-05-03.jsonl
  quipu import --from-outside colleague.jsonl
  quipu import ~/.brain.amem
  quipu import epitome-export.json
  quipu import ~/.librarian/vault
  quipu import code_memory.db
  quipu import --include-forgotten quipu-me-2026-05-03.jsonl";

/// Import memories from Quipu or another memory server
///
/// Reads a JSON Lines export of Quipu, an export of Epitome, an .amem file of AgenticMemory, the
/// vault directory of The Librarian, or the SQLite file of code-memory.
/// Existing memories are not added again, so a file can be imported repeatedly. Items that contain
/// a secret are skipped and listed. Texts that you had forgotten are left out; on a terminal you
/// are asked once whether to import them too. An export of Quipu is restored completely,
/// keeping ids where they are free; an .amem file keeps texts, kinds, confidences, times, sessions
/// and links; an export of Epitome keeps the profile, rows, vector texts and the graph; a vault
/// keeps titles, authors, dates, flags, handoffs and references; a file of code-memory keeps
/// sessions, tags, priorities and the graph.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ImportArgs {
    /// File, or directory of a vault
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// Mark everything as imported, whatever source the file states; for files from somebody else
    #[arg(long)]
    from_outside: bool,
    /// Import texts that you had forgotten, too
    #[arg(long, conflicts_with = "skip_forgotten")]
    include_forgotten: bool,
    /// Leave out texts that you had forgotten, without asking
    #[arg(long)]
    skip_forgotten: bool,
}

impl ImportArgs {
    /// Imports the file.
    ///
    /// # Errors
    /// Fails when it cannot be read, has an unknown format, or the memory cannot be written.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        match detect_format(&self.file) {
            ImportFormat::Amem => self.import_amem(setup).await,
            format => self.import_items(setup, &format).await,
        }
    }

    async fn import_items(
        &self,
        setup: &Setup,
        format: &ImportFormat,
    ) -> Result<CommandOutput, Problem> {
        let run = async |forgotten| -> Result<ImportOutcome, Problem> {
            let options = ImportOptions { from_outside: self.from_outside, forgotten };
            match format {
                ImportFormat::Epitome => epitome::import(&self.file, forgotten, setup).await,
                ImportFormat::Vault => librarian::import(&self.file, forgotten, setup).await,
                ImportFormat::CodeMemory => codememory::import(&self.file, forgotten, setup).await,
                _ => jsonl::import(&self.file, options, setup).await,
            }
        };
        let mut imported = run(self.forgotten_texts()).await?;
        if self.wants_forgotten(setup, imported.forgotten)? {
            imported = imported.with_forgotten(run(ForgottenTexts::Include).await?);
        }
        let mut page = TextPage::new(setup.terminal);
        jsonl::render(&imported, &mut page);
        render_forgotten(&mut page, imported.forgotten);
        Ok(CommandOutput::new(jsonl::to_json(&imported), page))
    }

    async fn import_amem(&self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let run = async |forgotten| -> Result<AmemImportOutcome, Problem> {
            amem::import(&self.file, forgotten, setup).await
        };
        let mut imported = run(self.forgotten_texts()).await?;
        if self.wants_forgotten(setup, imported.forgotten)? {
            imported = imported.with_forgotten(run(ForgottenTexts::Include).await?);
        }
        let mut page = TextPage::new(setup.terminal);
        amem::render(&imported, &mut page);
        render_forgotten(&mut page, imported.forgotten);
        Ok(CommandOutput::new(amem::to_json(&imported), page))
    }

    fn forgotten_texts(&self) -> ForgottenTexts {
        if self.include_forgotten { ForgottenTexts::Include } else { ForgottenTexts::Skip }
    }

    /// Asks on a terminal, once for all, whether the forgotten texts are imported too. Nothing is
    /// lost by asking afterwards: importing the file again adds only these.
    fn wants_forgotten(&self, setup: &Setup, left_out: usize) -> Result<bool, Problem> {
        let decided = self.skip_forgotten || self.include_forgotten || left_out == 0;
        if decided || setup.terminal.format == OutputFormat::Json || !stdin_is_terminal() {
            return Ok(false);
        }
        let said = describe_forgotten(left_out).unwrap_or_default();
        let answer = prompt(&format!("{said}. Import them too? [y/N]"))?;
        Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }
}

/// Renders the number of forgotten texts that were left out, and the flag that imports them.
fn render_forgotten(page: &mut TextPage, left_out: usize) {
    if let Some(said) = describe_forgotten(left_out) {
        page.add_text(&format!("{said}; --include-forgotten imports them."));
    }
}

/// Renders the number of skipped or changed items, and lists the first of them.
fn render_items<T>(page: &mut TextPage, became: &str, all: &[T], name: impl Fn(&T) -> String) {
    if !all.is_empty() {
        page.add_text(&format!("{} {became}:", all.len()));
    }
    for one in all.iter().take(LISTED_MAX) {
        page.paragraph(INDENT, Style::Warn, &name(one));
    }
}

/// Format of a file to import.
enum ImportFormat {
    Quipu,
    Epitome,
    Amem,
    Vault,
    CodeMemory,
}

/// First bytes of every SQLite file.
const SQLITE_PREFIX: &[u8] = b"SQLite format 3\0";

/// Detects the format from the first bytes; errors show up when the file is read.
fn detect_format(file: &Path) -> ImportFormat {
    if file.is_dir() {
        return ImportFormat::Vault;
    }
    let beginning = read_prefix(file).unwrap_or_default();
    if beginning.starts_with(SQLITE_PREFIX) {
        return ImportFormat::CodeMemory;
    }
    let text = String::from_utf8_lossy(&beginning);
    // Quipu writes `type` as the first key of every line; Epitome's export is one JSON object.
    match text.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with("\"type\"") => ImportFormat::Quipu,
        Some(_) => ImportFormat::Epitome,
        None => ImportFormat::Amem,
    }
}

fn read_prefix(file: &Path) -> Option<Vec<u8>> {
    let is_file = std::fs::metadata(file).is_ok_and(|about| about.is_file());
    let mut bytes = Vec::new();
    is_file.then(|| {
        std::fs::File::open(file).and_then(|file| file.take(64).read_to_end(&mut bytes)).ok()
    })??;
    Some(bytes)
}

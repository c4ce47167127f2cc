//! `quipu import`: imports memories from an export of Quipu or of another program, or from a plain
//! list. The format is recognized by the content.

mod amem;
mod foreign;
mod jsonl;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::{prompt, stdin_is_terminal};
use crate::setup::{OpenMemory, Setup};
use crate::terminal::OutputFormat;
use crate::text_page::{INDENT, Style, TextPage};
use clap::Args;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{
    AmemImportOutcome, FileKind, ForeignOptions, ForgottenTexts, describe_forgotten,
};
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Number of skipped or changed items that are listed as text; `--json` lists all.
const LISTED_MAX: usize = 10;

const EXAMPLES: &str = "\
Examples:
  quipu import quipu-me-2026-05-03.jsonl
  quipu import --from-outside colleague.jsonl
  quipu import ~/CLAUDE.md --dry-run
  quipu import facts.csv
  quipu import ~/Documents/Obsidian
  quipu import ~/Downloads/claude-export
  quipu import ~/.claude-mem/claude-mem.db
  quipu import --include-forgotten quipu-me-2026-05-03.jsonl

Formats, recognized by their content:
  lists            .json, .jsonl, .csv, .tsv, .md (bullets and paragraphs), .txt (lines)
  exports of       Quipu, Claude, ChatGPT, mem0, Graphiti and Zep, mcp-memory-service, Engram,
                   claude-mem, Epitome, AgenticMemory (.amem), server-memory (.jsonl)
  SQLite files of  claude-mem, Engram, mcp-memory-service, code-memory, MemPalace
  directories      vaults of Obsidian and of The Librarian, projects of basic-memory, bundles of
                   the Open Knowledge Format, unpacked exports of Claude and ChatGPT";

/// Import memories from a list, a vault, Quipu or another memory
///
/// Existing memories are not added again, so a file can be imported repeatedly; --dry-run only
/// counts. Everything from another program is marked as imported: it never replaces what you typed.
/// Items that contain a secret are skipped and listed. Texts that you had forgotten are left out;
/// on a terminal you are asked once whether to import them too. An export of Quipu is restored
/// completely, keeping ids where they are free. Conversations become transcripts, which a recall
/// weighs below other memories.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ImportArgs {
    /// File, or directory of a vault or an unpacked export
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// Count what would be imported, without importing it
    #[arg(long)]
    dry_run: bool,
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
        match detect_kind(&self.file) {
            FileKind::Amem => self.import_amem(setup).await,
            FileKind::Quipu => {
                let run = async |forgotten| {
                    let ImportArgs { from_outside, dry_run, .. } = self;
                    let options = ImportOptions { from_outside, forgotten, dry_run };
                    jsonl::import(&self.file, options, setup).await
                };
                self.import_items(setup, "Quipu", run).await
            }
            FileKind::Sqlite | FileKind::Zip | FileKind::Text => {
                let content = foreign::read(&self.file)?;
                let run = async |forgotten| {
                    let options = ForeignOptions { forgotten, dry_run: self.dry_run };
                    foreign::import(&*content, options, setup).await
                };
                self.import_items(setup, content.program(), run).await
            }
        }
    }

    async fn import_items(
        &self,
        setup: &Setup,
        program: &str,
        run: impl AsyncFn(ForgottenTexts) -> Result<ImportOutcome, Problem>,
    ) -> Result<CommandOutput, Problem> {
        let mut imported = run(self.forgotten_texts()).await?;
        if self.wants_forgotten(setup, imported.forgotten)? {
            imported = imported.with_forgotten(run(ForgottenTexts::Include).await?);
        }
        let mut page = TextPage::new(setup.terminal);
        jsonl::render(&imported, program, self.dry_run, &mut page);
        render_forgotten(&mut page, imported.forgotten);
        let mut output = jsonl::to_json(&imported);
        if self.dry_run {
            output["dry_run"] = json!(true);
        }
        output["program"] = json!(program);
        Ok(CommandOutput::new(output, page))
    }

    async fn import_amem(&self, setup: &Setup) -> Result<CommandOutput, Problem> {
        if self.dry_run {
            return amem::count(&self.file, setup);
        }
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
        let decided = self.skip_forgotten || self.include_forgotten || self.dry_run;
        let is_asked = !decided && left_out > 0;
        if !is_asked || setup.terminal.format == OutputFormat::Json || !stdin_is_terminal() {
            return Ok(false);
        }
        let said = describe_forgotten(left_out).unwrap_or_default();
        let answer = prompt(&format!("{said}. Import them too? [y/N]"))?;
        Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }
}

/// Loads the search view after an import, whose snapshot is written when the command ends: the
/// first recall afterwards need not build it.
async fn load_view(memory: &OpenMemory, imported: &ImportOutcome) {
    if !imported.added.is_empty()
        && let Err(error) = memory.engine.core().view(&memory.caller.owner).await
    {
        tracing::warn!(%error, "the search view was not prepared");
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

/// Detects the kind of a file from its first bytes; errors show up when the file is read.
fn detect_kind(file: &Path) -> FileKind {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    FileKind::detect(&name, &read_prefix(file).unwrap_or_default())
}

fn read_prefix(file: &Path) -> Option<Vec<u8>> {
    let is_file = std::fs::metadata(file).is_ok_and(|about| about.is_file());
    let mut bytes = Vec::new();
    is_file.then(|| {
        std::fs::File::open(file).and_then(|file| file.take(64).read_to_end(&mut bytes)).ok()
    })??;
    Some(bytes)
}

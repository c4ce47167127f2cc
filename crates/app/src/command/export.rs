//! `quipu export`: writes the memory to a file, completely or in the format of another program.

mod amem;
mod jsonl;
mod vault;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::Setup;
use clap::{Args, ValueEnum};
use engine::{Clock, SystemClock};
use interchange::VaultLayout;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu export
  quipu export ~/everything.jsonl
  quipu export --format amem ~/brain.amem
  quipu export --format vault ~/Documents/Memory
  quipu export --format vault --per topic --watch ~/Documents/Memory";

/// Export the memory as JSON Lines, as a vault for Obsidian, or as AgenticMemory's .amem
///
/// JSON Lines contains everything: memories in every status, links, sessions, entities, tables, the
/// profile with its versions, handoffs, references and reviews; `quipu import` restores all of it.
/// Vectors are recomputed on import; grants, keys and the audit log are not exported. An .amem file
/// contains current and replaced memories with sessions, times and links. A vault is a directory of
/// Markdown notes with wikilinks: current memories and the entities they mention. Exporting to it
/// again, or --watch, keeps it in step; notes that you edited there are left alone and reported. To
/// copy the store itself, use `quipu backup`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ExportArgs {
    /// Format of the file
    #[arg(long, value_enum, default_value = "jsonl")]
    format: ExportFormat,
    /// Notes of a vault: one for each memory, or for each kind of memory in a project
    #[arg(long, value_enum, default_value = "memory")]
    per: VaultPer,
    /// Keep running, and keep the vault in step with the memory
    #[arg(long)]
    watch: bool,
    /// File to create, which must not exist; or directory of the vault [default: named by owner
    /// and date, in the current directory]
    #[arg(value_name = "FILE|DIR")]
    file: Option<PathBuf>,
}

/// Division of a vault into notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VaultPer {
    /// A note for each memory
    Memory,
    /// A note for each kind of memory in each project
    Topic,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Everything, as JSON Lines
    Jsonl,
    /// AgenticMemory, version 1
    Amem,
    /// Markdown notes with wikilinks, for Obsidian
    Vault,
}

impl ExportFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Amem => "amem",
            Self::Vault => "vault",
        }
    }
}

impl ExportArgs {
    /// Exports the memory.
    ///
    /// # Errors
    /// Fails when the file exists or cannot be written, or the memory cannot be read.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        if self.format != ExportFormat::Vault && (self.watch || self.per != VaultPer::Memory) {
            let advice = "Add --format vault, and name a directory.";
            return Err(Problem::usage("--watch and --per are for a vault", advice));
        }
        let file = self.file.clone().unwrap_or_else(|| self.default_file_name(setup));
        match self.format {
            ExportFormat::Jsonl => jsonl::export(&file, setup).await,
            ExportFormat::Amem => amem::export(&file, setup).await,
            ExportFormat::Vault => {
                let layout = match self.per {
                    VaultPer::Memory => VaultLayout::Memories,
                    VaultPer::Topic => VaultLayout::Topics,
                };
                vault::export(&file, layout, self.watch, setup).await
            }
        }
    }

    fn default_file_name(&self, setup: &Setup) -> PathBuf {
        let (owner, day) = (&setup.config.owner, SystemClock.now().date());
        PathBuf::from(format!("quipu-{owner}-{day}.{}", self.format.name()))
    }
}

fn already_exists(file: &Path) -> Problem {
    Problem::refused(
        format!("{} already exists", file.display()),
        "Choose another name; existing files are not overwritten.",
    )
}

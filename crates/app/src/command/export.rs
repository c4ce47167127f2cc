//! `quipu export`: writes the memory to a file, completely or in the format of another program.

mod amem;
mod jsonl;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::Setup;
use clap::{Args, ValueEnum};
use engine::{Clock, SystemClock};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu export
  quipu export ~/everything.jsonl
  quipu export --format amem ~/brain.amem";

/// Export the memory as JSON Lines or as AgenticMemory's .amem
///
/// JSON Lines contains everything: memories in every status, links, sessions, entities, tables, the
/// profile with its versions, handoffs, references and reviews; `quipu import` restores all of it.
/// Vectors are recomputed on import; grants, keys and the audit log are not exported. An .amem file
/// contains current and replaced memories with sessions, times and links. To copy the store itself,
/// use `quipu backup`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ExportArgs {
    /// Format of the file
    #[arg(long, value_enum, default_value = "jsonl")]
    format: ExportFormat,
    /// File to create; must not exist [default: named by owner and date, in the current directory]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Everything, as JSON Lines
    Jsonl,
    /// AgenticMemory, version 1
    Amem,
}

impl ExportFormat {
    fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Amem => "amem",
        }
    }
}

impl ExportArgs {
    /// Exports the memory.
    ///
    /// # Errors
    /// Fails when the file exists or cannot be written, or the memory cannot be read.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let file = self.file.clone().unwrap_or_else(|| self.default_file_name(setup));
        match self.format {
            ExportFormat::Jsonl => jsonl::export(&file, setup).await,
            ExportFormat::Amem => amem::export(&file, setup).await,
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

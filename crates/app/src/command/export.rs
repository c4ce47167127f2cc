//! `quipu export`: the memory in a file, whole or for another program.

mod amem;
mod jsonl;

use crate::answer::Answer;
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

/// Write the memory to a file: everything as JSON Lines, or AgenticMemory's .amem
///
/// As JSON Lines everything goes along: memories in every status with all their fields, links,
/// sessions, entities, tables, the profile with its versions, handoffs, references and reviews;
/// `quipu import` brings it back as it was. Vectors are made anew there; grants, keys and the audit
/// log stay here. As .amem go the memories that hold and those that were replaced, with sessions,
/// times and links. `quipu backup` copies the store itself.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Export {
    /// In which format
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Format,
    /// Where to; it must not exist [default: a file named by owner and day, in this directory]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The formats that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Everything, a line each
    Jsonl,
    /// AgenticMemory, version 1
    Amem,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Amem => "amem",
        }
    }
}

impl Export {
    /// Writes the file.
    ///
    /// # Errors
    /// When it exists or cannot be written, or the memory cannot be read.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let file = self.file.clone().unwrap_or_else(|| self.usual_name(setup));
        match self.format {
            Format::Jsonl => jsonl::export(&file, setup).await,
            Format::Amem => amem::export(&file, setup).await,
        }
    }

    fn usual_name(&self, setup: &Setup) -> PathBuf {
        let (owner, day) = (&setup.config.owner, SystemClock.now().date());
        PathBuf::from(format!("quipu-{owner}-{day}.{}", self.format.name()))
    }
}

fn exists(file: &Path) -> Problem {
    Problem::refused(
        format!("{} exists", file.display()),
        "Choose another name; nothing is overwritten.",
    )
}

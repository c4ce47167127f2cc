//! `quipu export`: the memory in a file that another program reads.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::files;
use crate::page::Page;
use crate::setup::Setup;
use crate::shown::size;
use clap::{Args, ValueEnum};
use engine::{Clock, SystemClock};
use interchange::{amem, export_amem};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  quipu export --format amem
  quipu export --format amem ~/brain.amem";

/// Write the memory to a file that another program reads: AgenticMemory's .amem
///
/// Everything that holds and everything that was replaced goes along, with sessions, times and links. For a copy that
/// holds all there is, and that `quipu restore` takes, use `quipu backup`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Export {
    /// For which program
    #[arg(long, value_enum)]
    format: Format,
    /// Where to; it must not exist [default: a file named by owner and day, in this directory]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The formats that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// AgenticMemory, version 1
    Amem,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
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
        let graph =
            setup.with_memory(async |memory| Ok(export_amem(&memory.engine, &memory.caller).await?)).await?;
        let bytes = amem::write(&graph);
        if !files::put_new(&file, &bytes)? {
            let advice = "Choose another name; nothing is overwritten.";
            return Err(Problem::refused(format!("{} exists", file.display()), advice));
        }
        let (memories, links) = (graph.nodes.len(), graph.edges.len());
        let mut page = Page::new(setup.screen);
        page.say(&format!("Wrote {memories} memories and {links} links, {}:", size(bytes.len() as u64)));
        page.say(&file.display().to_string());
        let told = json!({
            "file": file.display().to_string(),
            "format": self.format.name(),
            "memories": memories,
            "links": links,
            "bytes": bytes.len(),
        });
        Ok(Answer::new(told, page))
    }

    fn usual_name(&self, setup: &Setup) -> PathBuf {
        let (owner, day) = (&setup.config.owner, SystemClock.now().date());
        PathBuf::from(format!("quipu-{owner}-{day}.{}", self.format.name()))
    }
}

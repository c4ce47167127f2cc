//! `quipu man`: manual pages, made from the same definitions as `--help`.

use crate::cli::Cli;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::terminal::{OutputFormat, Terminal};
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu man | man -l -
  quipu man ~/.local/share/man/man1";

/// Print the manual page, or write the pages of all commands to a directory
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ManArgs {
    /// Directory for the pages quipu.1, quipu-recall.1 and so on; created if it is missing
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl ManArgs {
    /// Prints or writes the pages.
    ///
    /// # Errors
    /// Fails when standard output or the directory cannot be written.
    pub fn run(self) -> Result<CommandOutput, Problem> {
        match &self.directory {
            Some(directory) => write_pages(directory)
                .map_err(|error| Problem::file("writing", directory, &error))?,
            None => {
                let mut page = Vec::new();
                // Writing to memory does not fail.
                let _ = Man::new(Cli::command()).render(&mut page);
                Terminal::print(&String::from_utf8_lossy(&page))?;
            }
        }
        Ok(CommandOutput::empty(Terminal {
            format: OutputFormat::Text,
            width: None,
            colours: false,
            interactive: false,
        }))
    }
}

fn write_pages(directory: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(Cli::command(), directory)
}

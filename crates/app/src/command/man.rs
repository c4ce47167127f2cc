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
                Terminal::print(&ascii_roff(&String::from_utf8_lossy(&page)))?;
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
    clap_mangen::generate_to(Cli::command(), directory)?;
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let is_ours = |name: &str| name.starts_with("quipu") && name.ends_with(".1");
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_ours) {
            let page = std::fs::read_to_string(&path)?;
            std::fs::write(&path, ascii_roff(&page))?;
        }
    }
    Ok(())
}

/// Returns a page with every other character as the escape for it: groff reads its input as
/// Latin-1 unless it is told otherwise.
fn ascii_roff(page: &str) -> String {
    let mut ascii = String::with_capacity(page.len());
    for c in page.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            ascii.push_str(&format!("\\[u{:04X}]", u32::from(c)));
        }
    }
    ascii
}

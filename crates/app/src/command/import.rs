//! `quipu import`: a memory read from a file, its own or that of another program. What sort of file
//! it is, its first bytes tell.

mod amem;
mod epitome;
mod jsonl;

use crate::answer::Answer;
use crate::exit::Problem;
use crate::page::{INDENT, Page, Style};
use crate::setup::Setup;
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many of those that were passed over or changed are named on the screen; `--json` names all.
const NAMED: usize = 10;

const EXAMPLES: &str = "\
Examples:
  quipu import quipu-me-2026-05-03.jsonl
  quipu import --from-outside colleague.jsonl
  quipu import ~/.brain.amem
  quipu import epitome-export.json";

/// Read in a memory from a file: an export of Quipu (JSON Lines) or of Epitome, or AgenticMemory's
/// .amem
///
/// What is there already is not added again, so a file may be read in twice, or again when it has
/// grown. What holds a secret or was forgotten is passed over and named. An export of Quipu brings
/// everything as it was, with its numbers where they are free; of a .amem file texts, kinds,
/// confidences, times, sessions and links are kept; of Epitome's export the profile, the rows, the
/// vectors' texts and the graph.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Import {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file is not your own: whoever it says something came from, it counts as imported
    #[arg(long)]
    from_outside: bool,
}

impl Import {
    /// Reads the file in.
    ///
    /// # Errors
    /// When it cannot be read, is no such file, or the memory cannot be written.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        match sort_of(&self.file) {
            Sort::Quipu => {
                let options =
                    interchange::transfer::ImportOptions { from_outside: self.from_outside };
                jsonl::import(&self.file, options, setup).await
            }
            Sort::Epitome => epitome::import(&self.file, setup).await,
            Sort::Amem => amem::import(&self.file, setup).await,
        }
    }
}

/// Says how many were passed over or changed, and names the first of them.
fn named<T>(page: &mut Page, became: &str, all: &[T], name: impl Fn(&T) -> String) {
    if !all.is_empty() {
        page.say(&format!("{} were {became}:", all.len()));
    }
    for one in all.iter().take(NAMED) {
        page.paragraph(INDENT, Style::Warn, &name(one));
    }
}

/// What sort of file something is.
enum Sort {
    Quipu,
    Epitome,
    Amem,
}

/// Told by how a file begins; whatever is wrong with it comes out when it is read.
fn sort_of(file: &Path) -> Sort {
    let beginning = beginning(file).unwrap_or_default();
    let told = String::from_utf8_lossy(&beginning);
    match told.trim_start().strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with("\"type\"") => Sort::Quipu,
        Some(_) => Sort::Epitome,
        None => Sort::Amem,
    }
}

fn beginning(file: &Path) -> Option<Vec<u8>> {
    let is_file = std::fs::metadata(file).is_ok_and(|about| about.is_file());
    let mut bytes = Vec::new();
    is_file.then(|| {
        std::fs::File::open(file).and_then(|file| file.take(64).read_to_end(&mut bytes)).ok()
    })??;
    Some(bytes)
}

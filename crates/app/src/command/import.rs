//! `quipu import`: a memory read from a file, its own or that of another program. What sort of file it is, its first
//! bytes tell.

mod amem;
mod jsonl;

use crate::answer::Answer;
use crate::exit::Problem;
use crate::setup::Setup;
use clap::Args;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many of those that were passed over are named on the screen; `--json` names all.
const NAMED: usize = 10;

const EXAMPLES: &str = "\
Examples:
  quipu import quipu-me-2026-05-03.jsonl
  quipu import --from-outside colleague.jsonl
  quipu import ~/.brain.amem";

/// Read in a memory from a file: an export of Quipu (JSON Lines), or AgenticMemory's .amem
///
/// What is there already is not added again, so a file may be read in twice, or again when it has grown. What holds a
/// secret or was forgotten is passed over and named. An export of Quipu brings everything as it was, with its numbers
/// where they are free; of a .amem file texts, kinds, confidences, times, sessions and links are kept.
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
        let begins_with_brace = first_byte(&self.file) == Some(b'{');
        if begins_with_brace {
            let options = engine::ImportOptions { from_outside: self.from_outside };
            jsonl::import(&self.file, options, setup).await
        } else {
            amem::import(&self.file, setup).await
        }
    }
}

/// What a file begins with; whatever is wrong with it comes out when it is read.
fn first_byte(file: &Path) -> Option<u8> {
    let is_file = std::fs::metadata(file).is_ok_and(|about| about.is_file());
    let mut first = [0];
    is_file.then(|| std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut first)).ok())??;
    Some(first[0])
}

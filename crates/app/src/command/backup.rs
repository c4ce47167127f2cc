//! `quipu backup`: copies the memory to one file while it is in use, and verifies the copy.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::render::human_size;
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::Args;
use engine::{Clock, SystemClock};
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu backup
  quipu backup /mnt/usb/memory-2026-05-03.db";

/// Back up the memory to one file and verify it
///
/// Works while the memory is in use. The backup is a single SQLite file with all data of the owner,
/// readable only by you. Restore it with `quipu restore`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct BackupArgs {
    /// File to create; must not exist [default: named by owner and time, in `backups` in the home
    /// directory]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl BackupArgs {
    /// Makes the backup and verifies it.
    ///
    /// # Errors
    /// Fails when the file exists or cannot be written, or the copy is damaged.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let done = setup.with_memory(async |memory| {
            let to = match &self.file {
                Some(file) => std::path::absolute(file)
                    .map_err(|error| Problem::file("finding", file, &error))?,
                None => unused_name(setup, "", ".db")?,
            };
            check_unused(&to)?;
            memory.engine.admin().back_up_to(&memory.caller_for("backup"), &to).await?;
            Ok(to)
        });
        let to = done.await?;
        let bytes = to.metadata().map_or(0, |file| file.len());
        let mut page = TextPage::new(setup.terminal);
        page.add_text(&format!("Backed up and verified: {}", human_size(bytes)));
        page.add_text(&to.display().to_string());
        Ok(CommandOutput::new(json!({ "file": to.display().to_string(), "bytes": bytes }), page))
    }
}

/// Returns an error if the file exists or its directory does not.
fn check_unused(to: &Path) -> Result<(), Problem> {
    if to.symlink_metadata().is_ok() {
        return Err(Problem::refused(
            format!("{} already exists", to.display()),
            "Choose another name; existing files are not overwritten.",
        ));
    }
    match to.parent().filter(|above| !above.is_dir()) {
        Some(above) => Err(Problem::usage(
            format!("the directory {} does not exist", above.display()),
            "Create it first.",
        )),
        None => Ok(()),
    }
}

/// Returns an unused name in the backup directory, made of the owner, `remark` and the time. The
/// `end` is `.db`, or nothing for a directory.
///
/// # Errors
/// Fails when the directory cannot be created.
pub fn unused_name(setup: &Setup, remark: &str, end: &str) -> Result<PathBuf, Problem> {
    let directory = setup.home.backups_dir();
    files::create_private_dir(&directory)?;
    let time = SystemClock.now().to_string().replace(':', "-");
    let name = |again: usize| {
        let again = if again == 0 { String::new() } else { format!("-{again}") };
        directory.join(format!("{}{remark}-{time}{again}{end}", setup.config.owner))
    };
    let free = (0..1000).map(name).find(|path| path.symlink_metadata().is_err());
    free.ok_or_else(|| {
        Problem::refused("there are a thousand backups of this second", "Try again in a moment.")
    })
}

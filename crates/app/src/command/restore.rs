//! `quipu restore`: replaces the memory with a backup. The backup is verified before anything is
//! changed, the replaced memory is kept whole, and credentials stay unless they are to go.

mod database;

use super::backup::unused_name;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::Args;
use engine::{Clock, SystemClock};
use model::ErrorCode;
use serde_json::json;
use std::path::PathBuf;
use store_sqlite::{Options, RestoreError, RestoreOutcome, RestoreRequest};

const EXAMPLES: &str = "\
Examples:
  quipu restore /mnt/usb/memory-2026-05-03.db
  quipu restore --force backups/me-2026-05-03T14-00-00Z.db
  quipu restore --force backups/me-replaced-2026-05-03T14-00-00Z";

/// Restore the memory from a backup
///
/// The backup is verified first. If a memory exists already, --force is required; it is then kept
/// whole in the directory that is printed (from a database: in a file), which can be restored the
/// same way. Agents may keep running: they wait for a moment and go on with the restored memory.
/// Password, keys, tokens, the audit key and your own files stay as they are.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RestoreArgs {
    /// Backup to restore, or the directory of a memory that an earlier restore replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the existing memory, which is kept beside the backups
    #[arg(long)]
    force: bool,
    /// Also end every key, token and the password, and begin a new audit key
    #[arg(long)]
    reset_credentials: bool,
}

impl RestoreArgs {
    /// Restores the backup.
    ///
    /// # Errors
    /// Fails when the backup is damaged, or a memory exists and `--force` is missing.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        if !self.file.is_file() && !self.file.join("memory.db").is_file() {
            return Err(missing_backup(setup, &self.file));
        }
        setup.home.create()?;
        let restored = match &setup.config.store {
            Some(url) => database::restore(&self, setup, url).await?,
            None => self.restore_files(setup)?,
        };
        // Opened once, so that a new audit key and the like exist, and as a last check.
        let flush = async |memory: &OpenMemory| {
            memory.engine.flush().await;
            Ok(())
        };
        setup.with_memory(flush).await?;
        let credentials = if self.reset_credentials { "reset" } else { "kept" };
        let kept = restored.kept.as_ref().map(|kept| kept.display().to_string());
        let mut page = TextPage::new(setup.terminal);
        let restored_memories = count_with_noun(restored.memories, "memory", "memories");
        page.add_text(&format!("Restored {restored_memories}."));
        if let Some(kept) = &kept {
            page.add_text(&format!("The previous memory is in {kept}"));
            page.add_text(self.credentials_text(setup));
        }
        let output = json!({
            "memories": restored.memories, "kept": kept, "credentials": credentials,
        });
        Ok(CommandOutput::new(output, page))
    }

    fn credentials_text(&self, setup: &Setup) -> &'static str {
        match (setup.config.store.is_some(), self.reset_credentials) {
            (true, true) => "Its password, keys, tokens and logins have ended.",
            (true, false) => "Password, keys and tokens stay as they were.",
            (false, true) => {
                "Its password and audit key are there, too; its keys and tokens have ended."
            }
            (false, false) => {
                "Password, keys, tokens, the audit key and the files in references/ stay as they \
                 were."
            }
        }
    }

    fn restore_files(&self, setup: &Setup) -> Result<RestoreOutcome, Problem> {
        let kept = unused_name(setup, "-replaced", "")?;
        let request = RestoreRequest {
            home: setup.home.path(),
            owner: &setup.config.owner,
            backup: &self.file,
            kept: &kept,
            at: SystemClock.now(),
            replace: self.force,
            reset_credentials: self.reset_credentials,
        };
        let options = Options { busy_timeout: setup.config.busy_timeout, ..Options::default() };
        store_sqlite::restore(&request, &options).map_err(|error| self.problem(setup, error))
    }

    fn problem(&self, setup: &Setup, error: RestoreError) -> Problem {
        let message = format!("{}: {error}", self.file.display());
        match error {
            RestoreError::NotABackup { .. } | RestoreError::Damaged { .. } => {
                Problem::refused(message, "Choose another backup; nothing was changed.")
            }
            RestoreError::Exists => Problem::refused(
                format!(
                    "{} already has a memory in {}",
                    setup.config.owner,
                    match &setup.config.store {
                        Some(_) => setup.memory_location(),
                        None => setup.home.path().display().to_string(),
                    }
                ),
                match &setup.config.store {
                    Some(_) => "Use --force to replace it and keep it beside the backups.",
                    None => {
                        "Use --force to replace it and keep it beside the backups, or choose \
                         another --home."
                    }
                },
            ),
            RestoreError::Running => {
                Problem::new(ErrorCode::StoreBusy, error.to_string(), "Try again in a moment.")
            }
            RestoreError::Store(error) => error.into(),
        }
    }
}

fn missing_backup(setup: &Setup, file: &std::path::Path) -> Problem {
    let hint =
        format!("The default directory for backups is {}.", setup.home.backups_dir().display());
    let message = format!("the file {} does not exist", file.display());
    Problem::new(ErrorCode::NotFound, message, hint)
}

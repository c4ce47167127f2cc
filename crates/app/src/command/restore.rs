//! `quipu restore`: replaces the memory with a backup. The backup is verified before anything is
//! changed, and the replaced memory is backed up itself.

use super::backup::{back_up, default_file};
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::files;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup, open_at};
use crate::text_page::TextPage;
use clap::Args;
use engine::SystemClock;
use model::{ErrorCode, Status};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Control, Store};

const EXAMPLES: &str = "\
Examples:
  quipu restore /mnt/usb/memory-2026-05-03.db
  quipu restore --force backups/me-2026-05-03T14-00-00Z.db";

/// Maximum number of attempts to copy the current memory without a concurrent write.
const COPY_ATTEMPTS_MAX: usize = 20;

/// Restore the memory from a backup
///
/// The backup is verified first. If a memory exists already, --force is required; it is then backed
/// up before it is replaced, and the location is printed. Stop `quipu mcp` and `quipu serve` first.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RestoreArgs {
    /// Backup to restore
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the existing memory, after backing it up
    #[arg(long)]
    force: bool,
}

impl RestoreArgs {
    /// Restores the backup.
    ///
    /// # Errors
    /// Fails when the backup is damaged, or a memory exists and `--force` is missing.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let memories = verify_backup(setup, &self.file).await?;
        let saved =
            if memory_exists(setup) { Some(self.move_existing_away(setup).await?) } else { None };
        install(setup, &self.file)?;
        setup.with_memory(async |memory| count_if_intact(memory).await).await?;
        let mut page = TextPage::new(setup.terminal);
        page.add_text(&format!("Restored {}.", count_with_noun(memories, "memory", "memories")));
        if let Some(saved) = &saved {
            page.add_text(&format!("The previous memory is in {}", saved.display()));
        }
        let saved = saved.map(|saved| saved.display().to_string());
        Ok(CommandOutput::new(json!({ "memories": memories, "kept": saved }), page))
    }

    /// Moves the existing memory away and returns its new location.
    async fn move_existing_away(&self, setup: &Setup) -> Result<PathBuf, Problem> {
        if !self.force {
            let message = format!(
                "{} already has a memory in {}",
                setup.config.owner,
                setup.home.path().display()
            );
            let hint = "Use --force to back it up and replace it, or choose another --home.";
            return Err(Problem::refused(message, hint));
        }
        match setup.with_memory(async |memory| back_up_and_erase(setup, memory).await).await {
            // A store that cannot be opened cannot be backed up; its files are moved as they are.
            Err(problem) if problem.code() == ErrorCode::StorageFailed => move_damaged_away(setup),
            result => result,
        }
    }
}

/// Backs up the memory and erases it from the store, so that no process keeps writing to it.
async fn back_up_and_erase(setup: &Setup, memory: &OpenMemory) -> Result<PathBuf, Problem> {
    let owner = &setup.config.owner;
    for _ in 0..COPY_ATTEMPTS_MAX {
        let before = memory.store.seq(owner).await?;
        let to = default_file(setup, "-replaced")?;
        back_up(memory, &to).await?;
        // Pending events are written while the memory still exists. If another process changed it
        // since the copy, the copy is stale and is made again.
        memory.engine.flush().await;
        if memory.store.seq(owner).await? == before {
            memory.store.erase_owner(owner).await?;
            return Ok(to);
        }
        std::fs::remove_file(&to).map_err(|error| Problem::file("removing", &to, &error))?;
    }
    Err(Problem::refused(
        "another process keeps writing to this memory",
        "Stop `quipu mcp` and `quipu serve` first.",
    ))
}

fn move_damaged_away(setup: &Setup) -> Result<PathBuf, Problem> {
    let (from, to) = (
        setup.home.owner_dir(&setup.config.owner),
        default_file(setup, "-damaged")?.with_extension(""),
    );
    std::fs::rename(&from, &to).map_err(|error| Problem::file("moving", &from, &error))?;
    Ok(to)
}

/// Opens a temporary copy of the backup as a memory and checks it. Returns the number of active
/// memories. A copy, because opening may migrate the file.
async fn verify_backup(setup: &Setup, file: &Path) -> Result<usize, Problem> {
    if !file.is_file() {
        let hint =
            format!("The default directory for backups is {}.", setup.home.backups_dir().display());
        return Err(Problem::new(
            ErrorCode::NotFound,
            format!("the file {} does not exist", file.display()),
            hint,
        ));
    }
    setup.home.create()?;
    let scratch = tempfile::tempdir_in(setup.home.path());
    let scratch =
        scratch.map_err(|error| Problem::file("writing to", setup.home.path(), &error))?;
    // The list of owners comes first: without it, a memory there counts as what is left of a loss.
    store_sqlite::SqliteStore::open(scratch.path(), store_sqlite::Options::default())?;
    let directory = scratch.path().join("owners").join(setup.config.owner.as_str());
    files::create_private_dir(&directory)?;
    copy(file, &directory.join("memory.db"))?;
    let opened =
        open_at(scratch.path(), &setup.config, setup.embedder()?, Arc::new(SystemClock)).await;
    let unsound = |_| {
        Problem::refused(
            format!("{} is not a backup of Quipu", file.display()),
            "Choose another file.",
        )
    };
    count_if_intact(&opened.map_err(unsound)?).await
}

/// Returns the number of active memories, or an error if the store is damaged.
async fn count_if_intact(memory: &OpenMemory) -> Result<usize, Problem> {
    let health = memory.store.health(&memory.caller.owner).await?;
    if !health.sound {
        return Err(Problem::refused(
            format!("the backup is damaged: {}", health.problems.join("; ")),
            "Choose another backup.",
        ));
    }
    Ok(memory.store.counts(&memory.caller.owner).await?.in_status(Status::Active))
}

fn memory_exists(setup: &Setup) -> bool {
    setup.home.memory_db(&setup.config.owner).exists()
}

/// Installs the backup as the owner's database, and removes the files derived from the old one.
fn install(setup: &Setup, file: &Path) -> Result<(), Problem> {
    let owner = &setup.config.owner;
    files::create_private_dir(&setup.home.owner_dir(owner))?;
    let (memory, snapshot) = (setup.home.memory_db(owner), setup.home.snapshot_file(owner));
    // Before the new database: SQLite would replay a stale write-ahead log into it.
    for stale in [snapshot, memory.with_extension("db-wal"), memory.with_extension("db-shm")] {
        match std::fs::remove_file(&stale) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Problem::file("removing", &stale, &error));
            }
            _ => {}
        }
    }
    let unfinished = memory.with_extension("restoring");
    copy(file, &unfinished)?;
    // A new identity tells running processes that their cached views are of another store.
    store_sqlite::renew_identity(&unfinished)?;
    // Renamed last: a crash before this leaves no half-copied database.
    std::fs::rename(&unfinished, &memory)
        .map_err(|error| Problem::file("renaming", &memory, &error))
}

/// Copies a file, readable by its owner only, and syncs it.
fn copy(from: &Path, to: &Path) -> Result<(), Problem> {
    let mut source =
        std::fs::File::open(from).map_err(|error| Problem::file("reading", from, &error))?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let copied = options.open(to).and_then(|mut file| {
        std::io::copy(&mut source, &mut file)?;
        file.sync_all()
    });
    copied.map_err(|error| Problem::file("writing", to, &error))
}

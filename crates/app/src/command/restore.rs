//! `quipu restore`: a backup becomes the memory again. The backup is checked before anything is
//! touched, and what was there is kept as a backup of its own.

use super::backup::{back_up, usual_place};
use crate::answer::Answer;
use crate::exit::Problem;
use crate::files;
use crate::page::Page;
use crate::setup::{Opened, Setup, open_at};
use crate::shown::counted;
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

/// How often the memory in place is copied anew because somebody wrote meanwhile.
const ATTEMPTS: usize = 20;

/// Make a backup the memory again
///
/// The backup is checked first. Where there is a memory already, --force is needed; that memory is
/// then backed up before it is replaced, and you are told where. End `quipu mcp` and `quipu serve`
/// first.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Restore {
    /// The backup
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the memory that is there, after backing it up
    #[arg(long)]
    force: bool,
}

impl Restore {
    /// Restores.
    ///
    /// # Errors
    /// When the backup is not sound, or there is a memory and `force` was not asked.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let memories = checked(setup, &self.file).await?;
        let kept = if holds_something(setup) { Some(self.set_aside(setup).await?) } else { None };
        put_in_place(setup, &self.file)?;
        setup.with_memory(async |memory| sound(memory).await).await?;
        let mut page = Page::new(setup.screen);
        page.say(&format!("Restored {}.", counted(memories, "memory", "memories")));
        if let Some(kept) = &kept {
            page.say(&format!("What was there before is in {}", kept.display()));
        }
        let kept = kept.map(|kept| kept.display().to_string());
        Ok(Answer::new(json!({ "memories": memories, "kept": kept }), page))
    }

    /// Takes the memory that is there out of the way, and says where it is now.
    async fn set_aside(&self, setup: &Setup) -> Result<PathBuf, Problem> {
        if !self.force {
            let message = format!(
                "there is a memory of {} in {}",
                setup.config.owner,
                setup.home.path().display()
            );
            let hint = "Add --force to back it up and replace it, or choose another --home.";
            return Err(Problem::refused(message, hint));
        }
        match setup.with_memory(async |memory| copy_and_erase(setup, memory).await).await {
            // What cannot be opened cannot be copied page by page; its files are kept as they are.
            Err(problem) if problem.code() == ErrorCode::StorageFailed => move_away(setup),
            set_aside => set_aside,
        }
    }
}

/// Backs up the memory and erases it, so that no process goes on writing into it.
async fn copy_and_erase(setup: &Setup, memory: &Opened) -> Result<PathBuf, Problem> {
    let owner = &setup.config.owner;
    for _ in 0..ATTEMPTS {
        let before = memory.store.seq(owner).await?;
        let to = usual_place(setup, "-replaced")?;
        back_up(memory, &to).await?;
        // What waits is written down while there is still a memory to write it to.
        memory.engine.flush().await;
        if memory.store.seq(owner).await? == before {
            memory.store.erase_owner(owner).await?;
            return Ok(to);
        }
        std::fs::remove_file(&to).map_err(|error| Problem::file("removing", &to, &error))?;
    }
    Err(Problem::refused(
        "somebody keeps writing to this memory",
        "End `quipu mcp` and `quipu serve` first.",
    ))
}

fn move_away(setup: &Setup) -> Result<PathBuf, Problem> {
    let (from, to) =
        (setup.home.owner(&setup.config.owner), usual_place(setup, "-damaged")?.with_extension(""));
    std::fs::rename(&from, &to).map_err(|error| Problem::file("moving", &from, &error))?;
    Ok(to)
}

/// Opens a scratch copy of the backup as a memory would be opened, and looks through it. Answers
/// how much it holds.
async fn checked(setup: &Setup, file: &Path) -> Result<usize, Problem> {
    if !file.is_file() {
        let hint =
            format!("Backups are in {} unless you said otherwise.", setup.home.backups().display());
        return Err(Problem::new(
            ErrorCode::NotFound,
            format!("there is no file {}", file.display()),
            hint,
        ));
    }
    setup.home.make()?;
    let scratch = tempfile::tempdir_in(setup.home.path());
    let scratch =
        scratch.map_err(|error| Problem::file("writing to", setup.home.path(), &error))?;
    let place = scratch.path().join("owners").join(setup.config.owner.as_str());
    files::make_private_directory(&place)?;
    copy(file, &place.join("memory.db"))?;
    let opened =
        open_at(scratch.path(), &setup.config, setup.embedder()?, Arc::new(SystemClock)).await;
    let unsound = |_| {
        Problem::refused(
            format!("{} is not a backup of a memory", file.display()),
            "Choose another one.",
        )
    };
    sound(&opened.map_err(unsound)?).await
}

/// How many memories hold in a store that is sound.
async fn sound(memory: &Opened) -> Result<usize, Problem> {
    let health = memory.store.health(&memory.caller.owner).await?;
    if !health.sound {
        return Err(Problem::refused(
            format!("it is damaged: {}", health.problems.join("; ")),
            "Choose another backup.",
        ));
    }
    Ok(memory.store.counts(&memory.caller.owner).await?.in_status(Status::Active))
}

fn holds_something(setup: &Setup) -> bool {
    setup.home.memory(&setup.config.owner).exists()
}

/// Puts the file in its place in one step, and takes away what was derived from another.
fn put_in_place(setup: &Setup, file: &Path) -> Result<(), Problem> {
    let owner = &setup.config.owner;
    files::make_private_directory(&setup.home.owner(owner))?;
    let (memory, snapshot) = (setup.home.memory(owner), setup.home.snapshot(owner));
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
    store_sqlite::renew_identity(&unfinished)?;
    std::fs::rename(&unfinished, &memory).map_err(|error| Problem::file("naming", &memory, &error))
}

/// A copy that only its owner can read, on disk.
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

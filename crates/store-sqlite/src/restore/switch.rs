//! The switch from one memory to another, in steps that can be repeated. A plan beside the prepared
//! copy decides that the switch happens; it is there after a crash, and every step finds out by
//! itself whether it was already taken.

use crate::audit_key::{CHECKPOINT_FILE, HEAD_FILE, KEY_FILE};
use crate::control::ControlFile;
use crate::error::{file_error, store_error};
use crate::files::{StorePaths, create_private_directory, sync_directory, sync_directory_above};
use crate::lifecycle::{LockFiles, RestoreLock};
use crate::{Options, busy_handler::BusyHandler};
use model::{Moment, OwnerId};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::StoreError;

pub(super) const MEMORY: &str = "memory.db";
const PASSWORD: &str = "password";
const PLAN: &str = "plan";
/// Name of the directory, beside the memory, of a restore in progress.
const SCRATCH: &str = "restoring";
/// Pause before the write-ahead log is checkpointed again because a reader used it.
const SETTLE_PAUSE: Duration = Duration::from_millis(20);

/// The paths of a restore.
#[derive(Debug)]
pub(crate) struct RestorePlace {
    home: StorePaths,
    owner: OwnerId,
    pub(super) owner_dir: PathBuf,
    pub(super) scratch: PathBuf,
}

/// The decisions of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SwitchPlan {
    /// Directory for the replaced memory; `None` when there was none.
    pub kept: Option<PathBuf>,
    pub reset_credentials: bool,
    /// The audit log gets the new key that was prepared.
    pub new_key: bool,
    pub at: Moment,
}

/// One step of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SwitchStep {
    CreateKept,
    /// Copies the audit key, which stays, so that the log of the replaced memory can be verified.
    CopyKey,
    MoveAway(&'static str),
    /// Removes a file that is derived from the others.
    Remove(&'static str),
    /// Moves the old file away and the new one into its place.
    Replace(&'static str),
    ResetCredentials,
    ListOwner,
}

impl SwitchPlan {
    /// Encodes the plan. A path below the home directory is relative to it, so that the plan is
    /// still right when that directory was moved.
    fn to_json(&self, home: &Path) -> Value {
        let shown = |kept: &PathBuf| kept.strip_prefix(home).unwrap_or(kept).display().to_string();
        json!({
            "kept": self.kept.as_ref().map(shown),
            "reset_credentials": self.reset_credentials,
            "new_key": self.new_key,
            "at": self.at.0,
        })
    }

    fn parse(text: &str, home: &Path) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        Some(Self {
            kept: value["kept"].as_str().map(|kept| home.join(kept)),
            reset_credentials: value["reset_credentials"].as_bool()?,
            new_key: value["new_key"].as_bool()?,
            at: Moment(value["at"].as_i64()?),
        })
    }

    /// Returns the steps in order. The database is the last file to be replaced.
    fn steps(&self) -> Vec<SwitchStep> {
        use SwitchStep::{
            CopyKey, CreateKept, ListOwner, MoveAway, Remove, Replace, ResetCredentials,
        };
        let mut steps = vec![CreateKept];
        // Before the new database: SQLite would replay the log of the old one into it.
        steps.push(MoveAway("memory.db-wal"));
        steps.extend([Remove("memory.db-shm"), Remove("view.snapshot")]);
        steps.push(if self.new_key { Replace(KEY_FILE) } else { CopyKey });
        steps.extend([Replace(CHECKPOINT_FILE), Replace(HEAD_FILE)]);
        if self.reset_credentials {
            steps.extend([MoveAway(PASSWORD), ResetCredentials]);
        }
        steps.extend([ListOwner, Replace(MEMORY)]);
        steps
    }
}

impl RestorePlace {
    pub(crate) fn new(home: &StorePaths, owner: &OwnerId) -> Self {
        let owner_dir = home.owner(owner);
        let scratch = owner_dir.join(SCRATCH);
        Self { home: home.clone(), owner: owner.clone(), owner_dir, scratch }
    }

    fn plan_file(&self) -> PathBuf {
        self.scratch.join(PLAN)
    }

    /// Moves everything of the old write-ahead log into its database, so that the old memory is one
    /// file. A database that cannot be read is left as it is, with its log.
    pub(super) fn settle(&self, options: &Options) -> Result<(), StoreError> {
        let memory = self.owner_dir.join(MEMORY);
        if !memory.metadata().is_ok_and(|file| file.len() > 0) {
            return Ok(());
        }
        let until = Instant::now() + options.busy_timeout;
        loop {
            match checkpoint(&memory, options) {
                // A reader of another process still uses the log.
                Ok(false) | Err(StoreError::Busy) if Instant::now() < until => {
                    std::thread::sleep(SETTLE_PAUSE);
                }
                Ok(false) | Err(StoreError::Busy) => return Err(StoreError::Busy),
                Ok(true) | Err(_) => return Ok(()),
            }
        }
    }

    /// Writes the plan. From here on the switch happens, also after a crash.
    pub(super) fn decide(&self, plan: &SwitchPlan) -> Result<(), StoreError> {
        let (file, unfinished) = (self.plan_file(), self.scratch.join("plan.new"));
        let written = fs::write(&unfinished, plan.to_json(self.home.root()).to_string())
            .and_then(|()| fs::File::open(&unfinished)?.sync_all())
            .and_then(|()| fs::rename(&unfinished, &file));
        written.map_err(|error| file_error("writing", &file, &error))?;
        sync_directory_above(&file)
    }

    /// Takes every step, and removes the plan.
    pub(super) fn carry_out(
        &self,
        plan: &SwitchPlan,
        control: &ControlFile,
    ) -> Result<(), StoreError> {
        plan.steps().into_iter().try_for_each(|step| self.take(step, plan, control))?;
        self.remove_scratch()
    }

    /// Takes the first steps only. Returns false when there are not as many.
    #[cfg(test)]
    pub(super) fn take_first(
        &self,
        count: usize,
        plan: &SwitchPlan,
        control: &ControlFile,
    ) -> Result<bool, StoreError> {
        let steps = plan.steps();
        let taken = steps.iter().take(count);
        taken.copied().try_for_each(|step| self.take(step, plan, control))?;
        Ok(count <= steps.len())
    }

    fn take(
        &self,
        step: SwitchStep,
        plan: &SwitchPlan,
        control: &ControlFile,
    ) -> Result<(), StoreError> {
        match step {
            SwitchStep::CreateKept => plan.kept.as_deref().map_or(Ok(()), create_private_directory),
            SwitchStep::CopyKey => self.copy_key(plan),
            SwitchStep::MoveAway(name) => self.move_away(name, plan),
            SwitchStep::Remove(name) => remove(&self.owner_dir.join(name)),
            SwitchStep::Replace(name) => self.replace(name, plan),
            SwitchStep::ResetCredentials => control.remove_credentials(&self.owner),
            SwitchStep::ListOwner => control.add_owner(&self.owner, plan.at),
        }
    }

    fn copy_key(&self, plan: &SwitchPlan) -> Result<(), StoreError> {
        let (key, Some(kept)) = (self.owner_dir.join(KEY_FILE), &plan.kept) else {
            return Ok(());
        };
        match fs::copy(&key, kept.join(KEY_FILE)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(file_error("copying", &key, &error))
            }
            _ => sync_directory(kept),
        }
    }

    fn move_away(&self, name: &str, plan: &SwitchPlan) -> Result<(), StoreError> {
        let from = self.owner_dir.join(name);
        let Some(kept) = &plan.kept else { return remove(&from) };
        match fs::rename(&from, kept.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(file_error("moving", &from, &error)),
            // Durable before anything takes its place.
            Ok(()) => sync_directory(kept).and_then(|()| sync_directory(&self.owner_dir)),
        }
    }

    fn replace(&self, name: &str, plan: &SwitchPlan) -> Result<(), StoreError> {
        let (new, current) = (self.scratch.join(name), self.owner_dir.join(name));
        // Without the new file this step was taken before.
        if !new.exists() {
            return Ok(());
        }
        self.move_away(name, plan)?;
        fs::rename(&new, &current).map_err(|error| file_error("moving", &new, &error))?;
        sync_directory(&self.owner_dir)
    }

    /// Puts the old files back, after a step has failed. Does nothing when the new database is in
    /// its place.
    pub(super) fn undo(&self, plan: &SwitchPlan) {
        let Some(kept) = plan.kept.as_ref().filter(|_| self.scratch.join(MEMORY).exists()) else {
            return;
        };
        let files = fs::read_dir(kept).into_iter().flatten().flatten();
        let returned =
            files.map(|file| fs::rename(file.path(), self.owner_dir.join(file.file_name())));
        if returned.collect::<Result<Vec<()>, _>>().is_ok() && self.remove_scratch().is_ok() {
            // Empty by now; if it stays, nothing is lost.
            let _ = fs::remove_dir(kept);
        }
    }

    /// Finishes a restore that was interrupted, or removes what it had prepared. The lock shows
    /// that none is running.
    pub(super) fn recover(
        &self,
        _lock: &RestoreLock,
        control: &ControlFile,
        options: &Options,
    ) -> Result<(), StoreError> {
        match fs::read_to_string(self.plan_file()) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.remove_scratch(),
            Err(error) => Err(file_error("reading", &self.plan_file(), &error)),
            Ok(text) => {
                let plan = SwitchPlan::parse(&text, self.home.root());
                let plan = plan.ok_or_else(|| StoreError::Damaged {
                    cause: format!("{} is not a plan", self.plan_file().display()),
                })?;
                let mut files = LockFiles::open(&self.home, &self.owner)?;
                let exclusive = files.lock_exclusive(options.busy_timeout)?;
                exclusive.raise_generation()?;
                self.carry_out(&plan, control)
            }
        }
    }

    /// Removes a preparation that came to nothing.
    pub(super) fn discard_unless_planned(&self) {
        if !self.plan_file().exists()
            && let Err(error) = self.remove_scratch()
        {
            tracing::warn!(%error, "what a restore had prepared could not be removed");
        }
    }

    /// Removes the directory of the restore, its plan first.
    fn remove_scratch(&self) -> Result<(), StoreError> {
        remove(&self.plan_file())?;
        match fs::remove_dir_all(&self.scratch) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(file_error("removing", &self.scratch, &error))
            }
            _ => Ok(()),
        }
    }
}

/// Returns true when a restore has decided to switch and has not finished.
pub(crate) fn is_pending(home: &StorePaths, owner: &OwnerId) -> bool {
    RestorePlace::new(home, owner).plan_file().exists()
}

/// Finishes a restore whose process was killed, before the memory is opened.
pub(crate) fn finish_interrupted(
    home: &StorePaths,
    owner: &OwnerId,
    control: &ControlFile,
    options: &Options,
) -> Result<(), StoreError> {
    let place = RestorePlace::new(home, owner);
    if !place.scratch.exists() {
        return Ok(());
    }
    match RestoreLock::acquire(home, owner)? {
        Some(lock) => place.recover(&lock, control, options),
        // It is running; the lifecycle lock makes everybody wait for it.
        None => Ok(()),
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(file_error("removing", path, &error))
        }
        _ => Ok(()),
    }
}

/// Checkpoints and truncates the write-ahead log. Returns false when a reader prevented it.
fn checkpoint(memory: &Path, options: &Options) -> Result<bool, StoreError> {
    const SQL: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let run = || -> rusqlite::Result<bool> {
        let mut conn = Connection::open_with_flags(memory, flags)?;
        BusyHandler::install(&mut conn, options.busy_timeout.min(Duration::from_secs(1)))?;
        conn.query_one(SQL, [], |row| Ok(row.get::<_, i64>(0)? == 0))
    };
    run().map_err(|error| store_error(&error))
}

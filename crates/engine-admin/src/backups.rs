//! Backups into a directory, on request or on a schedule. File names contain the owner and the
//! time. Only scheduled backups are removed, and only while newer scheduled ones exist.

use crate::Admin;
use crate::clock_check::is_from_the_future;
use engine_core::Core;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ErrorCode, Failure, Moment, Permission, limits};
use serde_json::{Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use store::Change;

// Both names are stored in the owner's settings and must not change.
const LAST: &str = "last_backup";
const SCHEDULE: &str = "backup_plan";
/// Part of a file name that marks a scheduled backup.
const SCHEDULED: &str = "-scheduled-";
/// Longest interval between two backups, in hours: one year.
const HOURS_MAX: u32 = 366 * 24;
/// Largest number of scheduled backups to keep.
const KEEP_MAX: u32 = 1_000;
const SECONDS_PER_HOUR: i64 = 3_600;
/// Time after which a failed backup is tried again.
const RETRY_SECONDS: i64 = 600;

/// Schedule of automatic backups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupSchedule {
    /// Interval in hours; no automatic backups when missing.
    pub every_hours: Option<u32>,
    /// Number of scheduled backups to keep.
    pub keep: u32,
}

impl Default for BackupSchedule {
    fn default() -> Self {
        Self { every_hours: None, keep: 7 }
    }
}

/// Result of the last backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastBackup {
    pub at: Moment,
    pub file: String,
    pub bytes: u64,
    /// Reason why the backup failed.
    pub problem: Option<String>,
}

impl<'e> Admin<'e> {
    /// Copies the store to a new file and verifies the copy. Does not note the result.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `conflict` when the file exists;
    /// `storage_failed` when it cannot be written or the copy is damaged.
    pub fn backup(self, caller: &'e Caller, to: &'e Path) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = begin(self.core, caller, Permission::Write, &to).await?;
            call.store().backup(to).await?;
            call.note_shown("backed up", &[]).await;
            Ok(())
        })
    }

    /// Copies the store to a new file and notes the result, also when it fails.
    ///
    /// # Errors
    /// As [`Admin::backup`].
    pub fn back_up_to(self, caller: &'e Caller, to: &'e Path) -> UseCaseFuture<'e, LastBackup> {
        Box::pin(async move {
            let call = begin(self.core, caller, Permission::Write, &to).await?;
            let copied = self.backup(caller, to).await;
            let last = note_result(&call, to, copied.as_ref().err()).await?;
            copied.map(|()| last)
        })
    }

    /// Copies the store to a new file in a directory, which is created if necessary.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `storage_failed` when it cannot be
    /// written.
    pub fn back_up_into(
        self,
        caller: &'e Caller,
        directory: &'e Path,
    ) -> UseCaseFuture<'e, LastBackup> {
        Box::pin(async move { self.back_up_named(caller, directory, "-").await })
    }

    /// Makes a backup if the schedule says that one is due, and removes surplus scheduled backups.
    ///
    /// # Errors
    /// As [`Admin::back_up_into`].
    pub fn back_up_when_due(
        self,
        caller: &'e Caller,
        directory: &'e Path,
    ) -> UseCaseFuture<'e, Option<LastBackup>> {
        Box::pin(async move {
            let plan = self.backup_schedule(caller).await?;
            let Some(hours) = plan.every_hours else { return Ok(None) };
            if !is_due(self.last_backup(caller).await?.as_ref(), hours, self.core.now()) {
                return Ok(None);
            }
            // Held until the result is noted, so that of many processes one makes the backup.
            let lock = match lock_schedule(directory, caller.owner.as_str()) {
                Ok(Some(lock)) => lock,
                Ok(None) => return Ok(None),
                Err(failure) => {
                    let call = begin(self.core, caller, Permission::Write, &directory).await?;
                    note_result(&call, directory, Some(&failure)).await?;
                    return Err(failure);
                }
            };
            if !is_due(self.last_backup(caller).await?.as_ref(), hours, self.core.now()) {
                return Ok(None);
            }
            let done = self.back_up_named(caller, directory, SCHEDULED).await?;
            // Old backups go only after the new one was verified: there is always a sound one.
            remove_oldest(directory, caller.owner.as_str(), plan.keep as usize, done.at);
            drop(lock);
            Ok(Some(done))
        })
    }

    /// Returns the result of the last backup; `None` before the first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn last_backup(self, caller: &'e Caller) -> UseCaseFuture<'e, Option<LastBackup>> {
        Box::pin(async move {
            let call = begin(self.core, caller, Permission::Read, &LAST).await?;
            Ok(setting(&call, LAST).await?.as_ref().and_then(decode_last))
        })
    }

    /// Returns the backup schedule.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn backup_schedule(self, caller: &'e Caller) -> UseCaseFuture<'e, BackupSchedule> {
        Box::pin(async move {
            let call = begin(self.core, caller, Permission::Read, &SCHEDULE).await?;
            let stored = setting(&call, SCHEDULE).await?;
            let number = |name: &str| {
                stored.as_ref()?.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok())
            };
            Ok(BackupSchedule {
                every_hours: number("every_hours"),
                keep: number("keep").unwrap_or(BackupSchedule::default().keep),
            })
        })
    }

    /// Sets the backup schedule.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `limit_exceeded` when the interval
    /// is longer than a year or more than a thousand files are to be kept.
    pub fn set_backup_schedule(
        self,
        caller: &'e Caller,
        plan: BackupSchedule,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = begin(self.core, caller, Permission::Write, &plan).await?;
            let hours = f64::from(plan.every_hours.unwrap_or(1));
            limits::range("every_hours", hours, 1.0, f64::from(HOURS_MAX))?;
            limits::range("keep", f64::from(plan.keep), 1.0, f64::from(KEEP_MAX))?;
            let value = json!({ "every_hours": plan.every_hours, "keep": plan.keep });
            let schedule = plan
                .every_hours
                .map_or("on request".to_owned(), |hours| format!("every {hours} hours"));
            let change = Change::PutSetting { name: SCHEDULE.to_owned(), value };
            call.write(format!("backs up {schedule}"), vec![change]).await?;
            Ok(())
        })
    }

    async fn back_up_named(
        self,
        caller: &Caller,
        directory: &Path,
        word: &str,
    ) -> Result<LastBackup, Failure> {
        let call = begin(self.core, caller, Permission::Write, &directory).await?;
        match new_backup_path(&call, directory, word) {
            Ok(to) => self.back_up_to(caller, &to).await,
            Err(failure) => {
                note_result(&call, directory, Some(&failure)).await?;
                Err(failure)
            }
        }
    }
}

async fn begin<'e>(
    core: &'e Core,
    caller: &'e Caller,
    permission: Permission,
    arguments: &(dyn std::fmt::Debug + Sync),
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, permission, arguments).await
}

/// Notes the result of a backup, which the dashboard shows.
async fn note_result(
    call: &Call<'_>,
    to: &Path,
    failure: Option<&Failure>,
) -> Result<LastBackup, Failure> {
    let bytes = to.metadata().ok().filter(|file| file.is_file()).map_or(0, |file| file.len());
    let problem = failure.map(|failure| failure.message.clone());
    let last = LastBackup { at: call.at, bytes, file: to.display().to_string(), problem };
    let value = json!({
        "at": last.at.0, "file": last.file, "bytes": last.bytes, "problem": last.problem
    });
    let change = Change::PutSetting { name: LAST.to_owned(), value };
    call.write("noted the result of a backup", vec![change]).await?;
    Ok(last)
}

/// Returns whether the next scheduled backup is due. A failed one is tried again sooner, though not
/// every minute; one that is dated in the future was made under a wrong clock.
fn is_due(last: Option<&LastBackup>, hours: u32, now: Moment) -> bool {
    let Some(last) = last else { return true };
    let interval = i64::from(hours) * SECONDS_PER_HOUR;
    let wait = if last.problem.is_some() { interval.min(RETRY_SECONDS) } else { interval };
    is_from_the_future(last.at, now) || last.at.plus_seconds(wait) <= now
}

/// Takes the right to make the scheduled backup of an owner, which lasts until the file is closed.
/// Returns `None` while another process has it.
fn lock_schedule(directory: &Path, owner: &str) -> Result<Option<File>, Failure> {
    let path = directory.join(format!(".{owner}{SCHEDULED}lock"));
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let opened = create_private_directory(directory).and_then(|()| options.open(path));
    let file = opened.map_err(|error| unwritable(directory, &error))?;
    Ok(file.try_lock().ok().map(|()| file))
}

fn unwritable(directory: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot write to the directory {}: {error}", directory.display());
    Failure::new(ErrorCode::StorageFailed, message)
}

async fn setting(call: &Call<'_>, name: &str) -> Result<Option<Value>, Failure> {
    call.store().setting(name).await
}

fn decode_last(stored: &Value) -> Option<LastBackup> {
    Some(LastBackup {
        at: Moment(stored["at"].as_i64()?),
        file: stored["file"].as_str()?.to_owned(),
        bytes: stored["bytes"].as_u64()?,
        problem: stored["problem"].as_str().map(str::to_owned),
    })
}

/// Returns a path in the directory that does not exist yet.
fn new_backup_path(call: &Call<'_>, directory: &Path, word: &str) -> Result<PathBuf, Failure> {
    create_private_directory(directory).map_err(|error| unwritable(directory, &error))?;
    // Colons are not allowed in file names on Windows.
    let time = call.at.to_string().replace(':', "-");
    let to = directory.join(format!("{}{word}{time}.db", call.caller.owner));
    if to.symlink_metadata().is_ok() {
        return Err(Failure::new(
            ErrorCode::Conflict,
            "a backup with this time already exists; try again in a second",
        ));
    }
    Ok(to)
}

// A backup holds everything the store holds, so others on the machine must not read it.
fn create_private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Removes surplus scheduled backups. The time in the name sorts the oldest first, after those that
/// are dated later than the newest: they were made under a wrong clock.
fn remove_oldest(directory: &Path, owner: &str, keep: usize, newest: Moment) {
    let name_of = |path: &Path| {
        path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
    };
    let newest = format!("{owner}{SCHEDULED}{}.db", newest.to_string().replace(':', "-"));
    let ours = |path: &PathBuf| {
        let name = name_of(path);
        name.starts_with(&format!("{owner}{SCHEDULED}")) && name.ends_with(".db")
    };
    let listed =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut scheduled: Vec<PathBuf> = listed.filter(ours).collect();
    scheduled.sort_by_key(|path| (name_of(path) <= newest, name_of(path)));
    let too_many = scheduled.len().saturating_sub(keep);
    for old in &scheduled[..too_many] {
        if let Err(error) = std::fs::remove_file(old) {
            tracing::warn!(%error, file = %old.display(), "could not remove an old backup");
        }
    }
}

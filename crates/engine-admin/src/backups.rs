//! Backups into a directory: named by owner and time, by hand or every so many hours, with how the
//! last one went. Only what the schedule made is ever removed, and only when newer ones of its kind
//! are there.

use crate::Admin;
use engine_core::Core;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{ErrorCode, Failure, Moment, Permission, limits};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::Change;

/// How the last backup went.
const LAST: &str = "last_backup";
/// How often backups are made by themselves, and how many of those are kept.
const PLAN: &str = "backup_plan";
/// The word in the name of a file that the schedule made.
const SCHEDULED: &str = "-scheduled-";
/// The longest pause between two backups, in hours: a year.
const HOURS_MAX: u32 = 366 * 24;
/// How many may be kept.
const KEPT_MAX: u32 = 1_000;
const SECONDS_PER_HOUR: i64 = 3_600;

/// How often backups are made by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupPlan {
    /// Every so many hours; never when missing.
    pub every_hours: Option<u32>,
    /// How many of them are kept.
    pub keep: u32,
}

impl Default for BackupPlan {
    fn default() -> Self {
        Self { every_hours: None, keep: 7 }
    }
}

/// How the last backup went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastBackup {
    /// When.
    pub at: Moment,
    /// The file.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Why there is no such file after all.
    pub problem: Option<String>,
}

impl Admin<'_> {
    /// Copies the memory as it stands to a new file, and checks the copy. Writes nothing to the
    /// memory itself.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `conflict` when the file is there
    /// already; `storage_failed` when it cannot be written or the copy is not sound.
    pub async fn backup(self, caller: &Caller, to: &Path) -> Result<(), Failure> {
        let call = begin(self.core, caller, Permission::Write, &to).await?;
        call.store().backup(to).await?;
        call.note_shown("backed up", &[]).await;
        Ok(())
    }

    /// The same, and remembers how it went.
    ///
    /// # Errors
    /// As [`Admin::backup`].
    pub async fn back_up_to(self, caller: &Caller, to: &Path) -> Result<LastBackup, Failure> {
        let call = begin(self.core, caller, Permission::Write, &to).await?;
        let copied = self.backup(caller, to).await;
        let last = LastBackup {
            at: call.at,
            bytes: to.metadata().map_or(0, |file| file.len()),
            file: to.display().to_string(),
            problem: copied.as_ref().err().map(|failure| failure.message.clone()),
        };
        let value = json!({ "at": last.at.0, "file": last.file, "bytes": last.bytes, "problem": last.problem });
        let change = Change::PutSetting { name: LAST.to_owned(), value };
        call.write("noted how the backup went", vec![change]).await?;
        copied.map(|()| last)
    }

    /// Copies the memory as it stands to a new file of a directory, which is made if it is not
    /// there.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `storage_failed` when it cannot be
    /// written.
    pub async fn back_up_into(
        self,
        caller: &Caller,
        directory: &Path,
    ) -> Result<LastBackup, Failure> {
        self.back_up_as(caller, directory, "-").await
    }

    /// Makes a backup if the owner's schedule wants one by now, and removes those that it has too
    /// many of.
    ///
    /// # Errors
    /// As [`Admin::back_up_into`].
    pub async fn back_up_when_due(
        self,
        caller: &Caller,
        directory: &Path,
    ) -> Result<Option<LastBackup>, Failure> {
        let plan = self.backup_plan(caller).await?;
        let Some(hours) = plan.every_hours else { return Ok(None) };
        let due = |last: &LastBackup| last.at.plus_seconds(i64::from(hours) * SECONDS_PER_HOUR);
        let last = self.last_backup(caller).await?;
        if last.is_some_and(|last| due(&last) > self.core.now()) {
            return Ok(None);
        }
        let done = self.back_up_as(caller, directory, SCHEDULED).await?;
        remove_oldest(directory, caller.owner.as_str(), plan.keep as usize);
        Ok(Some(done))
    }

    /// How the last backup went; `None` before the first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn last_backup(self, caller: &Caller) -> Result<Option<LastBackup>, Failure> {
        let call = begin(self.core, caller, Permission::Read, &LAST).await?;
        Ok(setting(&call, LAST).await?.as_ref().and_then(read_last))
    }

    /// How often backups are made by themselves.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn backup_plan(self, caller: &Caller) -> Result<BackupPlan, Failure> {
        let call = begin(self.core, caller, Permission::Read, &PLAN).await?;
        let kept = setting(&call, PLAN).await?;
        let number =
            |name: &str| kept.as_ref()?.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok());
        Ok(BackupPlan {
            every_hours: number("every_hours"),
            keep: number("keep").unwrap_or(BackupPlan::default().keep),
        })
    }

    /// Says how often backups are made by themselves.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `limit_exceeded` past a year or a
    /// thousand.
    pub async fn plan_backups(self, caller: &Caller, plan: BackupPlan) -> Result<(), Failure> {
        let call = begin(self.core, caller, Permission::Write, &plan).await?;
        let hours = f64::from(plan.every_hours.unwrap_or(1));
        limits::range("every_hours", hours, 1.0, f64::from(HOURS_MAX))?;
        limits::range("keep", f64::from(plan.keep), 1.0, f64::from(KEPT_MAX))?;
        let value = json!({ "every_hours": plan.every_hours, "keep": plan.keep });
        let told =
            plan.every_hours.map_or("by hand".to_owned(), |hours| format!("every {hours} hours"));
        let change = Change::PutSetting { name: PLAN.to_owned(), value };
        call.write(format!("backs up {told}"), vec![change]).await?;
        Ok(())
    }

    async fn back_up_as(
        self,
        caller: &Caller,
        directory: &Path,
        word: &str,
    ) -> Result<LastBackup, Failure> {
        let call = begin(self.core, caller, Permission::Write, &directory).await?;
        let to = free_place(&call, directory, word)?;
        self.back_up_to(caller, &to).await
    }
}

async fn begin<'e>(
    core: &'e Core,
    caller: &'e Caller,
    permission: Permission,
    arguments: &impl std::fmt::Debug,
) -> Result<Call<'e>, Failure> {
    Call::begin(core, caller, Resource::Administration, permission, arguments).await
}

async fn setting(call: &Call<'_>, name: &str) -> Result<Option<Value>, Failure> {
    call.store().setting(name).await
}

fn read_last(kept: &Value) -> Option<LastBackup> {
    Some(LastBackup {
        at: Moment(kept["at"].as_i64()?),
        file: kept["file"].as_str()?.to_owned(),
        bytes: kept["bytes"].as_u64()?,
        problem: kept["problem"].as_str().map(str::to_owned),
    })
}

/// A file of the directory that is not there yet.
fn free_place(call: &Call<'_>, directory: &Path, word: &str) -> Result<PathBuf, Failure> {
    let unwritable = |error: std::io::Error| {
        let message = format!("the directory {} cannot be made: {error}", directory.display());
        Failure::new(ErrorCode::StorageFailed, message)
    };
    make_private(directory).map_err(unwritable)?;
    let time = call.at.to_string().replace(':', "-");
    let to = directory.join(format!("{}{word}{time}.db", call.caller.owner));
    if to.symlink_metadata().is_ok() {
        return Err(Failure::new(
            ErrorCode::Conflict,
            "there is a backup of this second; wait for the next",
        ));
    }
    Ok(to)
}

fn make_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// Removes what the schedule made and keeps no longer. The time in a name makes the oldest come
/// first.
fn remove_oldest(directory: &Path, owner: &str, keep: usize) {
    let ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(&format!("{owner}{SCHEDULED}")) && name.ends_with(".db")
    };
    let listed =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut scheduled: Vec<PathBuf> = listed.filter(ours).collect();
    scheduled.sort();
    let too_many = scheduled.len().saturating_sub(keep);
    for old in &scheduled[..too_many] {
        if let Err(error) = std::fs::remove_file(old) {
            tracing::warn!(%error, file = %old.display(), "an old backup could not be removed");
        }
    }
}

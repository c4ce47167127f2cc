//! Restore: puts a backup in the place of an owner's memory. The backup is copied beside the memory
//! and verified there; then one rename of a plan decides, under the exclusive lifecycle lock, and
//! whoever opens the memory after a crash carries the plan out. The replaced memory is kept whole.
//! Credentials and the owner's own files stay as they are.

mod preparation;
mod switch;
#[cfg(test)]
mod tests;

use crate::control::ControlFile;
use crate::files::StorePaths;
use crate::lifecycle::{LockFiles, RestoreLock};
use crate::{Options, presence};
use model::{Moment, OwnerId};
use std::path::{Path, PathBuf};
use store::StoreError;
use switch::{RestorePlace, SwitchPlan};

pub(crate) use switch::{finish_interrupted, is_pending};

/// A request to restore a backup.
#[derive(Debug, Clone, Copy)]
pub struct RestoreRequest<'r> {
    /// Home directory of the store.
    pub home: &'r Path,
    pub owner: &'r OwnerId,
    /// A backup, or the directory of a memory that an earlier restore replaced.
    pub backup: &'r Path,
    /// Directory for the replaced memory; must not exist yet.
    pub kept: &'r Path,
    pub at: Moment,
    /// Allows to replace a memory that exists.
    pub replace: bool,
    /// Also ends every key, token and the password, and begins a new audit key.
    pub reset_credentials: bool,
}

/// Result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreOutcome {
    /// Number of active memories in the restored one.
    pub memories: usize,
    /// Directory of the memory that was replaced, if there was one.
    pub kept: Option<PathBuf>,
}

/// The reason why a backup was not restored. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("it is not a backup of Quipu: {cause}")]
    NotABackup { cause: String },
    #[error("the backup is damaged: {}", .problems.join("; "))]
    Damaged { problems: Vec<String> },
    #[error("there is a memory already")]
    Exists,
    #[error("another restore of this memory is running")]
    Running,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Restores a backup. Blocks.
///
/// # Errors
/// Fails when the backup is not sound, a memory exists and may not be replaced, another restore
/// runs, or other processes use the memory for longer than the busy timeout.
pub fn restore(
    request: &RestoreRequest<'_>,
    options: &Options,
) -> Result<RestoreOutcome, RestoreError> {
    let home = StorePaths::at(request.home)?;
    presence::check_control(&home)?;
    let control = ControlFile::open(&home.control(), options)?;
    let lock = RestoreLock::acquire(&home, request.owner)?.ok_or(RestoreError::Running)?;
    let place = RestorePlace::new(&home, request.owner);
    place.recover(&lock, &control, options)?;
    if request.kept.symlink_metadata().is_ok() {
        return Err(StoreError::FileExists.into());
    }
    let exists = presence::has_traces(&home, request.owner);
    if exists && !request.replace {
        return Err(RestoreError::Exists);
    }
    let restored = prepare_and_switch(request, &home, &place, &control, options, exists);
    if restored.is_err() {
        place.discard_unless_planned();
    }
    restored
}

fn prepare_and_switch(
    request: &RestoreRequest<'_>,
    home: &StorePaths,
    place: &RestorePlace,
    control: &ControlFile,
    options: &Options,
    exists: bool,
) -> Result<RestoreOutcome, RestoreError> {
    let prepared = preparation::prepare(place, request, options)?;
    let plan = SwitchPlan {
        kept: exists.then(|| request.kept.to_owned()),
        reset_credentials: request.reset_credentials,
        new_key: prepared.new_key,
        at: request.at,
    };
    let mut files = LockFiles::open(home, request.owner)?;
    let exclusive = files.lock_exclusive(options.busy_timeout)?;
    place.settle(options)?;
    exclusive.raise_generation()?;
    place.decide(&plan)?;
    if let Err(error) = place.carry_out(&plan, control) {
        // The old memory is put back as far as the disk allows; otherwise the plan stays, and
        // whoever opens the memory next carries it out.
        place.undo(&plan);
        return Err(error.into());
    }
    Ok(RestoreOutcome { memories: prepared.memories, kept: plan.kept })
}

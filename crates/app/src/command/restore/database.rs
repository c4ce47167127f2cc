//! Restore into a database. The backup is first restored into files beside it, which verifies it,
//! brings it to the format of this program and gives it a new identity; from there it is copied as
//! `quipu move` does, in one transaction with the removal of the memory that it replaces.

use super::RestoreArgs;
use crate::command::backup::unused_name;
use crate::command::move_store::copy_of;
use crate::exit::Problem;
use crate::files;
use crate::home_dir::HomeDir;
use crate::setup::Setup;
use crate::store_choice::open_postgres;
use engine::{Clock, SystemClock};
use std::path::{Path, PathBuf};
use store::Store;
use store_postgres::{OwnerReplacement, ReplaceOutcome};
use store_sqlite::{Options, RestoreError, RestoreOutcome, RestoreRequest, SqliteStore};

/// Restores a backup into the database.
///
/// # Errors
/// Fails when the backup is damaged, a memory exists and may not be replaced, or the database
/// fails.
pub(super) async fn restore(
    args: &RestoreArgs,
    setup: &Setup,
    url: &str,
) -> Result<RestoreOutcome, Problem> {
    let above = setup.home.path().join("restore");
    let scratch = above.join(setup.config.owner.as_str());
    // One that was interrupted left its copy.
    remove_scratch(&scratch)?;
    files::create_private_dir(&above)?;
    files::create_private_dir(&scratch)?;
    let restored = restore_through(args, setup, url, &scratch).await;
    let removed = remove_scratch(&scratch);
    // It stays while another owner is being restored.
    let _ = std::fs::remove_dir(&above);
    // An error of the restore tells more than one of the cleanup.
    restored.and_then(|outcome| removed.map(|()| outcome))
}

async fn restore_through(
    args: &RestoreArgs,
    setup: &Setup,
    url: &str,
    scratch: &Path,
) -> Result<RestoreOutcome, Problem> {
    let owner = &setup.config.owner;
    let (memories, copy) = prepare(args, setup, scratch).await?;
    let kept = unused_name(setup, "-replaced", ".db")?;
    let replacement = OwnerReplacement {
        file: copy,
        kept: kept.clone(),
        at: SystemClock.now(),
        replace: args.force,
        reset_credentials: args.reset_credentials,
    };
    let database = open_postgres(&setup.home, &setup.config, url).await?;
    let kept = match database.replace_owner(owner, replacement).await? {
        ReplaceOutcome::Refused => return Err(args.problem(setup, RestoreError::Exists)),
        ReplaceOutcome::Added => None,
        ReplaceOutcome::Replaced => Some(kept),
    };
    let report = database.verify_audit(owner).await?;
    if let Some(fault) = report.faults.first() {
        return Err(Problem::failed(
            format!("the backup was restored, but its audit log is not intact: {fault}"),
            "See `quipu audit verify`.",
        ));
    }
    Ok(RestoreOutcome { memories, kept })
}

/// Restores the backup into a store of files, and returns the number of active memories and a copy
/// whose audit log was verified.
async fn prepare(
    args: &RestoreArgs,
    setup: &Setup,
    scratch: &Path,
) -> Result<(usize, PathBuf), Problem> {
    let (home, owner) = (scratch.join("home"), &setup.config.owner);
    HomeDir::find(Some(&home), |_| None)?.create()?;
    let request = RestoreRequest {
        home: &home,
        owner,
        backup: &args.file,
        kept: &scratch.join("replaced"),
        at: SystemClock.now(),
        replace: false,
        reset_credentials: false,
    };
    let options = Options { busy_timeout: setup.config.busy_timeout, ..Options::default() };
    let restored = store_sqlite::restore(&request, &options);
    let memories = restored.map_err(|error| args.problem(setup, error))?.memories;
    let store = SqliteStore::open(&home, options)?;
    Ok((memories, copy_of(&store, owner, scratch).await?))
}

fn remove_scratch(scratch: &Path) -> Result<(), Problem> {
    match std::fs::remove_dir_all(scratch) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Problem::file("removing", scratch, &error))
        }
        _ => Ok(()),
    }
}

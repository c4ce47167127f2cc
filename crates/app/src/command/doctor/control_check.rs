//! Checks the control database, the list of owners and keys. It can be recreated, because it
//! contains no memories.

use super::DoctorMode;
use super::check::DoctorCheck;
use crate::files::read_small;
use crate::setup::Setup;
use engine::{Clock, SystemClock};
use model::OwnerId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use store_sqlite::SqliteStore;

/// First bytes of every SQLite database.
const SQLITE_HEADER: &str = "SQLite format 3\0";
/// Endings of the files of a database.
const DATABASE_FILES: [&str; 3] = ["", "-wal", "-shm"];

/// Checks that the control database is intact.
pub(super) fn control(setup: &Setup, mode: DoctorMode) -> DoctorCheck {
    if setup.config.store.is_some() {
        return DoctorCheck::ok("control", "the list of owners is in the database");
    }
    let (file, home) = (setup.home.control_db(), setup.home.path());
    let fault = match find_fault(&file, home) {
        Ok(finding) => return DoctorCheck::ok("control", finding),
        Err(fault) => fault,
    };
    if mode == DoctorMode::Fix {
        return recreate(&file, home, fault);
    }
    let advice = format!(
        "`quipu doctor --fix` moves {} away and lists the owners anew; their keys have to be made \
         again.",
        file.display()
    );
    DoctorCheck::fail("control", fault, advice)
}

/// Returns the finding about a sound file, or the fault in words.
fn find_fault(file: &Path, home: &Path) -> Result<&'static str, String> {
    let header = read_small(file, SQLITE_HEADER.len() as u64);
    let is_empty = |header: &Option<String>| header.as_deref().unwrap_or_default().is_empty();
    match header {
        Ok(header) if is_empty(&header) => SqliteStore::check_control(home)
            .map(|()| "none yet; it is created on first use")
            .map_err(|error| error.to_string()),
        Ok(Some(header)) if header == SQLITE_HEADER => match SqliteStore::inspect_control(home) {
            Ok(problems) if problems.is_empty() => Ok("the list of owners is intact"),
            Ok(problems) => Err(format!("the list of owners is damaged: {}", problems.join("; "))),
            Err(error) => Err(format!("the list of owners is damaged: {error}")),
        },
        _ => Err("the list of owners is damaged".to_owned()),
    }
}

/// Moves the list of owners away and makes a new one from the owners that have files.
fn recreate(file: &Path, home: &Path, fault: String) -> DoctorCheck {
    // The log of the damaged file as well: SQLite would replay it into the new one.
    let moved = DATABASE_FILES.iter().try_for_each(|ending| {
        match std::fs::rename(with_ending(file, ending), with_ending(&damaged_name(file), ending)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.to_string()),
            _ => Ok(()),
        }
    });
    let made = moved.and_then(|()| {
        SqliteStore::rebuild_control(home, SystemClock.now()).map_err(|error| error.to_string())
    });
    match made {
        Ok(owners) => {
            let owners: Vec<&str> = owners.iter().map(OwnerId::as_str).collect();
            let listed = format!("fixed: listed the owners anew: {}", owners.join(", "));
            let advice =
                "Make their keys again with `quipu keys create`; the old ones are not known.";
            DoctorCheck::warn("control", listed, advice)
        }
        Err(cause) => DoctorCheck::fail("control", format!("{fault}: {cause}"), "Check the disk."),
    }
}

fn damaged_name(file: &Path) -> PathBuf {
    file.with_extension("damaged")
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    PathBuf::from(name)
}

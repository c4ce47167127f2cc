//! Checks of the home directory and the machine: permissions, disk space, the control database, and
//! whether clients find the program on the path.

use super::DoctorMode;
use super::check::DoctorCheck;
use crate::files::read_small;
use crate::leftovers;
use crate::render::{count_with_noun, human_size};
use crate::setup::Setup;
use engine::{Clock, SystemClock};
use model::OwnerId;
use std::path::{Path, PathBuf};
use store_sqlite::SqliteStore;

/// First bytes of every SQLite database.
const SQLITE_HEADER: &str = "SQLite format 3\0";
/// Free space below which the check fails: a write needs some, and so does the write-ahead log.
const FREE_BYTES_FAIL: u64 = 16 << 20;
/// Free space below which the check warns.
const FREE_BYTES_WARN: u64 = 512 << 20;

/// Checks that only the owner can access the home directory.
pub(super) fn home(setup: &Setup, mode: DoctorMode) -> DoctorCheck {
    let path = setup.home.path();
    if let Err(problem) = setup.home.create() {
        return DoctorCheck::fail(
            "home",
            problem.message(),
            "Choose a writable directory with --home or QUIPU_HOME.",
        );
    }
    check_private("home", path, 0o700, mode)
}

/// Checks that only the owner can access the token, the memory and the backups.
pub(super) fn secrets(setup: &Setup, mode: DoctorMode) -> DoctorCheck {
    let owner = setup.home.owner_dir(&setup.config.owner);
    let files =
        [(setup.home.token_file(), 0o600), (owner, 0o700), (setup.home.backups_dir(), 0o700)];
    let existing = files.into_iter().filter(|(path, _)| path.exists());
    // Collected first, so that every file is fixed and not only the first bad one.
    let checks: Vec<DoctorCheck> =
        existing.map(|(path, wanted)| check_private("secrets", &path, wanted, mode)).collect();
    let wrong = checks.into_iter().find(|check| check.advice.is_some());
    wrong.unwrap_or_else(|| DoctorCheck::ok("secrets", "token, memory and backups are private"))
}

#[cfg(unix)]
fn check_private(name: &'static str, path: &Path, wanted: u32, mode: DoctorMode) -> DoctorCheck {
    use std::os::unix::fs::PermissionsExt;
    let shown = path.display();
    let permissions = match path.metadata() {
        Ok(metadata) => metadata.permissions().mode() & 0o777,
        Err(error) => {
            return DoctorCheck::fail(name, format!("{shown}: {error}"), "Check its owner.");
        }
    };
    if permissions & 0o077 == 0 {
        return DoctorCheck::ok(name, format!("{shown} is private"));
    }
    let fixed = mode == DoctorMode::Fix
        && std::fs::set_permissions(path, std::fs::Permissions::from_mode(wanted)).is_ok();
    if fixed {
        return DoctorCheck::ok(name, format!("fixed: {shown} is now private"));
    }
    let found = format!("other users can access {shown} (mode {permissions:o})");
    DoctorCheck::warn(name, found, format!("Use --fix, or run: chmod {wanted:o} {shown}"))
}

#[cfg(not(unix))]
fn check_private(name: &'static str, path: &Path, _wanted: u32, _mode: DoctorMode) -> DoctorCheck {
    match path.metadata() {
        Ok(_) => DoctorCheck::ok(name, format!("{} exists", path.display())),
        Err(error) => {
            DoctorCheck::fail(name, format!("{}: {error}", path.display()), "Check its owner.")
        }
    }
}

/// Checks that the control database, the list of owners, is readable. It can be recreated, because
/// it contains no memories.
pub(super) fn control(setup: &Setup, mode: DoctorMode) -> DoctorCheck {
    if setup.config.store.is_some() {
        return DoctorCheck::ok("control", "the list of owners is in the database");
    }
    let (file, home) = (setup.home.control_db(), setup.home.path());
    let fault = match read_small(&file, SQLITE_HEADER.len() as u64) {
        Ok(Some(header)) if header == SQLITE_HEADER => {
            return DoctorCheck::ok("control", "the list of owners is readable");
        }
        Ok(header) if header.as_deref().unwrap_or_default().is_empty() => {
            match SqliteStore::check_control(home) {
                Ok(()) => {
                    return DoctorCheck::ok("control", "none yet; it is created on first use");
                }
                Err(error) => error.to_string(),
            }
        }
        _ => "the list of owners is damaged".to_owned(),
    };
    if mode == DoctorMode::Fix {
        return recreate_control(&file, home, fault);
    }
    let advice = format!(
        "`quipu doctor --fix` moves {} away and lists the owners anew; their keys have to be made \
         again.",
        file.display()
    );
    DoctorCheck::fail("control", fault, advice)
}

/// Moves the list of owners away and makes a new one from the owners that have files.
fn recreate_control(file: &Path, home: &Path, fault: String) -> DoctorCheck {
    let moved = match std::fs::rename(file, file.with_extension("damaged")) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.to_string()),
        _ => Ok(()),
    };
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

/// Checks for files of processes that ended before they were done.
pub(super) fn leftovers(setup: &Setup, mode: DoctorMode) -> DoctorCheck {
    let found = leftovers::find(&setup.home, &setup.config.owner);
    if found.is_empty() {
        return DoctorCheck::ok("leftovers", "no unfinished files");
    }
    let bytes = found.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len()).sum();
    let count = count_with_noun(found.len(), "unfinished file", "unfinished files");
    let shown = format!("{count} of {}", human_size(bytes));
    if mode == DoctorMode::Fix && found.iter().all(|path| std::fs::remove_file(path).is_ok()) {
        return DoctorCheck::ok("leftovers", format!("fixed: removed {shown}"));
    }
    DoctorCheck::warn("leftovers", shown, "Use --fix to remove what ended processes left behind.")
}

/// Checks the free disk space.
pub(super) fn disk(setup: &Setup) -> DoctorCheck {
    match free_bytes(setup.home.path()) {
        None => DoctorCheck::ok("disk", "the free space is unknown on this system"),
        Some(left) => check_free_bytes(left),
    }
}

fn check_free_bytes(left: u64) -> DoctorCheck {
    let found = format!("{} free", human_size(left));
    let advice = "Free some disk space, or move the home directory.";
    match left {
        left if left < FREE_BYTES_FAIL => DoctorCheck::fail("disk", found, advice),
        left if left < FREE_BYTES_WARN => DoctorCheck::warn("disk", found, advice),
        _ => DoctorCheck::ok("disk", found),
    }
}

#[cfg(unix)]
fn free_bytes(path: &Path) -> Option<u64> {
    let existing = path.ancestors().find(|path| path.exists())?;
    let stat = rustix::fs::statvfs(existing).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

/// Checks that `quipu` is on the path, where clients look for it.
pub(super) fn on_path() -> DoctorCheck {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("quipu{}", std::env::consts::EXE_SUFFIX);
    let found: Option<PathBuf> = std::env::split_paths(&directories)
        .map(|directory| directory.join(&name))
        .find(|path| path.is_file());
    match found {
        Some(path) => DoctorCheck::ok("path", format!("clients will start {}", path.display())),
        None => {
            let advice = "Install it (cargo install --locked --path crates/app), or configure \
                          clients with the full path.";
            DoctorCheck::warn(
                "path",
                "`quipu` is not on the PATH, so clients cannot start it",
                advice,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn too_little_free_space_fails_and_little_warns() {
        for (left, state) in [
            (0, CheckState::Fail),
            (FREE_BYTES_FAIL, CheckState::Warn),
            (FREE_BYTES_WARN, CheckState::Ok),
        ] {
            assert_eq!(check_free_bytes(left).state, state, "{left}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_can_read_is_reported_and_fixed() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let check = |mode| check_private("home", directory.path(), 0o700, mode).state;
        assert_eq!(check(DoctorMode::Report), CheckState::Warn);
        assert_eq!(check(DoctorMode::Fix), CheckState::Ok);
        assert_eq!(check(DoctorMode::Report), CheckState::Ok);
    }
}

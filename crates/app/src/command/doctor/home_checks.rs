//! Checks of the home directory and the machine: permissions, unfinished files, and whether clients
//! find the program on the path.

use super::DoctorMode;
use super::check::DoctorCheck;
use crate::leftovers;
use crate::render::{count_with_noun, human_size};
use crate::setup::Setup;
use std::path::{Path, PathBuf};

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

//! Checks of the home directory and the machine: permissions, disk space, the control database, and
//! whether clients find the program on the path.

use super::Mode;
use super::check::Check;
use crate::files::read_small;
use crate::setup::Setup;
use crate::shown::size;
use std::path::{Path, PathBuf};

/// First bytes of every SQLite database.
const DATABASE: &str = "SQLite format 3\0";
/// Free space below which the check fails: a write needs some, and so does the write-ahead log.
const BYTES_NEEDED: u64 = 16 << 20;
/// Free space below which the check warns.
const BYTES_COMFORTABLE: u64 = 512 << 20;

/// Checks that only the owner can access the home directory.
pub(super) fn home(setup: &Setup, mode: Mode) -> Check {
    let path = setup.home.path();
    if let Err(problem) = setup.home.make() {
        return Check::fail(
            "home",
            problem.message(),
            "Choose a writable directory with --home or QUIPU_HOME.",
        );
    }
    private("home", path, 0o700, mode)
}

/// Checks that only the owner can access the token, the memory and the backups.
pub(super) fn secrets(setup: &Setup, mode: Mode) -> Check {
    let owner = setup.home.owner(&setup.config.owner);
    let files = [(setup.home.token(), 0o600), (owner, 0o700), (setup.home.backups(), 0o700)];
    let there = files.into_iter().filter(|(path, _)| path.exists());
    // Collected first, so that every file is fixed and not only the first bad one.
    let checks: Vec<Check> =
        there.map(|(path, wanted)| private("secrets", &path, wanted, mode)).collect();
    let wrong = checks.into_iter().find(|check| check.mend.is_some());
    wrong.unwrap_or_else(|| Check::ok("secrets", "token, memory and backups are private"))
}

#[cfg(unix)]
fn private(name: &'static str, path: &Path, wanted: u32, mode: Mode) -> Check {
    use std::os::unix::fs::PermissionsExt;
    let shown = path.display();
    let permissions = match path.metadata() {
        Ok(metadata) => metadata.permissions().mode() & 0o777,
        Err(error) => return Check::fail(name, format!("{shown}: {error}"), "Check its owner."),
    };
    if permissions & 0o077 == 0 {
        return Check::ok(name, format!("{shown} is private"));
    }
    let fixed = mode == Mode::Mend
        && std::fs::set_permissions(path, std::fs::Permissions::from_mode(wanted)).is_ok();
    if fixed {
        return Check::ok(name, format!("fixed: {shown} is now private"));
    }
    let found = format!("other users can access {shown} (mode {permissions:o})");
    Check::warn(name, found, format!("Use --fix, or run: chmod {wanted:o} {shown}"))
}

#[cfg(not(unix))]
fn private(name: &'static str, path: &Path, _wanted: u32, _mode: Mode) -> Check {
    match path.metadata() {
        Ok(_) => Check::ok(name, format!("{} exists", path.display())),
        Err(error) => Check::fail(name, format!("{}: {error}", path.display()), "Check its owner."),
    }
}

/// Checks that the control database, the list of owners, is readable. It can be recreated, because
/// it contains no memories.
pub(super) fn control(setup: &Setup, mode: Mode) -> Check {
    let file = setup.home.control();
    match read_small(&file, DATABASE.len() as u64) {
        Ok(None) => Check::ok("control", "none yet; it is created on first use"),
        Ok(Some(begins)) if begins.is_empty() || begins == DATABASE => {
            Check::ok("control", "the list of owners is readable")
        }
        _ if mode == Mode::Mend
            && std::fs::rename(&file, file.with_extension("damaged")).is_ok() =>
        {
            Check::ok("control", "fixed: moved the damaged list of owners away; it is recreated")
        }
        _ => {
            let mend = format!("--fix moves {} away and recreates it.", file.display());
            Check::fail("control", "the list of owners is damaged", mend)
        }
    }
}

/// Checks the free disk space.
pub(super) fn disk(setup: &Setup) -> Check {
    match room(setup.home.path()) {
        None => Check::ok("disk", "the free space is unknown on this system"),
        Some(left) => room_left(left),
    }
}

fn room_left(left: u64) -> Check {
    let found = format!("{} free", size(left));
    let advice = "Free some disk space, or move the home directory.";
    match left {
        left if left < BYTES_NEEDED => Check::fail("disk", found, advice),
        left if left < BYTES_COMFORTABLE => Check::warn("disk", found, advice),
        _ => Check::ok("disk", found),
    }
}

#[cfg(unix)]
fn room(path: &Path) -> Option<u64> {
    let there = path.ancestors().find(|path| path.exists())?;
    let stat = rustix::fs::statvfs(there).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(not(unix))]
fn room(_path: &Path) -> Option<u64> {
    None
}

/// Checks that `quipu` is on the path, where clients look for it.
pub(super) fn on_path() -> Check {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("quipu{}", std::env::consts::EXE_SUFFIX);
    let found: Option<PathBuf> = std::env::split_paths(&directories)
        .map(|directory| directory.join(&name))
        .find(|path| path.is_file());
    match found {
        Some(path) => Check::ok("path", format!("clients will start {}", path.display())),
        None => {
            let mend = "Install it (cargo install --locked --path crates/app), or configure \
                        clients with the full path.";
            Check::warn("path", "`quipu` is not on the PATH, so clients cannot start it", mend)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::State;
    use super::*;

    #[test]
    fn too_little_room_fails_and_little_room_warns() {
        for (left, state) in
            [(0, State::Fail), (BYTES_NEEDED, State::Warn), (BYTES_COMFORTABLE, State::Ok)]
        {
            assert_eq!(room_left(left).state, state, "{left}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_can_read_is_found_and_mended() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let check = |mode| private("home", directory.path(), 0o700, mode).state;
        assert_eq!(check(Mode::Look), State::Warn);
        assert_eq!(check(Mode::Mend), State::Ok);
        assert_eq!(check(Mode::Look), State::Ok);
    }
}

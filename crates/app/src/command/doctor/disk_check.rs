//! Checks the free disk space: for writing, and for clearing the traces of forgotten text, which
//! may rewrite every page of the memory.

use super::check::DoctorCheck;
use crate::render::human_size;
use crate::setup::Setup;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Free space below which the check fails: a write needs some, and so does the write-ahead log.
const FREE_BYTES_FAIL: u64 = 16 << 20;
/// Free space below which the check warns.
const FREE_BYTES_WARN: u64 = 512 << 20;

/// Checks the free disk space.
pub(super) fn disk(setup: &Setup) -> DoctorCheck {
    let memory = setup.home.memory_db(&setup.config.owner);
    let memory_bytes = memory.metadata().map_or(0, |file| file.len());
    match free_bytes(setup.home.path()) {
        None => DoctorCheck::ok("disk", "the free space is unknown on this system"),
        Some(left) => check_free_bytes(left, memory_bytes, &setup.home.backups_dir()),
    }
}

fn check_free_bytes(left: u64, memory_bytes: u64, backups: &Path) -> DoctorCheck {
    let found = format!("{} free", human_size(left));
    if left < FREE_BYTES_FAIL {
        return DoctorCheck::fail("disk", found, advice(FREE_BYTES_WARN - left, backups));
    }
    if left < memory_bytes {
        let found = format!(
            "{found}, less than the {} that clearing the traces of forgotten text may take",
            human_size(memory_bytes)
        );
        return DoctorCheck::warn("disk", found, advice(memory_bytes - left, backups));
    }
    if left < FREE_BYTES_WARN {
        return DoctorCheck::warn("disk", found, advice(FREE_BYTES_WARN - left, backups));
    }
    DoctorCheck::ok("disk", found)
}

fn advice(bytes: u64, backups: &Path) -> String {
    let needed = human_size(bytes);
    match oldest_backup(backups) {
        Some(oldest) => format!(
            "Free {needed}. The oldest copy of the memory is removed by: rm -r \"{}\"",
            oldest.display()
        ),
        None => format!("Free {needed}, or move the home directory."),
    }
}

/// Returns the oldest copy of a memory, if there are others.
fn oldest_backup(backups: &Path) -> Option<PathBuf> {
    let copies: Vec<PathBuf> = backups.read_dir().ok()?.flatten().map(|it| it.path()).collect();
    let written = |path: &PathBuf| {
        path.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    copies.iter().min_by_key(|path| written(path)).filter(|_| copies.len() > 1).cloned()
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

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn too_little_free_space_fails_and_little_warns() {
        let backups = tempfile::tempdir().unwrap();
        for (left, memory_bytes, state) in [
            (0, 0, CheckState::Fail),
            (FREE_BYTES_FAIL, 0, CheckState::Warn),
            (FREE_BYTES_WARN, 0, CheckState::Ok),
            (FREE_BYTES_WARN, FREE_BYTES_WARN, CheckState::Ok),
            (FREE_BYTES_WARN, FREE_BYTES_WARN + 1, CheckState::Warn),
        ] {
            let check = check_free_bytes(left, memory_bytes, backups.path());
            assert_eq!(check.state, state, "{left} {memory_bytes}");
        }
    }

    #[test]
    fn the_oldest_of_several_copies_is_named_for_removal_and_never_the_only_one() {
        let backups = tempfile::tempdir().unwrap();
        let advice = || check_free_bytes(0, 0, backups.path()).advice.unwrap();
        for (name, age) in [("me-2.db", 0), ("me-1.db", 100)] {
            let file = std::fs::File::create(backups.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
        }
        assert!(advice().contains("me-1.db"), "{}", advice());
        std::fs::remove_file(backups.path().join("me-1.db")).unwrap();
        assert!(!advice().contains("me-2.db"), "{}", advice());
    }
}

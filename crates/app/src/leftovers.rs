//! Files that processes left behind which ended before they were done: temporary files beside what
//! they would have become. They may contain texts of memories, also of forgotten ones.

use crate::home_dir::HomeDir;
use model::OwnerId;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Age from which an unfinished file is taken for a leftover.
// Longer than anything that writes one: a backup of a million memories takes seconds.
const AGE_MIN: Duration = Duration::from_secs(60 * 60);

/// Returns the leftovers in the directories of the program.
pub fn find(home: &HomeDir, owner: &OwnerId) -> Vec<PathBuf> {
    let directories = [home.path().to_owned(), home.owner_dir(owner), home.backups_dir()];
    let now = SystemTime::now();
    directories.iter().flat_map(|directory| in_directory(directory, now)).collect()
}

/// Removes the leftovers. One that cannot be removed stays for `quipu doctor` to report.
pub fn remove(home: &HomeDir, owner: &OwnerId) {
    for path in find(home, owner) {
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::info!(path = %path.display(), %error, "could not remove a leftover");
        }
    }
}

fn in_directory(directory: &Path, now: SystemTime) -> Vec<PathBuf> {
    let Ok(entries) = directory.read_dir() else { return Vec::new() };
    let is_old = |path: &PathBuf| {
        let changed = path.symlink_metadata().and_then(|file| file.modified());
        changed.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age >= AGE_MIN))
    };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths.filter(|path| path.is_file() && is_unfinished(path) && is_old(path)).collect()
}

/// Returns true for the names of temporary files: of snapshots, of copies and of written files.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let of_process = |prefix: &str, suffix: &str| {
        name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix)).is_some_and(is_number)
    };
    name.starts_with(".tmp")
        || name.contains(".unfinished-")
        || of_process("view.", ".new")
        || ["audit.key.", "audit.head.", "audit.checkpoints."]
            .iter()
            .any(|name| of_process(name, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_files_with_names_of_temporary_ones_are_leftovers() {
        let directory = tempfile::tempdir().unwrap();
        for name in [
            ".tmpAb12",
            "me.db.unfinished-7-0",
            "view.4711.new",
            "audit.key.4711",
            "audit.head.4711",
            "memory.db",
            "view.snapshot",
            "view.new",
            "audit.key",
            "notes.new",
        ] {
            std::fs::write(directory.path().join(name), "text").unwrap();
        }
        assert_eq!(in_directory(directory.path(), SystemTime::now()), Vec::<PathBuf>::new());
        let mut found = in_directory(directory.path(), SystemTime::now() + AGE_MIN * 2);
        found.sort();
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
        let expected = [
            ".tmpAb12",
            "audit.head.4711",
            "audit.key.4711",
            "me.db.unfinished-7-0",
            "view.4711.new",
        ];
        assert_eq!(names, expected);
    }
}

//! Advice for a memory that is lost: the exact command that restores it from its newest backup.

use crate::exit::Problem;
use model::OwnerId;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use store::StoreError;

/// Creates the problem of a memory that cannot be opened, with the command that restores it if it
/// is lost.
pub fn memory_problem(backups: &Path, owner: &OwnerId, error: StoreError) -> Problem {
    let lost = matches!(error, StoreError::Lost { .. });
    let problem = Problem::from(error);
    if lost { problem.with_hint(restore_advice(backups, owner)) } else { problem }
}

/// Returns the command that restores the memory of an owner.
pub fn restore_advice(backups: &Path, owner: &OwnerId) -> String {
    match newest_backup(backups, owner) {
        Some(file) => format!("Restore its newest backup: {}", restore_command(owner, &file)),
        None => format!(
            "There is no backup in {}. If you have one elsewhere: {}",
            backups.display(),
            restore_command(owner, Path::new("FILE"))
        ),
    }
}

fn restore_command(owner: &OwnerId, file: &Path) -> String {
    let owner = if *owner == OwnerId::me() { String::new() } else { format!(" --owner {owner}") };
    format!("quipu restore --force{owner} \"{}\"", file.display())
}

/// Returns the backup of an owner that was written last. A memory that a restore replaced counts
/// too: it is a directory.
fn newest_backup(directory: &Path, owner: &OwnerId) -> Option<PathBuf> {
    let ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let kind = Path::new(name).extension().is_some_and(|kind| kind == "db");
        name.starts_with(&format!("{owner}-")) && (kind || path.join("memory.db").is_file())
    };
    let written = |path: &PathBuf| {
        path.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let listed = std::fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
    listed.filter(ours).max_by_key(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_backup_of_the_owner_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let me = OwnerId::me();
        let advice = restore_advice(directory.path(), &me);
        assert!(advice.contains("quipu restore --force \"FILE\""), "{advice}");
        for (name, age) in [("me-1.db", 10), ("me-2.db", 0), ("you-3.db", 0), ("me-4.txt", 0)] {
            let file = std::fs::File::create(directory.path().join(name)).unwrap();
            let written = SystemTime::now() - std::time::Duration::from_secs(age + 60);
            file.set_modified(written).unwrap();
        }
        let advice = restore_advice(directory.path(), &me);
        assert!(advice.contains("me-2.db"), "{advice}");
    }
}

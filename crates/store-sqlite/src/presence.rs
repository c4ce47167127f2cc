//! Tells a first start from a loss: a file that is missing or empty is created only where nothing
//! shows that it once had content.

use crate::files::StorePaths;
use model::OwnerId;
use std::path::Path;
use store::StoreError;

/// Files next to a memory that are written only after the memory itself.
const LATER_FILES: [&str; 7] = [
    "audit.key",
    "audit.checkpoints",
    "audit.head",
    "view.snapshot",
    "password",
    "memory.db-wal",
    "memory.db-shm",
];

/// Fails when the memory of a listed owner is missing or empty.
pub(crate) fn check_listed(home: &StorePaths, owner: &OwnerId) -> Result<(), StoreError> {
    match fault_of(&home.memory(owner)) {
        None => Ok(()),
        Some(fault) => Err(lost_memory(owner, fault, &later_files(home, owner))),
    }
}

/// Fails when the memory of an owner is missing or empty, and files show that there was one.
pub(crate) fn check_new(home: &StorePaths, owner: &OwnerId) -> Result<(), StoreError> {
    // Before the memory itself: another process may be creating it, and writes these files last.
    let later = later_files(home, owner);
    match fault_of(&home.memory(owner)) {
        Some(fault) if !later.is_empty() => Err(lost_memory(owner, fault, &later)),
        _ => Ok(()),
    }
}

/// Returns true when an owner has a memory, or files show that there was one.
pub(crate) fn has_traces(home: &StorePaths, owner: &OwnerId) -> bool {
    fault_of(&home.memory(owner)).is_none() || !later_files(home, owner).is_empty()
}

/// Fails when the list of owners is missing or empty, and there are directories of owners.
pub(crate) fn check_control(home: &StorePaths) -> Result<(), StoreError> {
    let owners = owners_with_files(home);
    match fault_of(&home.control()) {
        Some(fault) if !owners.is_empty() => Err(StoreError::Lost {
            found: format!(
                "the list of owners is lost: control.db {fault}, but there are files of {}; \
                 `quipu doctor --fix` makes it anew",
                owners.join(", ")
            ),
        }),
        _ => Ok(()),
    }
}

/// Returns the names of the owners that have files, in order.
pub(crate) fn owners_with_files(home: &StorePaths) -> Vec<String> {
    let listed = std::fs::read_dir(home.owners()).into_iter().flatten().flatten();
    let has_files = |path: &Path| path.read_dir().is_ok_and(|mut files| files.next().is_some());
    let named = listed.filter(|entry| has_files(&entry.path()));
    let mut names: Vec<String> = named
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| OwnerId::new(name).is_ok())
        .collect();
    names.sort();
    names
}

/// Returns the fault of a file that has no content, in words.
fn fault_of(path: &Path) -> Option<&'static str> {
    match path.metadata() {
        // Any other error is reported by whoever opens the file.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some("is missing"),
        Ok(file) if file.len() == 0 => Some("is empty"),
        _ => None,
    }
}

fn later_files(home: &StorePaths, owner: &OwnerId) -> Vec<&'static str> {
    let directory = home.owner(owner);
    let exists = |name: &&str| directory.join(name).metadata().is_ok_and(|file| file.len() > 0);
    LATER_FILES.into_iter().filter(exists).collect()
}

fn lost_memory(owner: &OwnerId, fault: &str, later: &[&str]) -> StoreError {
    let others = match later {
        [] => "the owner is still listed".to_owned(),
        files => format!("there is still {}", files.join(", ")),
    };
    let found = format!(
        "the memory of {owner} is lost: memory.db {fault}, but {others}; \
         `quipu restore --force FILE` restores it from a backup"
    );
    StoreError::Lost { found }
}

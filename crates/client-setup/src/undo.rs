//! Undoing a setup. A file that nobody changed since gets the bytes that it had; in any other only
//! Quipu's part is removed.

use crate::change::{ClientFileChange, intact_backup, remove_directories, unified_diff};
use crate::client::ClientKind;
use crate::edit::{is_empty, reverse_edits};
use crate::files::{FileState, SetupError, backup_path, content_hash};
use crate::journal::{JournalFile, SetupJournal};
use std::path::PathBuf;

/// Number of times that undoing is tried anew when somebody else changes the file.
const ATTEMPTS: usize = 5;

/// Returns the changes that undoing would make for some clients; for all without any.
pub fn preview_undo(
    journal: &SetupJournal,
    clients: &[ClientKind],
) -> Vec<Result<ClientFileChange, SetupError>> {
    let preview = |record: &JournalFile| {
        let state = FileState::read(&record.path)?;
        let restored = restored_content(record, &state)?;
        let after = restored.as_deref().map(String::from_utf8_lossy);
        Ok(ClientFileChange {
            path: record.path.clone(),
            clients: record.clients.clone(),
            diff: unified_diff(&record.path, state.text()?, after.as_deref()),
        })
    };
    let concerned = journal.files.iter().filter(|record| is_last_use(record, clients));
    concerned.map(preview).collect()
}

/// Undoes the setup of some clients; of all without any. Returns the paths of the restored files.
pub fn undo_setup(
    journal: &mut SetupJournal,
    clients: &[ClientKind],
) -> Vec<Result<PathBuf, SetupError>> {
    let mut results = Vec::new();
    for record in &journal.files.clone() {
        // Undoing another file may have given it directories to remove.
        let Some(record) = journal.file(&record.path).cloned() else { continue };
        let record = &record;
        if is_last_use(record, clients) {
            results.push(undo_file(record, journal).map(|()| record.path.clone()));
        } else if let Err(error) = remove_clients(record, journal, clients) {
            results.push(Err(error));
        }
    }
    results
}

/// Returns true if no client is left that a file was changed for.
fn is_last_use(record: &JournalFile, clients: &[ClientKind]) -> bool {
    clients.is_empty() || record.clients.iter().all(|client| clients.contains(client))
}

fn remove_clients(
    record: &JournalFile,
    journal: &mut SetupJournal,
    clients: &[ClientKind],
) -> Result<(), SetupError> {
    let mut kept = record.clone();
    kept.clients.retain(|client| !clients.contains(client));
    if kept.clients.len() == record.clients.len() { Ok(()) } else { journal.record(kept) }
}

fn undo_file(record: &JournalFile, journal: &mut SetupJournal) -> Result<(), SetupError> {
    let path = &record.path;
    for _ in 0..ATTEMPTS {
        let state = FileState::read(path)?;
        let restored = restored_content(record, &state)?;
        if restored != state.bytes && !state.switch(restored.as_deref(), &mut || {})? {
            continue;
        }
        let backup = backup_path(path);
        match std::fs::remove_file(&backup) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(SetupError::Write { path: backup, error });
            }
            _ => {}
        }
        remove_directories(&record.directories);
        return journal.remove(path);
    }
    Err(SetupError::Busy { path: path.clone() })
}

/// Returns the content of a file without Quipu's part; `None` if the file is to be removed.
fn restored_content(
    record: &JournalFile,
    state: &FileState,
) -> Result<Option<Vec<u8>>, SetupError> {
    let now = content_hash(state.bytes.as_deref());
    if now.is_none() || now == record.before {
        return Ok(state.bytes.clone());
    }
    if now == record.after {
        if record.before.is_none() {
            return Ok(None);
        }
        if let Some(backup) = intact_backup(record) {
            return Ok(Some(backup));
        }
    }
    let text = state.text()?.unwrap_or_default();
    let reversed = reverse_edits(&record.path, text, &record.reversals)
        .map_err(|error| SetupError::Edit { path: record.path.clone(), error })?;
    let is_ours = record.before.is_none() && is_empty(&record.path, &reversed);
    Ok((!is_ours).then(|| reversed.into_bytes()))
}

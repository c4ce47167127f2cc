//! Carrying out a plan: the preview of each file as a diff, and the change itself with its backup
//! and its record.

use crate::client::ClientKind;
use crate::edit::{EditReversal, EditedText, apply_edits, reverse_edits};
use crate::files::{
    FileState, SetupError, backup_path, content_hash, create_parents, write_backup,
};
use crate::journal::{JournalFile, SetupJournal};
use crate::plan::{ClientFilePlan, SetupPlan};
use similar::TextDiff;
use std::path::{Path, PathBuf};

/// Number of times that a change is tried anew when somebody else changes the file.
const ATTEMPTS: usize = 5;

/// Change of one file.
#[derive(Debug)]
pub struct ClientFileChange {
    pub path: PathBuf,
    /// Clients that the file is changed for.
    pub clients: Vec<ClientKind>,
    /// Unified diff from the content before to the content after.
    pub diff: String,
}

/// Returns the changes that a plan would make; a file that is up to date is left out.
pub fn preview_plan(plan: &SetupPlan) -> Vec<Result<ClientFileChange, SetupError>> {
    let preview = |file: &ClientFilePlan| -> Result<Option<ClientFileChange>, SetupError> {
        let state = FileState::read(&file.path)?;
        let before = state.text()?;
        let edited = edit(file, before)?;
        let is_changed = before != Some(edited.text.as_str());
        Ok(is_changed.then(|| ClientFileChange {
            path: file.path.clone(),
            clients: file.clients.clone(),
            diff: unified_diff(&file.path, before, Some(&edited.text)),
        }))
    };
    plan.files.iter().filter_map(|file| preview(file).transpose()).collect()
}

/// Makes the changes of a plan and records each. Returns the paths of the changed files; a failure
/// of one file does not keep the others from being changed.
pub fn apply_plan(
    plan: &SetupPlan,
    journal: &mut SetupJournal,
) -> Vec<Result<PathBuf, SetupError>> {
    let mut results = Vec::new();
    for file in &plan.files {
        let changed = change_file(file, journal, &mut || {});
        results.extend(changed.map(|changed| changed.then(|| file.path.clone())).transpose());
    }
    results
}

fn edit(file: &ClientFilePlan, before: Option<&str>) -> Result<EditedText, SetupError> {
    apply_edits(&file.path, before, &file.edits)
        .map_err(|error| SetupError::Edit { path: file.path.clone(), error })
}

/// Changes one file. Returns false if it is up to date.
fn change_file(
    file: &ClientFilePlan,
    journal: &mut SetupJournal,
    before_switch: &mut dyn FnMut(),
) -> Result<bool, SetupError> {
    for _ in 0..ATTEMPTS {
        let state = FileState::read(&file.path)?;
        let before = state.text()?;
        let edited = edit(file, before)?;
        if before == Some(edited.text.as_str()) {
            add_clients(file, journal)?;
            return Ok(false);
        }
        if try_change(file, &state, &edited, journal, before_switch)? {
            return Ok(true);
        }
    }
    Err(SetupError::Busy { path: file.path.clone() })
}

fn try_change(
    file: &ClientFilePlan,
    state: &FileState,
    edited: &EditedText,
    journal: &mut SetupJournal,
    before_switch: &mut dyn FnMut(),
) -> Result<bool, SetupError> {
    let earlier = journal.file(&file.path).cloned();
    let original = original_content(file, state, earlier.as_ref())?;
    let mut record = JournalFile {
        path: file.path.clone(),
        clients: file.clients.clone(),
        before: content_hash(original.as_deref()),
        after: content_hash(Some(edited.text.as_bytes())),
        directories: Vec::new(),
        reversals: edited.reversals.clone(),
    };
    if let Some(earlier) = &earlier {
        record.reversals = merge_reversals(&earlier.reversals, &edited.reversals);
        record.directories.clone_from(&earlier.directories);
        record.clients.extend(earlier.clients.iter().filter(|it| !file.clients.contains(it)));
    }
    record.directories.extend(create_parents(&state.target)?);
    // The file is written last: until then everything is as it was, and undoing says so.
    if let Some(original) = &original {
        write_backup(&file.path, original)?;
    }
    journal.record(record)?;
    let switched = state.switch(Some(edited.text.as_bytes()), before_switch);
    if !matches!(switched, Ok(true)) {
        take_back(file, journal, earlier)?;
    }
    switched
}

/// Puts the record back that a change replaced, after it was not made.
fn take_back(
    file: &ClientFilePlan,
    journal: &mut SetupJournal,
    earlier: Option<JournalFile>,
) -> Result<(), SetupError> {
    match earlier {
        Some(earlier) => journal.record(earlier),
        None => {
            // The backup is of no use without its record, and the next try writes it anew.
            let _ = std::fs::remove_file(backup_path(&file.path));
            let directories = journal.file(&file.path).map(|it| it.directories.clone());
            remove_directories(&directories.unwrap_or_default());
            journal.remove(&file.path)
        }
    }
}

/// Removes directories that are empty, the innermost first.
pub(crate) fn remove_directories(directories: &[PathBuf]) {
    for directory in directories {
        // One that somebody else uses by now is not empty, and stays.
        let _ = std::fs::remove_dir(directory);
    }
}

/// Returns the content that undoing should restore: the one before the first change, with what
/// others changed since; `None` if there was no file.
fn original_content(
    file: &ClientFilePlan,
    state: &FileState,
    earlier: Option<&JournalFile>,
) -> Result<Option<Vec<u8>>, SetupError> {
    let Some(earlier) = earlier else { return Ok(state.bytes.clone()) };
    if earlier.before.is_none() {
        return Ok(None);
    }
    if content_hash(state.bytes.as_deref()) == earlier.after
        && let Some(backup) = intact_backup(earlier)
    {
        return Ok(Some(backup));
    }
    let Some(text) = state.text()? else { return Ok(None) };
    let reversed = reverse_edits(&file.path, text, &earlier.reversals)
        .map_err(|error| SetupError::Edit { path: file.path.clone(), error })?;
    Ok(Some(reversed.into_bytes()))
}

/// Returns the backup of a file, if it is the one that was written.
pub(crate) fn intact_backup(record: &JournalFile) -> Option<Vec<u8>> {
    let bytes = std::fs::read(backup_path(&record.path)).ok()?;
    (content_hash(Some(&bytes)) == record.before).then_some(bytes)
}

/// Returns the reversals of two changes in a row. For the same place the earlier one counts: it
/// knows what was there before Quipu.
fn merge_reversals(earlier: &[EditReversal], later: &[EditReversal]) -> Vec<EditReversal> {
    let is_new =
        |reversal: &&EditReversal| !earlier.iter().any(|known| known.is_same_place(reversal));
    earlier.iter().chain(later.iter().filter(is_new)).cloned().collect()
}

/// Records further clients that use a file which is up to date.
fn add_clients(file: &ClientFilePlan, journal: &mut SetupJournal) -> Result<(), SetupError> {
    let Some(record) = journal.files.iter_mut().find(|record| record.path == file.path) else {
        return Ok(());
    };
    let known = record.clients.len();
    let new = file.clients.iter().filter(|client| !record.clients.contains(client));
    let new: Vec<ClientKind> = new.copied().collect();
    record.clients.extend(new);
    if record.clients.len() > known { journal.save() } else { Ok(()) }
}

/// Returns a unified diff of a file.
pub(crate) fn unified_diff(path: &Path, before: Option<&str>, after: Option<&str>) -> String {
    let name = path.display().to_string();
    let side = |text: Option<&str>| text.map_or("/dev/null", |_| name.as_str()).to_owned();
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff().context_radius(3).header(&side(before), &side(after)).to_string()
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;

//! The journal of what was changed in which file, so that it can be undone. It is a small JSON file
//! in Quipu's home directory; the contents themselves are in the backups beside the files.

use crate::client::ClientKind;
use crate::edit::EditReversal;
use crate::files::{FileState, SetupError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One file that was changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JournalFile {
    pub path: PathBuf,
    /// Clients that it was changed for.
    pub clients: Vec<ClientKind>,
    /// Hash of its content before the first change; `None` if it did not exist.
    pub before: Option<String>,
    /// Hash of its content after the last change.
    pub after: Option<String>,
    /// Directories that were created for it, the innermost first.
    #[serde(default)]
    pub directories: Vec<PathBuf>,
    pub reversals: Vec<EditReversal>,
}

/// The files that were changed.
#[derive(Debug, Default)]
pub struct SetupJournal {
    path: PathBuf,
    pub(crate) files: Vec<JournalFile>,
}

impl SetupJournal {
    /// Loads the journal; an empty one if there is no file.
    ///
    /// # Errors
    /// Fails when it exists and cannot be read.
    pub fn load(path: &Path) -> Result<Self, SetupError> {
        let failed = |error| SetupError::Read { path: path.to_owned(), error };
        let state = FileState::read(path)?;
        let files = match state.text()? {
            Some(text) => serde_json::from_str(text)
                .map_err(|error| failed(std::io::Error::other(error.to_string())))?,
            None => Vec::new(),
        };
        Ok(Self { path: path.to_owned(), files })
    }

    /// Returns true if nothing was set up.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the record of a file.
    pub(crate) fn file(&self, path: &Path) -> Option<&JournalFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Records a file, in place of an earlier record, and saves.
    pub(crate) fn record(&mut self, file: JournalFile) -> Result<(), SetupError> {
        match self.files.iter_mut().find(|other| other.path == file.path) {
            Some(other) => *other = file,
            None => self.files.push(file),
        }
        self.save()
    }

    /// Removes the record of a file, and saves. Directories that other files are still in are
    /// removed with the last of those.
    pub(crate) fn remove(&mut self, path: &Path) -> Result<(), SetupError> {
        let directories = self.file(path).map(|file| file.directories.clone()).unwrap_or_default();
        self.files.retain(|file| file.path != path);
        for directory in directories.into_iter().filter(|directory| directory.exists()) {
            let heir = self.files.iter_mut().find(|file| file.path.starts_with(&directory));
            if let Some(heir) = heir.filter(|heir| !heir.directories.contains(&directory)) {
                heir.directories.push(directory);
            }
        }
        self.save()
    }

    /// Writes the journal; an empty one is removed.
    pub(crate) fn save(&self) -> Result<(), SetupError> {
        let failed = |error: serde_json::Error| SetupError::Write {
            path: self.path.clone(),
            error: error.into(),
        };
        crate::files::create_parents(&self.path)?;
        let text = serde_json::to_string_pretty(&self.files).map_err(failed)?;
        let state = FileState::read(&self.path)?;
        let new = (!self.is_empty()).then_some(text.as_bytes());
        if new.is_none() && state.bytes.is_none() {
            return Ok(());
        }
        match state.switch(new, &mut || {})? {
            true => Ok(()),
            false => Err(SetupError::Busy { path: self.path.clone() }),
        }
    }
}

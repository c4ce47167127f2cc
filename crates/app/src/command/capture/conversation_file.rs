//! One file in which a client keeps conversations: a transcript, the SQLite file of opencode or of
//! Cursor, or a session of an older opencode with the files that belong to it.

mod opencode_files;
mod session_tables;

use crate::files::read_bounded;
use client_hooks::{
    CapturedTurn, StoredFormat, StoredRows, TranscriptFormat, read_stored, read_transcript,
};
use std::path::{Path, PathBuf};

/// Largest transcript that is read, and most bytes that are read from a SQLite file.
const BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Deepest directory that is searched; Codex keeps a directory for each day.
const DEPTH_MAX: usize = 8;
/// First bytes of a SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Conversations of a file.
pub(super) enum ConversationFile {
    Transcript(TranscriptFormat, String),
    Stored(StoredFormat, StoredRows),
}

impl ConversationFile {
    /// Reads a file; `None` if it has no conversations of a known client.
    ///
    /// # Errors
    /// Returns the reason why a file of a known client cannot be read.
    pub fn read(file: &Path) -> Result<Option<Self>, String> {
        if starts_with(file, SQLITE_MAGIC) {
            return session_tables::read(file);
        }
        let Ok(bytes) = read_bounded(file, BYTES_MAX) else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if is_opencode_session(file) {
            let rows = opencode_files::read_session(file, &text);
            return Ok(rows.map(|rows| Self::Stored(StoredFormat::OpenCode, rows)));
        }
        Ok(TranscriptFormat::detect(&text).map(|format| Self::Transcript(format, text)))
    }

    /// Returns the turns. `project` returns the name of the project of a directory.
    pub fn turns(&self, project: &mut dyn FnMut(&str) -> Option<String>) -> Vec<CapturedTurn> {
        match self {
            Self::Transcript(format, text) => read_transcript(*format, text, project),
            Self::Stored(format, rows) => read_stored(*format, rows, project),
        }
    }
}

/// Returns the files below a path that may hold conversations; a file that is named is taken as it
/// is.
pub(super) fn find_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    add_files(path, DEPTH_MAX, &mut files)?;
    Ok(files)
}

fn add_files(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if std::fs::metadata(path)?.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link && depth > 0 {
            add_files(&path, depth - 1, files)?;
        } else if path.is_file() && has_known_name(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn has_known_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_opencode = name.starts_with("opencode") && name.ends_with(".db");
    name.ends_with(".jsonl") || name == "state.vscdb" || is_opencode || is_opencode_session(path)
}

/// Returns true for `session/PROJECT/ses_….json`.
fn is_opencode_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::parent).and_then(Path::file_name);
    name.starts_with("ses_") && name.ends_with(".json") && folder.is_some_and(|it| it == "session")
}

fn starts_with(file: &Path, magic: &[u8]) -> bool {
    let mut start = vec![0; magic.len()];
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && start == magic
}

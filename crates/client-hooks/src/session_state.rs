//! The state of a session: everything that hooks told it already, in a small file. Without the file
//! a session is told things once more; nothing else is lost.

use crate::context_block::{ContextBlock, short_hash};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Number of lines and of turns that a session keeps in mind.
const KEPT_MAX: usize = 1_000;
/// Largest file that is read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Age in seconds after which the file of a session is removed.
const AGE_SECONDS_MAX: u64 = 30 * 24 * 3600;

/// State of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookSession {
    /// Hash of the last briefing.
    pub briefing: Option<String>,
    /// Memories that it was shown.
    pub shown: BTreeSet<i64>,
    /// Hashes of the lines that were injected.
    injected: Vec<String>,
    /// Number of times that each turn was captured, by its hash.
    turns: BTreeMap<String, usize>,
    /// Hash of the last captured turn.
    last_turn: Option<String>,
}

impl HookSession {
    /// Loads the state of a session; a new one if there is none, or it cannot be read.
    pub fn load(directory: &Path, client: &str, session: &str) -> Self {
        let path = file_of(directory, client, session);
        let is_small = path.metadata().is_ok_and(|it| it.len() <= FILE_BYTES_MAX);
        let text = if is_small { std::fs::read_to_string(path).ok() } else { None };
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Saves the state of a session, so that a reader never sees a part of it.
    ///
    /// # Errors
    /// Fails when it cannot be written.
    pub fn save(&self, directory: &Path, client: &str, session: &str) -> std::io::Result<()> {
        std::fs::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(serde_json::to_string(self)?.as_bytes())?;
        file.persist(file_of(directory, client, session)).map_err(|refused| refused.error)?;
        Ok(())
    }

    /// Notes a block that the session was given.
    pub fn note_injected(&mut self, block: &ContextBlock) {
        self.injected.extend(block.lines.iter().cloned());
        let excess = self.injected.len().saturating_sub(KEPT_MAX);
        self.injected.drain(..excess);
    }

    /// Returns the hashes of the lines that the session was given.
    pub fn injected_lines(&self) -> HashSet<String> {
        self.injected.iter().cloned().collect()
    }

    /// Returns the number of the occurrence of a turn that is about to be captured, from 0.
    pub fn occurrence(&self, hash: &str) -> usize {
        self.turns.get(hash).copied().unwrap_or(0)
    }

    /// Returns true if a turn is the last one that was captured: a client that reports the end of a
    /// turn twice means the same turn.
    pub fn is_last_turn(&self, hash: &str) -> bool {
        self.last_turn.as_deref() == Some(hash)
    }

    /// Notes that a turn was captured.
    pub fn note_turn(&mut self, hash: &str) {
        self.last_turn = Some(hash.to_owned());
        if self.turns.len() < KEPT_MAX {
            *self.turns.entry(hash.to_owned()).or_default() += 1;
        }
    }

    /// Forgets what the session was told, after its context was cleared.
    pub fn clear_context(&mut self) {
        self.briefing = None;
        self.shown.clear();
    }

    /// Removes the files of sessions that ended long ago.
    pub fn remove_old(directory: &Path) {
        let Ok(entries) = std::fs::read_dir(directory) else { return };
        for entry in entries.flatten() {
            let age =
                entry.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age.as_secs() > AGE_SECONDS_MAX) {
                // Whoever is next tries again.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn file_of(directory: &Path, client: &str, session: &str) -> PathBuf {
    directory.join(format!("{}.json", short_hash(&format!("{client}\n{session}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_remembers_what_it_was_told() {
        let root = tempfile::tempdir().unwrap();
        let mut session = HookSession::load(root.path(), "codex", "../s");
        assert_eq!(session, HookSession::default());
        session.briefing = Some("h".into());
        session.shown.insert(7);
        session.note_turn("t");
        session.note_injected(&ContextBlock::new("A line that is long enough to count."));
        session.save(root.path(), "codex", "../s").unwrap();
        assert_eq!(HookSession::load(root.path(), "codex", "../s"), session);
        assert_eq!(HookSession::load(root.path(), "gemini", "../s"), HookSession::default());
        assert_eq!((session.occurrence("t"), session.occurrence("u")), (1, 0));
        session.clear_context();
        assert!(session.shown.is_empty() && !session.injected_lines().is_empty());
    }

    #[test]
    fn a_broken_file_is_a_new_session() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(file_of(root.path(), "codex", "s"), "{").unwrap();
        assert_eq!(HookSession::load(root.path(), "codex", "s"), HookSession::default());
    }
}

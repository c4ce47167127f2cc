//! The spool: captured turns on disk that are not in the memory yet, one file each. A turn is there
//! once its file has its name, and it is removed only after the memory has it; a process that is
//! killed in between leaves it for the next one.

use crate::turn::CapturedTurn;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Age in seconds after which an unfinished file of a killed process is removed.
const UNFINISHED_SECONDS_MAX: u64 = 24 * 3600;
/// Ending of a complete file.
const ENDING: &str = "turn.json";

/// The directory of turns that wait to be delivered.
#[derive(Debug, Clone)]
pub struct TurnSpool {
    directory: PathBuf,
}

/// A turn that waits.
#[derive(Debug)]
pub struct SpoolEntry {
    path: PathBuf,
    pub turn: CapturedTurn,
}

impl TurnSpool {
    /// Returns the spool in a directory, which need not exist.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// Adds a turn. It is on disk when this returns.
    ///
    /// # Errors
    /// Fails when it cannot be written.
    pub fn add(&self, turn: &CapturedTurn) -> std::io::Result<()> {
        create_private(&self.directory)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)?;
        file.write_all(serde_json::to_string(turn)?.as_bytes())?;
        file.as_file().sync_all()?;
        // Sorted by time, and the same for the same turn.
        let name = format!("{:017}-{}.{ENDING}", turn.at.max(0), turn.id.replace(':', "-"));
        file.persist(self.directory.join(name)).map_err(|refused| refused.error)?;
        // Without it the name is not durable; other platforms cannot sync directories.
        if cfg!(unix) {
            std::fs::File::open(&self.directory)?.sync_all()?;
        }
        Ok(())
    }

    /// Returns the turns that wait, the oldest first. What is not a turn is left out.
    pub fn entries(&self) -> Vec<SpoolEntry> {
        let Ok(files) = std::fs::read_dir(&self.directory) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.sort();
        let mut entries = Vec::new();
        for path in paths {
            let is_complete = path.to_string_lossy().ends_with(ENDING);
            let text = is_complete.then(|| std::fs::read_to_string(&path).ok()).flatten();
            match text.and_then(|text| serde_json::from_str(&text).ok()) {
                Some(turn) => entries.push(SpoolEntry { path, turn }),
                None => remove_when_old(&path),
            }
        }
        entries
    }

    /// Returns true if no turn waits.
    pub fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.directory).map_or(true, |mut files| files.next().is_none())
    }
}

impl SpoolEntry {
    /// Removes a turn that the memory has, or refuses for good.
    ///
    /// # Errors
    /// Fails when it cannot be removed; one that somebody else removed is no error.
    pub fn remove(&self) -> std::io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn create_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

fn remove_when_old(path: &Path) {
    let age = path.metadata().and_then(|it| it.modified()).ok().and_then(|at| at.elapsed().ok());
    if age.is_some_and(|age| age.as_secs() > UNFINISHED_SECONDS_MAX) {
        // Whoever is next tries again.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::{Speaker, TurnSource};
    use std::collections::HashSet;

    fn turn(text: &str, at: i64) -> CapturedTurn {
        let source = TurnSource { session: "s".into(), ..TurnSource::default() };
        CapturedTurn::new(&source, Speaker::User, text, at, &HashSet::new(), |_| 0).unwrap()
    }

    #[test]
    fn turns_wait_in_their_order_until_they_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let spool = TurnSpool::new(&root.path().join("spool"));
        assert!(spool.is_empty() && spool.entries().is_empty());
        spool.add(&turn("second", 2)).unwrap();
        spool.add(&turn("first", 1)).unwrap();
        spool.add(&turn("first", 1)).unwrap();
        let entries = spool.entries();
        let texts: Vec<&str> = entries.iter().map(|entry| entry.turn.text.as_str()).collect();
        assert_eq!(texts, ["first", "second"]);
        entries[0].remove().unwrap();
        entries[0].remove().unwrap();
        assert_eq!(spool.entries().len(), 1);
    }

    #[test]
    fn an_unfinished_file_of_a_killed_process_is_not_a_turn() {
        let root = tempfile::tempdir().unwrap();
        let spool = TurnSpool::new(root.path());
        std::fs::write(root.path().join(".tmp123"), "{\"id\":").unwrap();
        std::fs::write(root.path().join("1-x.turn.json"), "{\"id\":").unwrap();
        spool.add(&turn("whole", 1)).unwrap();
        assert_eq!(spool.entries().len(), 1);
    }
}

//! The files of a home directory at one moment, to tell afterwards what changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// Contents of every file below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeFiles(BTreeMap<PathBuf, Vec<u8>>);

impl HomeFiles {
    /// Reads every file below a directory.
    pub fn read(home: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        let mut waiting = vec![home.to_owned()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() && !path.is_symlink() {
                    waiting.push(path);
                } else if path.is_file() {
                    files.insert(path.strip_prefix(home)?.to_owned(), fs::read(&path)?);
                }
            }
        }
        Ok(Self(files))
    }

    /// Returns the files that another state lacks or has with other contents.
    pub fn missing_in(&self, other: &Self) -> Vec<PathBuf> {
        let differs = |(path, bytes): &(&PathBuf, &Vec<u8>)| other.0.get(*path) != Some(bytes);
        self.0.iter().filter(differs).map(|(path, _)| path.clone()).collect()
    }

    /// Returns true if a file is the same in another state, also if it is in neither.
    pub fn is_same(&self, other: &Self, path: &Path) -> bool {
        self.0.get(path) == other.0.get(path)
    }

    /// Returns true if a file contains a text.
    pub fn contains(&self, path: &Path, text: &str) -> bool {
        let bytes = self.0.get(path);
        bytes.is_some_and(|bytes| String::from_utf8_lossy(bytes).contains(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_and_a_new_file_are_missing_in_the_earlier_state() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("kept"), "a").unwrap();
        fs::write(home.path().join("changed"), "a").unwrap();
        let before = HomeFiles::read(home.path()).unwrap();
        fs::write(home.path().join("changed"), "b").unwrap();
        fs::create_dir(home.path().join("folder")).unwrap();
        fs::write(home.path().join("folder/new"), "c").unwrap();
        let after = HomeFiles::read(home.path()).unwrap();
        assert_eq!(after.missing_in(&before), [Path::new("changed"), Path::new("folder/new")]);
        assert!(after.is_same(&before, Path::new("kept")));
        assert!(after.is_same(&before, Path::new("absent")));
        assert!(after.contains(Path::new("folder/new"), "c"));
    }
}

//! Where everything lies: the data directory and the places in it. Knows nothing of what the files
//! hold.

use crate::exit::Problem;
use crate::files;
use model::OwnerId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The data directory.
#[derive(Debug, Clone)]
pub struct Home(PathBuf);

impl Home {
    /// The directory that was asked for, or the usual one of this system.
    ///
    /// # Errors
    /// When none was asked for and the environment does not tell where the user's data lies.
    pub fn find(
        asked: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Problem> {
        let found = match asked.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) => Some(path.to_owned()),
            None => {
                usual(|name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from))
            }
        };
        let path = found.ok_or_else(|| {
            Problem::usage(
                "the environment does not say where your data lies",
                "Give a directory with --home, or set QUIPU_HOME.",
            )
        })?;
        std::path::absolute(&path)
            .map(Self)
            .map_err(|error| Problem::file("finding", &path, &error))
    }

    /// The same directory, made if it is not there, for its owner's eyes only.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make(&self) -> Result<&Self, Problem> {
        files::make_private_directory(&self.0)?;
        Ok(self)
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The configuration.
    pub fn config(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// The list of owners.
    pub fn control(&self) -> PathBuf {
        self.0.join("control.db")
    }

    /// What lets clients in over HTTP.
    pub fn token(&self) -> PathBuf {
        self.0.join("token")
    }

    /// Which project each name stands for.
    pub fn projects(&self) -> PathBuf {
        self.0.join("projects")
    }

    /// Where backups go when nobody says otherwise.
    pub fn backups(&self) -> PathBuf {
        self.0.join("backups")
    }

    /// An owner's directory.
    pub fn owner(&self, owner: &OwnerId) -> PathBuf {
        self.0.join("owners").join(owner.as_str())
    }

    /// An owner's memory.
    pub fn memory(&self, owner: &OwnerId) -> PathBuf {
        self.owner(owner).join("memory.db")
    }

    /// What is kept of an owner's password.
    pub fn password(&self, owner: &OwnerId) -> PathBuf {
        self.owner(owner).join("password")
    }

    /// The snapshot of an owner's view.
    pub fn snapshot(&self, owner: &OwnerId) -> PathBuf {
        self.owner(owner).join("view.snapshot")
    }
}

#[cfg(target_os = "macos")]
fn usual(directory: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(directory("HOME")?.join("Library/Application Support/quipu"))
}

#[cfg(windows)]
fn usual(directory: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(directory("APPDATA")?.join("quipu"))
}

#[cfg(not(any(target_os = "macos", windows)))]
fn usual(directory: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // A relative path in this variable is to be ignored, says its specification.
    let data = directory("XDG_DATA_HOME").filter(|path| path.is_absolute());
    Some(data.or_else(|| Some(directory("HOME")?.join(".local/share")))?.join("quipu"))
}

#[cfg(all(test, not(any(target_os = "macos", windows))))]
mod tests {
    use super::*;

    fn home(asked: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| OsString::from(value))
        };
        let home = Home::find(asked.map(Path::new), variable).ok()?;
        Some(home.path().display().to_string())
    }

    #[test]
    fn what_was_asked_for_wins_over_the_usual_place() {
        let variables = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data")];
        assert_eq!(home(Some("/tmp/q"), &variables).unwrap(), "/tmp/q");
        assert_eq!(home(None, &variables).unwrap(), "/data/quipu");
        assert_eq!(home(Some(""), &variables[..1]).unwrap(), "/home/ada/.local/share/quipu");
    }

    #[test]
    fn a_relative_data_directory_is_ignored_and_without_any_the_user_is_asked() {
        let relative = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "data")];
        assert_eq!(home(None, &relative).unwrap(), "/home/ada/.local/share/quipu");
        assert_eq!(home(None, &[("HOME", "")]), None);
    }
}

//! The home directory and the paths in it. It knows nothing about the content of the files.

use crate::exit::Problem;
use crate::files;
use model::OwnerId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Name of the default directory for backups.
pub const BACKUPS_DIR: &str = "backups";

/// The directory that holds all data of Quipu.
#[derive(Debug, Clone)]
pub struct HomeDir(PathBuf);

impl HomeDir {
    /// Returns the given directory, or the default one of the operating system.
    ///
    /// # Errors
    /// Fails when none is given and the environment does not define the user's data directory.
    pub fn find(
        given: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Problem> {
        let path = match given.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) => Some(path.to_owned()),
            None => default_dir(|name| {
                variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)
            }),
        };
        let path = path.ok_or_else(|| {
            Problem::usage(
                "cannot determine your user data directory",
                "Pass a directory with --home, or set QUIPU_HOME.",
            )
        })?;
        std::path::absolute(&path)
            .map(Self)
            .map_err(|error| Problem::file("finding", &path, &error))
    }

    /// Creates the directory if it is missing, readable by its owner only.
    ///
    /// # Errors
    /// Fails when it cannot be created.
    pub fn create(&self) -> Result<&Self, Problem> {
        files::create_private_dir(&self.0)?;
        Ok(self)
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.0.join("config.toml")
    }

    /// Returns the path of the control database, which lists the owners.
    pub fn control_db(&self) -> PathBuf {
        self.0.join("control.db")
    }

    /// Returns the path of the file with the access token for HTTP.
    pub fn token_file(&self) -> PathBuf {
        self.0.join("token")
    }

    /// Returns the path of the file with the key of the audit logs in a database.
    pub fn audit_key_file(&self) -> PathBuf {
        self.0.join("audit.key")
    }

    /// Returns the path of a new key that no database has accepted yet.
    pub fn audit_key_candidate(&self) -> PathBuf {
        self.0.join("audit.key.new")
    }

    /// Returns the directory of the files that map a project name to its repository.
    pub fn projects_dir(&self) -> PathBuf {
        self.0.join("projects")
    }

    /// Returns the path of the journal of changed client configurations.
    pub fn client_setup_file(&self) -> PathBuf {
        self.0.join("client-setup.json")
    }

    /// Returns the path of the file with the address of the running server.
    pub fn address_file(&self) -> PathBuf {
        self.0.join("address")
    }

    /// Returns the path of the file that exists while private mode is on.
    pub fn private_file(&self) -> PathBuf {
        self.0.join("private")
    }

    /// Returns the directory of an owner's captured turns that are not in the memory yet.
    pub fn spool_dir(&self, owner: &OwnerId) -> PathBuf {
        self.0.join("spool").join(owner.as_str())
    }

    /// Returns the directory of what hooks told each session.
    pub fn hook_sessions_dir(&self) -> PathBuf {
        self.0.join("hooks").join("sessions")
    }

    /// Returns the path of the log of the hooks.
    pub fn hook_log_file(&self) -> PathBuf {
        self.0.join("hooks").join("hook.log")
    }

    /// Returns the default directory for backups.
    pub fn backups_dir(&self) -> PathBuf {
        self.0.join(BACKUPS_DIR)
    }

    /// Returns the directory of an owner.
    pub fn owner_dir(&self, owner: &OwnerId) -> PathBuf {
        self.0.join("owners").join(owner.as_str())
    }

    /// Returns the path of an owner's database.
    pub fn memory_db(&self, owner: &OwnerId) -> PathBuf {
        self.owner_dir(owner).join("memory.db")
    }

    /// Returns the path of the file with the hash of an owner's password.
    pub fn password_file(&self, owner: &OwnerId) -> PathBuf {
        self.owner_dir(owner).join("password")
    }
}

#[cfg(target_os = "macos")]
fn default_dir(directory: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(directory("HOME")?.join("Library/Application Support/quipu"))
}

#[cfg(windows)]
fn default_dir(directory: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    Some(directory("APPDATA")?.join("quipu"))
}

#[cfg(not(any(target_os = "macos", windows)))]
fn default_dir(directory: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // The XDG specification says that a relative path in this variable must be ignored.
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
        let home = HomeDir::find(asked.map(Path::new), variable).ok()?;
        Some(home.path().display().to_string())
    }

    #[test]
    fn an_explicit_directory_wins_over_the_default() {
        let variables = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "/data")];
        assert_eq!(home(Some("/tmp/q"), &variables).unwrap(), "/tmp/q");
        assert_eq!(home(None, &variables).unwrap(), "/data/quipu");
        assert_eq!(home(Some(""), &variables[..1]).unwrap(), "/home/ada/.local/share/quipu");
    }

    #[test]
    fn a_relative_data_directory_is_ignored_and_without_any_it_is_an_error() {
        let relative = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "data")];
        assert_eq!(home(None, &relative).unwrap(), "/home/ada/.local/share/quipu");
        assert_eq!(home(None, &[("HOME", "")]), None);
    }
}

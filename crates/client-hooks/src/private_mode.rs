//! Private mode: while it is on, hooks read nothing, store nothing and say nothing.

use std::path::{Path, PathBuf};

/// Name of the file that makes a directory and everything below it private.
pub const MARKER_FILE: &str = ".quipu-private";

/// Everything that private mode depends on besides the working directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrivateSettings {
    /// Value of the variable `QUIPU_PRIVATE`.
    pub variable: Option<String>,
    /// File that exists while private mode is on everywhere.
    pub switch: PathBuf,
    /// Directories that are always private.
    pub directories: Vec<PathBuf>,
}

/// The reason why a session is private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivateReason {
    Variable,
    Switch,
    Marker(PathBuf),
    Directory(PathBuf),
}

impl PrivateSettings {
    /// Returns why a session in a directory is private; `None` if it is not.
    pub fn reason(&self, cwd: Option<&Path>) -> Option<PrivateReason> {
        let off = ["", "0", "false", "no", "off"];
        let variable = self.variable.as_deref().unwrap_or_default().trim().to_lowercase();
        // Anything else is meant to turn it on, also a word that is not known.
        if !off.contains(&variable.as_str()) {
            return Some(PrivateReason::Variable);
        }
        // If it cannot be told whether the switch is there, it is.
        if self.switch.try_exists().unwrap_or(true) {
            return Some(PrivateReason::Switch);
        }
        let cwd = cwd?;
        let real = std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
        let mut above = cwd.ancestors().chain(real.ancestors());
        if let Some(marked) = above.find(|directory| directory.join(MARKER_FILE).exists()) {
            return Some(PrivateReason::Marker(marked.join(MARKER_FILE)));
        }
        let listed = self.directories.iter().find(|directory| {
            let target = std::fs::canonicalize(directory).unwrap_or_else(|_| (*directory).clone());
            cwd.starts_with(directory) || real.starts_with(target)
        });
        listed.cloned().map(PrivateReason::Directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_makes_a_session_private() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project/src");
        std::fs::create_dir_all(&project).unwrap();
        let settings =
            PrivateSettings { switch: root.path().join("private"), ..PrivateSettings::default() };
        let reason = |settings: &PrivateSettings| settings.reason(Some(&project));
        assert_eq!(reason(&settings), None);
        for (value, private) in [("1", true), ("on", true), ("maybe", true), ("0", false)] {
            let set = PrivateSettings { variable: Some(value.into()), ..settings.clone() };
            assert_eq!(reason(&set).is_some(), private, "{value}");
        }
        let listed = root.path().join("project");
        let set = PrivateSettings { directories: vec![listed.clone()], ..settings.clone() };
        assert_eq!(reason(&set), Some(PrivateReason::Directory(listed.clone())));
        let other =
            PrivateSettings { directories: vec![root.path().join("proj")], ..settings.clone() };
        assert_eq!(reason(&other), None, "the beginning of a name is not a directory");
        std::fs::write(listed.join(MARKER_FILE), "").unwrap();
        assert_eq!(reason(&settings), Some(PrivateReason::Marker(listed.join(MARKER_FILE))));
        std::fs::write(&settings.switch, "").unwrap();
        assert_eq!(reason(&settings), Some(PrivateReason::Switch));
        assert_eq!(settings.reason(None), Some(PrivateReason::Switch));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_into_a_private_directory_is_private() {
        let root = tempfile::tempdir().unwrap();
        let secret = root.path().join("secret");
        std::fs::create_dir(&secret).unwrap();
        let link = root.path().join("link");
        std::os::unix::fs::symlink(&secret, &link).unwrap();
        let settings = PrivateSettings {
            switch: root.path().join("private"),
            directories: vec![secret],
            ..PrivateSettings::default()
        };
        assert!(settings.reason(Some(&link)).is_some());
    }
}

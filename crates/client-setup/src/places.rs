//! The directories of the user and of the project, as the environment and the platform give them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The operating system, as far as directories differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Platform {
    /// Returns the platform that the program was built for.
    pub fn current() -> Self {
        match std::env::consts::OS {
            "macos" => Self::MacOs,
            "windows" => Self::Windows,
            _ => Self::Linux,
        }
    }
}

/// Directories in which clients keep their files.
#[derive(Debug, Clone)]
pub struct Places {
    pub platform: Platform,
    /// The user's home directory.
    pub home: PathBuf,
    /// Directory of command-line programs: `XDG_CONFIG_HOME`, or `.config`.
    pub config: PathBuf,
    /// Directory of desktop programs.
    pub app_support: PathBuf,
    /// Claude Code's own directory, if it is not in its usual place.
    pub claude_config_dir: Option<PathBuf>,
    /// Codex's own directory, if it is not in its usual place.
    pub codex_home: Option<PathBuf>,
    /// Directory of the project, for settings of a project.
    pub project: PathBuf,
    /// Directories that programs are searched in.
    pub search_path: Vec<PathBuf>,
}

impl Places {
    /// Finds the directories; `None` without a home directory.
    pub fn find(
        platform: Platform,
        project: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Option<Self> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("HOME").or_else(|| set("USERPROFILE"))?;
        let config = set("XDG_CONFIG_HOME")
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| home.join(".config"));
        let app_support = match platform {
            Platform::Linux => config.clone(),
            Platform::MacOs => home.join("Library/Application Support"),
            Platform::Windows => set("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming")),
        };
        let search_path = variable("PATH")
            .map(|value| std::env::split_paths(&value).collect())
            .unwrap_or_default();
        Some(Self {
            platform,
            home,
            config,
            app_support,
            claude_config_dir: set("CLAUDE_CONFIG_DIR"),
            codex_home: set("CODEX_HOME"),
            project: project.to_owned(),
            search_path,
        })
    }

    /// Returns true if a program is on the search path.
    pub(crate) fn has_program(&self, name: &str) -> bool {
        let names: &[&str] =
            if self.platform == Platform::Windows { &[".exe", ".cmd", ""] } else { &[""] };
        let exists = |directory: &PathBuf| {
            names.iter().any(|ending| directory.join(format!("{name}{ending}")).is_file())
        };
        self.search_path.iter().any(exists)
    }

    /// Returns the directory of Claude Code's settings.
    pub(crate) fn claude_dir(&self) -> PathBuf {
        self.claude_config_dir.clone().unwrap_or_else(|| self.home.join(".claude"))
    }

    /// Returns the directory of Codex's settings.
    pub(crate) fn codex_dir(&self) -> PathBuf {
        self.codex_home.clone().unwrap_or_else(|| self.home.join(".codex"))
    }

    /// Returns the directory of VS Code's settings of the user.
    pub(crate) fn vscode_dir(&self) -> PathBuf {
        self.app_support.join("Code/User")
    }
}

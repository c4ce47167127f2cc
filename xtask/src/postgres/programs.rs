//! The programs of a PostgreSQL server: those of the system, or another version from the registry
//! of Node packages. They never run as root, which PostgreSQL refuses.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::tools;

/// User that the server runs as where it may not run as root.
pub const SYSTEM_USER: &str = "postgres";

/// The directory of `initdb`, `pg_ctl` and the others.
#[derive(Debug, Clone)]
pub struct ServerPrograms {
    directory: PathBuf,
}

impl ServerPrograms {
    /// Finds the programs of the system; Debian keeps them out of the path.
    pub fn of_system() -> Result<Self> {
        let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
        found.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let complete = |directory: &PathBuf| directory.join("initdb").is_file();
        match found.into_iter().find(complete) {
            Some(directory) => Ok(Self { directory }),
            None => bail!("PostgreSQL is not installed; `cargo xtask tools` installs it"),
        }
    }

    /// Installs another version into `.tools`.
    pub fn install(checkout: &RepoCheckout, version: &str) -> Result<Self> {
        let directory = tools::postgres_programs(checkout, version)?;
        check_access(&directory)?;
        Ok(Self { directory })
    }

    /// Returns one program, run as a user that is not root.
    pub fn command(&self, name: &str) -> Command {
        let path = self.directory.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", SYSTEM_USER, "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir("/");
        command
    }
}

/// Returns whether this process is root's.
pub fn is_root() -> bool {
    command::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Fails with the reason where the user of the server cannot enter the directory.
fn check_access(directory: &Path) -> Result<()> {
    if !is_root() {
        return Ok(());
    }
    let mut probe = Command::new("runuser");
    probe.args(["-u", SYSTEM_USER, "--", "test", "-x"]).arg(directory.join("postgres"));
    command::output(&mut probe).map(|_| ()).with_context(|| {
        format!("the user {SYSTEM_USER} cannot run the programs in {}", directory.display())
    })
}

//! Paths of the checkout: its root, its tools folder, and the cargo that started this program.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// A checkout of the project.
pub struct RepoCheckout {
    root: PathBuf,
}

impl RepoCheckout {
    /// Returns the checkout that this program was built from.
    pub fn current() -> Result<Self> {
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest_dir.parent().context("xtask has no parent folder")?;
        Ok(Self::at(root))
    }

    /// Returns the checkout at `root`.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Returns a path inside the checkout.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns a path inside `.tools`, where the tools of the tests are installed.
    pub fn tools_path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(".tools").join(relative)
    }

    /// Returns a command that runs `program` in the root of the checkout.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// Returns a command for the cargo that started this program, so that every step uses the same
    /// toolchain.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = self.command(cargo);
        command.args(args);
        command
    }
}

//! Where things are in this checkout: its root, its tools folder, and the cargo that runs us.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// One checkout of the project.
pub struct House {
    root: PathBuf,
}

impl House {
    /// The checkout that this very program was built from.
    pub fn of_this_checkout() -> Result<Self> {
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest_dir.parent().context("xtask has no parent folder")?;
        Ok(Self::at(root))
    }

    /// The checkout at `root`.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// A path inside the checkout.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A path inside `.tools`, where everything that is installed for the tests lives.
    pub fn tool(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(".tools").join(relative)
    }

    /// `program`, to be run at the root of the checkout.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// The same cargo that started us, so that every step uses one toolchain.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = self.command(cargo);
        command.args(args);
        command
    }
}

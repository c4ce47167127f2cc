//! The documents beside a binary: completions of shells, man pages, licences and the readme. The
//! binary itself prints the first two, so one that this machine can run is needed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::target_binary::TargetBinary;
use crate::checkout::RepoCheckout;
use crate::{command, quipu_binary};

/// Completions: the name of the shell, and of its file.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "quipu.bash"),
    ("zsh", "_quipu"),
    ("fish", "quipu.fish"),
    ("powershell", "quipu.ps1"),
    ("elvish", "quipu.elv"),
];

/// Files of the checkout that every archive holds.
const FILES: [&str; 4] = ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md"];

/// Documents in a temporary folder: `completions/`, `man/`, licences and the readme.
pub struct Documents {
    folder: TempDir,
}

impl Documents {
    /// Generates the documents with the binary, or with one for this machine. The profile of that
    /// one does not matter: its commands are the same.
    pub fn generate(checkout: &RepoCheckout, binary: &TargetBinary) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let program =
            if binary.runs_here { binary.path.clone() } else { quipu_binary::obtain(checkout)? };
        for name in FILES {
            fs::copy(checkout.path(name), folder.path().join(name))?;
        }
        write_completions(checkout, &program, &folder.path().join("completions"))?;
        write_man_pages(checkout, &program, &folder.path().join("man"))?;
        Ok(Self { folder })
    }

    /// Returns every document with its path in the archive, sorted.
    pub fn files(&self) -> Result<Vec<(String, PathBuf)>> {
        let mut found = Vec::new();
        collect(self.folder.path(), "", &mut found)?;
        found.sort();
        Ok(found)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn write_completions(checkout: &RepoCheckout, program: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for (shell, name) in COMPLETIONS {
        let script = command::output(checkout.command(program).args(["completions", shell]))
            .with_context(|| format!("{} prints no completions for {shell}", program.display()))?;
        fs::write(folder.join(name), script)?;
    }
    Ok(())
}

fn write_man_pages(checkout: &RepoCheckout, program: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let written = command::output(checkout.command(program).arg("man").arg(folder)).is_some();
    if !written {
        println!("no man pages: {} has no command `man`", program.display());
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        if path.is_dir() {
            collect(&path, &name, found)?;
        } else {
            found.push((name, path));
        }
    }
    Ok(())
}

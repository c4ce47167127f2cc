//! Sources of tools: apt, rustup, cargo, pip into a virtual environment, npm into a folder.
//!
//! Knows no tool by name. An installation in `.tools` keeps a copy of its manifest as a stamp, so
//! that a changed manifest counts as a missing tool.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::checkout::RepoCheckout;
use crate::command;

/// Source of a tool.
pub enum ToolSource {
    /// Debian packages, missing when the probe fails; the only source that touches the system.
    Apt { probe: &'static [&'static str], packages: &'static [&'static str] },
    /// A component of the Rust toolchain, missing when the probe fails.
    Rustup { probe: &'static [&'static str], component: &'static str },
    /// The standard library of another target.
    RustTarget { target: &'static str },
    /// A program from the crate registry, built into `.tools/bin`.
    Cargo(CargoProgram),
    /// A Python virtual environment `.tools/FOLDER` from a file in `xtask/tools`.
    Venv { folder: &'static str, requirements: &'static str },
    /// Node packages in `.tools/FOLDER` from `xtask/tools/MANIFEST.json` and its lock.
    Npm { folder: &'static str, manifest: &'static str },
}

impl ToolSource {
    /// Returns the file in `xtask/tools` that pins the versions.
    pub fn manifest(&self) -> Option<String> {
        match self {
            Self::Venv { requirements, .. } => Some((*requirements).to_owned()),
            Self::Npm { manifest, .. } => Some(lock_of(manifest)),
            Self::Apt { .. } | Self::Rustup { .. } | Self::RustTarget { .. } | Self::Cargo(_) => {
                None
            }
        }
    }

    /// Returns whether the tool is installed: its probe succeeds, its version fits, or its stamp
    /// equals the current manifest.
    pub fn is_installed(&self, checkout: &RepoCheckout) -> bool {
        match self {
            Self::Apt { probe, .. } | Self::Rustup { probe, .. } => succeeds(checkout, probe),
            Self::RustTarget { target } => {
                let list = ["target", "list", "--installed"];
                let installed = command::output(checkout.command("rustup").args(list));
                installed.is_some_and(|names| names.lines().any(|name| name == *target))
            }
            Self::Cargo(program) => program.find(checkout).is_some(),
            Self::Venv { folder, .. } | Self::Npm { folder, .. } => {
                let manifest =
                    self.manifest().and_then(|name| fs::read(manifest_path(checkout, &name)).ok());
                manifest.is_some() && fs::read(stamp_path(checkout, folder)).ok() == manifest
            }
        }
    }
}

/// A program from the crate registry.
pub struct CargoProgram {
    /// Name of the crate and of the executable.
    pub name: &'static str,
    /// Version to install.
    pub version: &'static str,
    /// Prefix of the versions that are accepted when already installed.
    pub series: &'static str,
}

impl CargoProgram {
    /// Returns the path of an accepted version, in `.tools` or on the path.
    pub fn find(&self, checkout: &RepoCheckout) -> Option<PathBuf> {
        let fits = |path: &PathBuf| {
            let version = command::output(checkout.command(path).arg("--version"));
            version.is_some_and(|text| {
                text.split_whitespace().nth(1).is_some_and(|v| v.starts_with(self.series))
            })
        };
        [checkout.tools_path("bin").join(self.name), PathBuf::from(self.name)]
            .into_iter()
            .find(fits)
    }
}

/// Installs tools one after another and updates the apt lists at most once.
pub struct Installer<'checkout> {
    checkout: &'checkout RepoCheckout,
    apt_lists_fresh: bool,
}

impl<'checkout> Installer<'checkout> {
    pub fn new(checkout: &'checkout RepoCheckout) -> Self {
        Self { checkout, apt_lists_fresh: false }
    }

    /// Installs from `source`. A partial installation is replaced the next time.
    pub fn install(&mut self, source: &ToolSource) -> Result<()> {
        match source {
            ToolSource::Apt { packages, .. } => self.apt(packages),
            ToolSource::Rustup { component, .. } => {
                command::run(self.checkout.command("rustup").args(["component", "add", component]))
            }
            ToolSource::RustTarget { target } => {
                command::run(self.checkout.command("rustup").args(["target", "add", target]))
            }
            ToolSource::Cargo(program) => self.cargo(program),
            ToolSource::Venv { folder, requirements } => self.venv(folder, requirements),
            ToolSource::Npm { folder, manifest } => self.npm(folder, manifest),
        }
    }

    fn apt(&mut self, packages: &[&str]) -> Result<()> {
        if command::output(self.checkout.command("apt-get").arg("--version")).is_none() {
            bail!(
                "apt-get is not available; install {} with your system's package manager",
                packages.join(" ")
            );
        }
        if !self.apt_lists_fresh {
            self.apt_get(&["update"])?;
            self.apt_lists_fresh = true;
        }
        self.apt_get(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
    }

    fn apt_get(&self, args: &[&str]) -> Result<()> {
        let root = command::output(self.checkout.command("id").arg("-u"))
            .is_some_and(|id| id.trim() == "0");
        let mut command = self.checkout.command(if root { "env" } else { "sudo" });
        command::run(command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(args))
    }

    // Unoptimised and without debug information: a tool that runs once per check should build
    // quickly, not run quickly.
    fn cargo(&self, program: &CargoProgram) -> Result<()> {
        let mut command =
            self.checkout.cargo(&["install", "--locked", "--debug", "--force", "--quiet"]);
        command
            .args(["--version", program.version, "--root"])
            .arg(self.checkout.tools_path(""))
            .arg(program.name);
        // The build must neither use nor wait for the lock of the workspace's target folder.
        command::run(command.env_remove("CARGO_TARGET_DIR").env("CARGO_PROFILE_DEV_DEBUG", "0"))
    }

    fn venv(&self, folder: &str, requirements: &str) -> Result<()> {
        let folder_path = self.checkout.tools_path(folder);
        command::run(
            self.checkout.command("python3").args(["-m", "venv", "--clear"]).arg(&folder_path),
        )?;
        let mut pip = self.checkout.command(folder_path.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
        ]);
        command::run(pip.arg(manifest_path(self.checkout, requirements)))?;
        self.write_stamp(folder, requirements)
    }

    fn npm(&self, folder: &str, manifest: &str) -> Result<()> {
        let folder_path = self.checkout.tools_path(folder);
        fs::create_dir_all(&folder_path)?;
        let (package, lock) = (format!("{manifest}.json"), lock_of(manifest));
        for (name, target) in [(&package, "package.json"), (&lock, "package-lock.json")] {
            fs::copy(manifest_path(self.checkout, name), folder_path.join(target))?;
        }
        let mut npm = self.checkout.command("npm");
        // Not `ci`: it refuses a lock without the packages of other platforms, which a registry
        // need not have. Versions and checksums are those of the lock either way.
        npm.args(["install", "--no-save", "--ignore-scripts"]);
        npm.args(["--no-audit", "--no-fund", "--loglevel", "error"]);
        command::run(npm.current_dir(&folder_path))?;
        self.write_stamp(folder, &lock)
    }

    fn write_stamp(&self, folder: &str, manifest: &str) -> Result<()> {
        let to = stamp_path(self.checkout, folder);
        fs::copy(manifest_path(self.checkout, manifest), &to)
            .with_context(|| format!("cannot write {}", to.display()))?;
        Ok(())
    }
}

/// Returns the name of the lock file beside a manifest of Node packages.
fn lock_of(manifest: &str) -> String {
    format!("{manifest}-lock.json")
}

fn succeeds(checkout: &RepoCheckout, probe: &[&str]) -> bool {
    let Some((program, args)) = probe.split_first() else { return false };
    command::output(checkout.command(program).args(args)).is_some()
}

fn manifest_path(checkout: &RepoCheckout, name: &str) -> PathBuf {
    checkout.path(Path::new("xtask/tools").join(name))
}

fn stamp_path(checkout: &RepoCheckout, folder: &str) -> PathBuf {
    checkout.tools_path(folder).join("installed-from")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: ToolSource = ToolSource::Venv { folder: "py", requirements: "wanted.txt" };

    fn checkout_with_requirements(requirements: &str, folder: &Path) -> RepoCheckout {
        fs::create_dir_all(folder.join("xtask/tools")).unwrap();
        fs::create_dir_all(folder.join(".tools/py")).unwrap();
        fs::write(folder.join("xtask/tools/wanted.txt"), requirements).unwrap();
        RepoCheckout::at(folder)
    }

    #[test]
    fn a_tool_is_installed_once_its_stamp_matches_its_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout_with_requirements("mcp==1.0.0", folder.path());
        assert!(!SOURCE.is_installed(&checkout));
        Installer::new(&checkout).write_stamp("py", "wanted.txt").unwrap();
        assert!(SOURCE.is_installed(&checkout));
    }

    #[test]
    fn a_tool_with_a_changed_manifest_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout_with_requirements("mcp==1.0.0", folder.path());
        Installer::new(&checkout).write_stamp("py", "wanted.txt").unwrap();
        let checkout = checkout_with_requirements("mcp==1.0.1", folder.path());
        assert!(!SOURCE.is_installed(&checkout));
    }

    #[test]
    fn a_tool_without_a_manifest_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!SOURCE.is_installed(&RepoCheckout::at(folder.path())));
    }
}

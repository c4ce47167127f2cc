//! The ways to get a tool: apt, rustup, cargo, pip into a virtual environment, npm into a folder.
//!
//! Knows no tool by name. What goes into `.tools` leaves a stamp with the manifest it was made
//! from, so that a changed manifest is a missing tool.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::command;
use crate::house::House;

/// Where a tool comes from.
pub enum Source {
    /// Debian packages, missing when the probe fails; the only source that touches the system.
    Apt { probe: &'static [&'static str], packages: &'static [&'static str] },
    /// A component of the Rust toolchain, missing when the probe fails.
    Rustup { probe: &'static [&'static str], component: &'static str },
    /// A program from the crate registry, built into `.tools/bin`.
    Cargo(Program),
    /// A Python virtual environment `.tools/FOLDER` from a file in `xtask/tools`.
    Venv { folder: &'static str, requirements: &'static str },
    /// Node packages in `.tools/FOLDER` from `xtask/tools/package.json` and its lock.
    Npm { folder: &'static str },
}

impl Source {
    /// The file in `xtask/tools` that says which versions are wanted.
    pub fn manifest(&self) -> Option<&'static str> {
        match self {
            Self::Venv { requirements, .. } => Some(requirements),
            Self::Npm { .. } => Some("package-lock.json"),
            Self::Apt { .. } | Self::Rustup { .. } | Self::Cargo(_) => None,
        }
    }

    /// Whether it is there already: it answers its probe, has a fitting version, or was made from
    /// today's manifest.
    pub fn there(&self, house: &House) -> bool {
        match self {
            Self::Apt { probe, .. } | Self::Rustup { probe, .. } => succeeds(house, probe),
            Self::Cargo(program) => program.find(house).is_some(),
            Self::Venv { folder, .. } | Self::Npm { folder } => {
                let wanted =
                    self.manifest().and_then(|name| fs::read(manifest_path(house, name)).ok());
                wanted.is_some() && fs::read(stamp_path(house, folder)).ok() == wanted
            }
        }
    }
}

/// A program from the crate registry.
pub struct Program {
    /// Its crate and its executable.
    pub name: &'static str,
    /// The version to install.
    pub version: &'static str,
    /// How a version begins that will do when it is there already.
    pub series: &'static str,
}

impl Program {
    /// Where a fitting version is: in `.tools`, or on the path.
    pub fn find(&self, house: &House) -> Option<PathBuf> {
        let fits = |path: &PathBuf| {
            let version = command::output(house.command(path).arg("--version"));
            version.is_some_and(|text| {
                text.split_whitespace().nth(1).is_some_and(|v| v.starts_with(self.series))
            })
        };
        [house.tool("bin").join(self.name), PathBuf::from(self.name)].into_iter().find(fits)
    }
}

/// Gets tools one after the other; remembers that apt's lists are fresh.
pub struct Installer<'house> {
    house: &'house House,
    apt_lists_fresh: bool,
}

impl<'house> Installer<'house> {
    pub fn new(house: &'house House) -> Self {
        Self { house, apt_lists_fresh: false }
    }

    /// Installs from `source`; what it leaves half done on failure is made anew the next time.
    pub fn get(&mut self, source: &Source) -> Result<()> {
        match source {
            Source::Apt { packages, .. } => self.apt(packages),
            Source::Rustup { component, .. } => {
                command::run(self.house.command("rustup").args(["component", "add", component]))
            }
            Source::Cargo(program) => self.cargo(program),
            Source::Venv { folder, requirements } => self.venv(folder, requirements),
            Source::Npm { folder } => self.npm(folder),
        }
    }

    fn apt(&mut self, packages: &[&str]) -> Result<()> {
        if command::output(self.house.command("apt-get").arg("--version")).is_none() {
            bail!(
                "there is no apt-get here; install {} with your system's package manager",
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
        let root =
            command::output(self.house.command("id").arg("-u")).is_some_and(|id| id.trim() == "0");
        let mut command = self.house.command(if root { "env" } else { "sudo" });
        command::run(command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(args))
    }

    /// Unoptimised and without debug information: what runs once a check need not be fast, only
    /// soon there.
    fn cargo(&self, program: &Program) -> Result<()> {
        let mut command =
            self.house.cargo(&["install", "--locked", "--debug", "--force", "--quiet"]);
        command
            .args(["--version", program.version, "--root"])
            .arg(self.house.tool(""))
            .arg(program.name);
        // Its own build must not land in, nor wait for, the workspace's target folder.
        command::run(command.env_remove("CARGO_TARGET_DIR").env("CARGO_PROFILE_DEV_DEBUG", "0"))
    }

    fn venv(&self, folder: &str, requirements: &str) -> Result<()> {
        let folder_path = self.house.tool(folder);
        command::run(
            self.house.command("python3").args(["-m", "venv", "--clear"]).arg(&folder_path),
        )?;
        let mut pip = self.house.command(folder_path.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
        ]);
        command::run(pip.arg(manifest_path(self.house, requirements)))?;
        self.stamp(folder, requirements)
    }

    fn npm(&self, folder: &str) -> Result<()> {
        let folder_path = self.house.tool(folder);
        fs::create_dir_all(&folder_path)?;
        for name in ["package.json", "package-lock.json"] {
            fs::copy(manifest_path(self.house, name), folder_path.join(name))?;
        }
        let mut npm = self.house.command("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]);
        command::run(npm.current_dir(&folder_path))?;
        self.stamp(folder, "package-lock.json")
    }

    fn stamp(&self, folder: &str, manifest: &str) -> Result<()> {
        let to = stamp_path(self.house, folder);
        fs::copy(manifest_path(self.house, manifest), &to)
            .with_context(|| format!("cannot write {}", to.display()))?;
        Ok(())
    }
}

fn succeeds(house: &House, probe: &[&str]) -> bool {
    let Some((program, args)) = probe.split_first() else { return false };
    command::output(house.command(program).args(args)).is_some()
}

fn manifest_path(house: &House, name: &str) -> PathBuf {
    house.path(Path::new("xtask/tools").join(name))
}

fn stamp_path(house: &House, folder: &str) -> PathBuf {
    house.tool(folder).join("installed-from")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source::Venv { folder: "py", requirements: "wanted.txt" };

    fn house_that_wants(requirements: &str, folder: &Path) -> House {
        fs::create_dir_all(folder.join("xtask/tools")).unwrap();
        fs::create_dir_all(folder.join(".tools/py")).unwrap();
        fs::write(folder.join("xtask/tools/wanted.txt"), requirements).unwrap();
        House::at(folder)
    }

    #[test]
    fn a_tool_is_there_once_its_stamp_matches_its_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let house = house_that_wants("mcp==1.0.0", folder.path());
        assert!(!SOURCE.there(&house));
        Installer::new(&house).stamp("py", "wanted.txt").unwrap();
        assert!(SOURCE.there(&house));
    }

    #[test]
    fn a_changed_manifest_is_a_missing_tool() {
        let folder = tempfile::tempdir().unwrap();
        let house = house_that_wants("mcp==1.0.0", folder.path());
        Installer::new(&house).stamp("py", "wanted.txt").unwrap();
        let house = house_that_wants("mcp==1.0.1", folder.path());
        assert!(!SOURCE.there(&house));
    }

    #[test]
    fn a_tool_whose_manifest_is_gone_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!SOURCE.there(&House::at(folder.path())));
    }
}

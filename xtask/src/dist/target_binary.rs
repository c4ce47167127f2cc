//! The binary of one target: built with the profile of shipped binaries, or given.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::checkout::RepoCheckout;
use crate::{command, tools};

/// Profile of shipped binaries.
const PROFILE: &str = "dist";

/// A binary and the target that it was built for.
pub struct TargetBinary {
    pub target: String,
    pub path: PathBuf,
    /// True if this machine can run it.
    pub runs_here: bool,
}

impl TargetBinary {
    /// Builds the binary for a target, or takes the given one.
    pub fn obtain(checkout: &RepoCheckout, target: &str, given: Option<&Path>) -> Result<Self> {
        let runs_here = host_target(checkout)? == target;
        let path = match given {
            Some(path) => path.canonicalize().with_context(|| path.display().to_string())?,
            None => build(checkout, target)?,
        };
        Ok(Self { target: target.to_owned(), path, runs_here })
    }

    /// Returns the name of the program in this target.
    pub fn program_name(&self) -> &'static str {
        if self.is_windows() { "quipu.exe" } else { "quipu" }
    }

    pub fn is_linux(&self) -> bool {
        self.target.contains("-linux-")
    }

    pub fn is_windows(&self) -> bool {
        self.target.contains("-windows-")
    }

    pub fn is_arm(&self) -> bool {
        self.target.starts_with("aarch64-")
    }
}

/// Returns the target of this machine.
pub fn host_target(checkout: &RepoCheckout) -> Result<String> {
    let version = command::output(checkout.command("rustc").arg("-vV")).context("rustc -vV")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names its host")?.to_owned())
}

fn build(checkout: &RepoCheckout, target: &str) -> Result<PathBuf> {
    let arguments = ["build", "--locked", "--package", "quipu", "--profile", PROFILE, "--target"];
    let mut cargo = checkout.cargo(&arguments);
    cargo.arg(target);
    if host_target(checkout)? != target {
        if target == tools::ARM_LINUX {
            tools::arm_compilers(checkout)?;
        }
        cargo.envs(cross_compiler(target));
    }
    command::run(&mut cargo)?;
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout.path("target"), PathBuf::from);
    let name = if target.contains("-windows-") { "quipu.exe" } else { "quipu" };
    Ok(folder.join(target).join(PROFILE).join(name))
}

/// Returns the variables that name the C compiler and the linker of another Linux machine, as
/// Debian calls them: `aarch64-linux-gnu-gcc`.
fn cross_compiler(target: &str) -> Vec<(String, String)> {
    let Some((machine, _)) = target.split_once("-unknown-linux-gnu") else { return Vec::new() };
    let tool = |name: &str| format!("{machine}-linux-gnu-{name}");
    let words = target.replace('-', "_");
    vec![
        (format!("CARGO_TARGET_{}_LINKER", words.to_uppercase()), tool("gcc")),
        (format!("CC_{words}"), tool("gcc")),
        (format!("CXX_{words}"), tool("g++")),
        (format!("AR_{words}"), tool("ar")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_linux_machine_has_a_compiler_of_its_own() {
        let variables = cross_compiler("aarch64-unknown-linux-gnu");
        let linker = ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
        assert!(variables.contains(&(linker.0.to_owned(), linker.1.to_owned())), "{variables:?}");
        assert!(cross_compiler("x86_64-pc-windows-msvc").is_empty());
    }
}

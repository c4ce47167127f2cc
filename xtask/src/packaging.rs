//! `cargo xtask packaging`: writes the files of plugins and extensions that follow from the formats
//! of clients. With `--check` it lets the tools of the stores validate what is below `packaging/`;
//! a tool that cannot be had is named and skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use client_setup::plugin_files;

use crate::checkout::RepoCheckout;
use crate::tools;

/// Folder of everything that is packaged.
const FOLDER: &str = "packaging";

/// Origin of a validator.
enum Validator {
    /// A coding agent, or another program from npm.
    Npm(&'static str),
    /// A program from a Python environment.
    Python(&'static str),
    /// A program of the system.
    System(&'static str),
}

/// A validation: the program and its arguments, run in the root of the checkout.
struct PackageCheck {
    validator: Validator,
    args: &'static [&'static str],
}

const fn check(validator: Validator, args: &'static [&'static str]) -> PackageCheck {
    PackageCheck { validator, args }
}

const CHECKS: &[PackageCheck] = &[
    check(Validator::Npm("claude"), &["plugin", "validate", "."]),
    check(Validator::Npm("claude"), &["plugin", "validate", "packaging/plugin"]),
    check(Validator::Npm("codex"), &["plugin", "marketplace", "add", "."]),
    check(Validator::Npm("codex"), &["plugin", "add", "quipu@quipu"]),
    check(Validator::Npm("gemini"), &["extensions", "validate", "packaging/gemini"]),
    check(Validator::Npm("mcpb"), &["validate", "packaging/mcpb/manifest.json"]),
    check(Validator::Python("skillsaw"), &["lint", "packaging/plugin"]),
    check(Validator::Python("skillsaw"), &["lint", "packaging/registry"]),
    check(
        Validator::Python("check-jsonschema"),
        &["--builtin-schema", "vendor.github-workflows", ".github/workflows/release.yml"],
    ),
    check(Validator::System("node"), &["--check", "packaging/opencode/index.js"]),
    check(Validator::System("node"), &["--check", "packaging/opencode/hooks.js"]),
    check(Validator::System("shellcheck"), &["packaging/install.sh"]),
    check(Validator::System("ruby"), &["-c", "packaging/homebrew/quipu.rb"]),
    check(Validator::System("rpmspec"), &["--parse", "packaging/rpm/quipu.spec"]),
    check(
        Validator::System("rpmlint"),
        &["--config", "packaging/rpm/rpmlint.toml", "packaging/rpm/quipu.spec"],
    ),
    check(Validator::System("nix-instantiate"), &["--parse", "flake.nix"]),
    check(Validator::Python("hadolint"), &["packaging/docker/Dockerfile"]),
];

/// Writes the generated files.
pub fn run(checkout: &RepoCheckout) -> Result<ExitCode> {
    for file in plugin_files() {
        let path = checkout.path(FOLDER).join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        if fs::read_to_string(&path).ok().as_deref() != Some(&file.text) {
            fs::write(&path, &file.text)?;
            println!("wrote {}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Validates everything with the tools of the stores.
pub fn validate(checkout: &RepoCheckout) -> Result<ExitCode> {
    let programs = ValidatorPrograms::install(checkout);
    // Some programs write settings when they start; none may touch those of the user.
    let home = tempfile::tempdir()?;
    let mut failed = 0;
    for check in CHECKS {
        let Some(program) = programs.find(&check.validator) else {
            println!("SKIPPED {}: it cannot be installed here", check.line());
            continue;
        };
        let mut command = checkout.command(program);
        command.args(check.args).env("HOME", home.path()).env("CODEX_HOME", home.path());
        failed += usize::from(!passes(&check.line(), &mut command)?);
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a validation and shows its output if it fails.
fn passes(line: &str, command: &mut Command) -> Result<bool> {
    let output = command.output().with_context(|| format!("cannot run {line}"))?;
    let passed = output.status.success();
    println!("{} {line}", if passed { "PASSED" } else { "FAILED" });
    if !passed {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(passed)
}

impl PackageCheck {
    fn line(&self) -> String {
        let (Validator::Npm(name) | Validator::Python(name) | Validator::System(name)) =
            self.validator;
        format!("{name} {}", self.args.join(" "))
    }
}

/// Folders of the validators, as far as they could be installed.
struct ValidatorPrograms {
    npm: Option<PathBuf>,
    python: Option<PathBuf>,
}

impl ValidatorPrograms {
    fn install(checkout: &RepoCheckout) -> Self {
        let found = |result: Result<PathBuf>| {
            result.inspect_err(|error| println!("some validators are missing: {error:#}")).ok()
        };
        tools::package_linters(checkout);
        Self {
            npm: found(tools::coding_agents(checkout)),
            python: found(tools::package_validators(checkout)),
        }
    }

    fn find(&self, validator: &Validator) -> Option<PathBuf> {
        match validator {
            Validator::Npm(name) => self.npm.as_ref().map(|folder| folder.join(name)),
            Validator::Python(name) => self.python.as_ref().map(|folder| folder.join(name)),
            Validator::System(name) => on_path(name),
        }
    }
}

/// Returns the path of a program of the system.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

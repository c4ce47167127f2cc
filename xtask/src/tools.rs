//! Tools that the tests need beyond cargo: one table with the name, the check and the source of
//! each.
//!
//! A new tool is one more row; a new way to install is one more [`ToolSource`]. Everything that no
//! system package manager owns is installed into `.tools`, so deleting that folder removes it.

mod source;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::check::StepOutcome;
use crate::checkout::RepoCheckout;
use crate::test_counts::TestCounts;
use source::{CargoProgram, Installer, ToolSource};

struct RequiredTool {
    name: &'static str,
    needed_for: &'static str,
    source: ToolSource,
}

/// Required version of cargo-deny.
// Any 0.20 will do; the command-line options changed before and may change after it.
const CARGO_DENY: CargoProgram =
    CargoProgram { name: "cargo-deny", version: "0.20.2", series: "0.20." };

/// Linters and schemas of the files in `deploy`. Only `cargo xtask deploy` needs them.
const DEPLOY_CHECKS: RequiredTool = RequiredTool {
    name: "linters of deploy",
    needed_for: "the check of the files in deploy",
    source: ToolSource::Venv { folder: DEPLOY_FOLDER, requirements: "deploy.txt" },
};
const DEPLOY_FOLDER: &str = "deploy";

const TOOLS: &[RequiredTool] = &[
    RequiredTool {
        name: "C compiler",
        needed_for: "the bundled SQLite",
        source: ToolSource::Apt { probe: &["cc", "--version"], packages: &["build-essential"] },
    },
    RequiredTool {
        name: "git",
        needed_for: "the advisory database and the commit in benchmarks",
        source: ToolSource::Apt { probe: &["git", "--version"], packages: &["git"] },
    },
    RequiredTool {
        name: "rustfmt",
        needed_for: "the fmt step",
        source: ToolSource::Rustup { probe: &["cargo", "fmt", "--version"], component: "rustfmt" },
    },
    RequiredTool {
        name: "clippy",
        needed_for: "the clippy step",
        source: ToolSource::Rustup {
            probe: &["cargo", "clippy", "--version"],
            component: "clippy",
        },
    },
    RequiredTool {
        name: "cargo-deny",
        needed_for: "the deny step",
        source: ToolSource::Cargo(CARGO_DENY),
    },
    RequiredTool {
        name: "Python with venv",
        needed_for: "the Python MCP clients",
        source: ToolSource::Apt {
            probe: &["python3", "-c", "import ensurepip, venv"],
            packages: &["python3", "python3-venv"],
        },
    },
    RequiredTool {
        name: "npm",
        needed_for: "the TypeScript MCP clients",
        source: ToolSource::Apt { probe: &["npm", "--version"], packages: &["nodejs", "npm"] },
    },
    RequiredTool {
        name: "PostgreSQL",
        needed_for: "the tests of the store on PostgreSQL",
        source: ToolSource::Apt {
            probe: &["sh", "-c", "command -v initdb || ls /usr/lib/postgresql/*/bin/initdb"],
            packages: &["postgresql"],
        },
    },
    RequiredTool {
        name: "zsh and fish",
        needed_for: "the tests of the completion scripts",
        source: ToolSource::Apt {
            probe: &["sh", "-c", "command -v zsh && command -v fish"],
            packages: &["zsh", "fish"],
        },
    },
    RequiredTool {
        name: "Chromium",
        needed_for: "the dashboard tests",
        source: ToolSource::Apt {
            probe: &["chromium", "--version"],
            packages: &["chromium", "fonts-dejavu-core", "fonts-noto-color-emoji"],
        },
    },
    RequiredTool {
        name: "schemathesis",
        needed_for: "the tests of the OpenAPI description",
        source: ToolSource::Venv { folder: "schemathesis", requirements: "schemathesis.txt" },
    },
    RequiredTool {
        name: "Python MCP client 1",
        needed_for: "the MCP tests",
        source: ToolSource::Venv { folder: "py1", requirements: "mcp1.txt" },
    },
    RequiredTool {
        name: "Python MCP client 2",
        needed_for: "the MCP tests",
        source: ToolSource::Venv { folder: "py2", requirements: "mcp2.txt" },
    },
    RequiredTool {
        name: "TypeScript MCP clients, conformance suites and browser driver",
        needed_for: "the MCP tests and the dashboard tests",
        source: ToolSource::Npm { folder: "node", manifest: "package" },
    },
];

/// Coding agents and the validators of their stores. `check` does not need them; a command that
/// does installs them.
const CODING_AGENTS: RequiredTool = RequiredTool {
    name: "coding agents",
    needed_for: "`clients` and `packaging --check`",
    source: ToolSource::Npm { folder: "clients", manifest: "clients" },
};

/// PostgreSQL servers of other versions. Only `postgres --version` needs them.
const POSTGRES_VERSIONS: RequiredTool = RequiredTool {
    name: "PostgreSQL 17 and 18",
    needed_for: "`postgres --version`",
    source: ToolSource::Npm { folder: "postgres", manifest: "postgres" },
};

/// Validators that are written in Python.
const PACKAGE_VALIDATORS: RequiredTool = RequiredTool {
    name: "validators of packages",
    needed_for: "`packaging --check`",
    source: ToolSource::Venv { folder: "packaging", requirements: "packaging.txt" },
};

/// Programs that build and check packages of Linux. `dist` and `packaging --check` need them.
const LINUX_PACKAGERS: [RequiredTool; 3] = [
    package_program("rpm", &["rpmbuild", "--version"], &["rpm"]),
    package_program("rpmlint", &["rpmlint", "--version"], &["rpmlint"]),
    package_program("lintian", &["lintian", "--version"], &["lintian"]),
];

/// Other programs of the system that check packages. Only `packaging --check` needs them.
const PACKAGE_LINTERS: [RequiredTool; 3] = [
    package_program("shellcheck", &["shellcheck", "--version"], &["shellcheck"]),
    package_program("ruby", &["ruby", "--version"], &["ruby"]),
    package_program("nix", &["nix-instantiate", "--version"], &["nix-bin"]),
];

const fn package_program(
    name: &'static str,
    probe: &'static [&'static str],
    packages: &'static [&'static str],
) -> RequiredTool {
    RequiredTool {
        name,
        needed_for: "`dist` and `packaging --check`",
        source: ToolSource::Apt { probe, packages },
    }
}

/// Target of Linux on ARM, which is built on other machines too.
pub const ARM_LINUX: &str = "aarch64-unknown-linux-gnu";

/// Compilers for Linux on ARM. Only `dist` for that target needs them.
const ARM_COMPILERS: [RequiredTool; 2] = [
    RequiredTool {
        name: "C compiler for ARM",
        needed_for: "`dist` for Linux on ARM",
        source: ToolSource::Apt {
            probe: &["aarch64-linux-gnu-g++", "--version"],
            packages: &["gcc-aarch64-linux-gnu", "g++-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        },
    },
    RequiredTool {
        name: "Rust library for ARM",
        needed_for: "`dist` for Linux on ARM",
        source: ToolSource::RustTarget { target: ARM_LINUX },
    },
];

/// The generator of the documentation site.
const MDBOOK: RequiredTool = RequiredTool {
    name: "mdBook",
    needed_for: "`site`",
    source: ToolSource::Cargo(MDBOOK_PROGRAM),
};

const MDBOOK_PROGRAM: CargoProgram =
    CargoProgram { name: "mdbook", version: "0.5.4", series: "v0.5." };

/// Scripts that complete the installation of coding agents: npm runs none, because a package that
/// nobody asked for could bring one along.
const AGENT_SCRIPTS: [&str; 2] =
    ["@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs"];

/// Installs the missing tools in the order of the table. A failure does not stop the others.
pub fn run(checkout: &RepoCheckout) -> Result<StepOutcome> {
    let mut installer = Installer::new(checkout);
    let mut tally = TestCounts::default();
    for tool in TOOLS {
        if tool.source.is_installed(checkout) {
            println!("{}: installed", tool.name);
        } else if let Err(error) = install(&mut installer, tool) {
            println!("{}: cannot be installed: {error:#}", tool.name);
            tally = tally + TestCounts::FAIL;
        }
    }
    Ok(tally.into())
}

/// Installs the compilers for Linux on ARM.
pub fn arm_compilers(checkout: &RepoCheckout) -> Result<()> {
    let mut installer = Installer::new(checkout);
    let mut missing = ARM_COMPILERS.iter().filter(|tool| !tool.source.is_installed(checkout));
    missing.try_for_each(|tool| install(&mut installer, tool))
}

/// Installs the coding agents and returns the folder of their programs.
pub fn coding_agents(checkout: &RepoCheckout) -> Result<PathBuf> {
    let packages = checkout.tools_path("clients/node_modules");
    if !CODING_AGENTS.source.is_installed(checkout) {
        install(&mut Installer::new(checkout), &CODING_AGENTS)?;
        for script in AGENT_SCRIPTS {
            let path = packages.join(script);
            let folder = path.parent().context("a script is in a folder")?;
            crate::command::run(checkout.command("node").arg(&path).current_dir(folder))?;
        }
    }
    Ok(packages.join(".bin"))
}

/// Installs the PostgreSQL servers of other versions and returns the programs of one, by the first
/// number of its version.
pub fn postgres_programs(checkout: &RepoCheckout, version: &str) -> Result<PathBuf> {
    let packages = checkout.tools_path("postgres/node_modules");
    if !POSTGRES_VERSIONS.source.is_installed(checkout) {
        install(&mut Installer::new(checkout), &POSTGRES_VERSIONS)?;
    }
    let folder = packages.join(format!("postgres-{version}"));
    anyhow::ensure!(folder.is_dir(), "there is 17 and 18, and no version {version}");
    // Makes the links between libraries, which a package cannot have; those that are there stay.
    let mut script = checkout.command("node");
    crate::command::run(script.arg("scripts/hydrate-symlinks.js").current_dir(&folder))?;
    Ok(folder.join("native/bin"))
}

/// Installs the validators that are written in Python and returns the folder of their programs.
pub fn package_validators(checkout: &RepoCheckout) -> Result<PathBuf> {
    if !PACKAGE_VALIDATORS.source.is_installed(checkout) {
        install(&mut Installer::new(checkout), &PACKAGE_VALIDATORS)?;
    }
    Ok(checkout.tools_path("packaging/bin"))
}

/// Installs the programs that build and check packages of Linux.
pub fn linux_packagers(checkout: &RepoCheckout) {
    install_available(checkout, &LINUX_PACKAGERS);
}

/// Installs the programs of the system that check packages.
pub fn package_linters(checkout: &RepoCheckout) {
    install_available(checkout, &LINUX_PACKAGERS);
    install_available(checkout, &PACKAGE_LINTERS);
}

/// Installs tools. One that cannot be installed is named; what needs it is left out.
fn install_available(checkout: &RepoCheckout, tools: &[RequiredTool]) {
    let mut installer = Installer::new(checkout);
    for tool in tools.iter().filter(|tool| !tool.source.is_installed(checkout)) {
        if let Err(error) = install(&mut installer, tool) {
            println!("{}: cannot be installed: {error:#}", tool.name);
        }
    }
}

/// Installs mdBook and returns its path.
pub fn mdbook(checkout: &RepoCheckout) -> Result<PathBuf> {
    if MDBOOK_PROGRAM.find(checkout).is_none() {
        install(&mut Installer::new(checkout), &MDBOOK)?;
    }
    MDBOOK_PROGRAM.find(checkout).context("mdBook was installed, but cannot be run")
}

/// Returns the cargo-deny to use: the one in `.tools`, or the one on the path.
pub fn cargo_deny(checkout: &RepoCheckout) -> Option<PathBuf> {
    CARGO_DENY.find(checkout)
}

/// Installs the linters of the files in `deploy` if they are missing, and returns their directory.
pub fn deploy_checks(checkout: &RepoCheckout) -> Result<PathBuf> {
    if !DEPLOY_CHECKS.source.is_installed(checkout) {
        install(&mut Installer::new(checkout), &DEPLOY_CHECKS)?;
    }
    Ok(checkout.path(".tools").join(DEPLOY_FOLDER).join("bin"))
}

fn install(installer: &mut Installer<'_>, tool: &RequiredTool) -> Result<()> {
    println!("{}: missing, needed for {}", tool.name, tool.needed_for);
    let started = Instant::now();
    installer.install(&tool.source)?;
    println!("{}: installed in {:.1} s", tool.name, started.elapsed().as_secs_f64());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_exists_and_pins_every_version() {
        let checkout = RepoCheckout::current().unwrap();
        let on_demand = [CODING_AGENTS, PACKAGE_VALIDATORS, POSTGRES_VERSIONS];
        for name in TOOLS.iter().chain(&on_demand).filter_map(|tool| tool.source.manifest()) {
            let text = std::fs::read_to_string(checkout.path("xtask/tools").join(&name)).unwrap();
            let requirements =
                text.lines().filter(|line| name.ends_with(".txt") && !line.starts_with('#'));
            assert_eq!(
                requirements.filter(|line| !line.contains("==")).collect::<Vec<_>>(),
                Vec::<&str>::new()
            );
        }
    }

    #[test]
    fn no_manifest_names_a_download_location() {
        let checkout = RepoCheckout::current().unwrap();
        for entry in std::fs::read_dir(checkout.path("xtask/tools")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for forbidden in
                ["\"resolved\"", "--index-url", "--find-links", "--extra-index-url", "registry="]
            {
                assert!(!text.contains(forbidden), "{} contains {forbidden}", path.display());
            }
        }
    }
}

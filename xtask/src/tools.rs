//! Tools that the tests need beyond cargo: one table with the name, the check and the source of
//! each.
//!
//! A new tool is one more row; a new way to install is one more [`ToolSource`]. Everything that no
//! system package manager owns is installed into `.tools`, so deleting that folder removes it.

mod source;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;

use crate::check::Outcome;
use crate::house::House;
use crate::tally::Tally;
use source::{Installer, Program, Source};

struct Tool {
    name: &'static str,
    needed_for: &'static str,
    source: Source,
}

/// Required version of cargo-deny.
// Any 0.20 will do; the command-line options changed before and may change after it.
const CARGO_DENY: Program = Program { name: "cargo-deny", version: "0.20.2", series: "0.20." };

const TOOLS: &[Tool] = &[
    Tool {
        name: "C compiler",
        needed_for: "the bundled SQLite",
        source: Source::Apt { probe: &["cc", "--version"], packages: &["build-essential"] },
    },
    Tool {
        name: "git",
        needed_for: "the advisory database and the commit in benchmarks",
        source: Source::Apt { probe: &["git", "--version"], packages: &["git"] },
    },
    Tool {
        name: "rustfmt",
        needed_for: "the fmt step",
        source: Source::Rustup { probe: &["cargo", "fmt", "--version"], component: "rustfmt" },
    },
    Tool {
        name: "clippy",
        needed_for: "the clippy step",
        source: Source::Rustup { probe: &["cargo", "clippy", "--version"], component: "clippy" },
    },
    Tool { name: "cargo-deny", needed_for: "the deny step", source: Source::Cargo(CARGO_DENY) },
    Tool {
        name: "Python with venv",
        needed_for: "the Python MCP clients",
        source: Source::Apt {
            probe: &["python3", "-c", "import ensurepip, venv"],
            packages: &["python3", "python3-venv"],
        },
    },
    Tool {
        name: "npm",
        needed_for: "the TypeScript MCP clients",
        source: Source::Apt { probe: &["npm", "--version"], packages: &["nodejs", "npm"] },
    },
    Tool {
        name: "Chromium",
        needed_for: "the dashboard tests",
        source: Source::Apt {
            probe: &["chromium", "--version"],
            packages: &["chromium", "fonts-dejavu-core", "fonts-noto-color-emoji"],
        },
    },
    Tool {
        name: "schemathesis",
        needed_for: "the tests of the OpenAPI description",
        source: Source::Venv { folder: "schemathesis", requirements: "schemathesis.txt" },
    },
    Tool {
        name: "Python MCP client 1",
        needed_for: "the MCP tests",
        source: Source::Venv { folder: "py1", requirements: "mcp1.txt" },
    },
    Tool {
        name: "Python MCP client 2",
        needed_for: "the MCP tests",
        source: Source::Venv { folder: "py2", requirements: "mcp2.txt" },
    },
    Tool {
        name: "TypeScript MCP clients, conformance suites and browser driver",
        needed_for: "the MCP tests and the dashboard tests",
        source: Source::Npm { folder: "node" },
    },
];

/// Installs the missing tools in the order of the table. A failure does not stop the others.
pub fn run(checkout: &House) -> Result<Outcome> {
    let mut installer = Installer::new(checkout);
    let mut tally = Tally::default();
    for tool in TOOLS {
        if tool.source.there(checkout) {
            println!("{}: installed", tool.name);
        } else if let Err(error) = install(&mut installer, tool) {
            println!("{}: cannot be installed: {error:#}", tool.name);
            tally = tally + Tally::FAIL;
        }
    }
    Ok(tally.into())
}

/// Returns the cargo-deny to use: the one in `.tools`, or the one on the path.
pub fn cargo_deny(checkout: &House) -> Option<PathBuf> {
    CARGO_DENY.find(checkout)
}

fn install(installer: &mut Installer<'_>, tool: &Tool) -> Result<()> {
    println!("{}: missing, needed for {}", tool.name, tool.needed_for);
    let started = Instant::now();
    installer.get(&tool.source)?;
    println!("{}: installed in {:.1} s", tool.name, started.elapsed().as_secs_f64());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_exists_and_pins_every_version() {
        let checkout = House::of_this_checkout().unwrap();
        for name in TOOLS.iter().filter_map(|tool| tool.source.manifest()) {
            let text = std::fs::read_to_string(checkout.path("xtask/tools").join(name)).unwrap();
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
        let checkout = House::of_this_checkout().unwrap();
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

//! What the tests need beside cargo: one table of what, how to see that it is there, and how to get it.
//!
//! A later need (a database, a browser) is one more row; a new way to get things is one more [`Source`].
//! Everything that no system package manager owns goes into `.tools` and leaves with it.

mod source;

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::check::Outcome;
use crate::command;
use crate::house::House;
use source::{Installer, Source};

struct Tool {
    name: &'static str,
    needed_for: &'static str,
    /// A command that succeeds when the tool is there; for what lives in `.tools`, the source knows.
    probe: &'static [&'static str],
    source: Source,
}

const CARGO_DENY_VERSION: &str = "0.20.2";

const TOOLS: &[Tool] = &[
    Tool {
        name: "C compiler",
        needed_for: "the bundled SQLite",
        probe: &["cc", "--version"],
        source: Source::Apt(&["build-essential"]),
    },
    Tool {
        name: "git",
        needed_for: "the advisory database and the commit in benchmarks",
        probe: &["git", "--version"],
        source: Source::Apt(&["git"]),
    },
    Tool {
        name: "rustfmt",
        needed_for: "the fmt step",
        probe: &["cargo", "fmt", "--version"],
        source: Source::Rustup("rustfmt"),
    },
    Tool {
        name: "clippy",
        needed_for: "the clippy step",
        probe: &["cargo", "clippy", "--version"],
        source: Source::Rustup("clippy"),
    },
    Tool {
        name: "cargo-deny",
        needed_for: "the deny step",
        probe: &["cargo-deny", "--version"],
        source: Source::Cargo { program: "cargo-deny", version: CARGO_DENY_VERSION },
    },
    Tool {
        name: "Python with venv",
        needed_for: "the Python MCP clients",
        probe: &["python3", "-c", "import ensurepip, venv"],
        source: Source::Apt(&["python3", "python3-venv"]),
    },
    Tool {
        name: "npm",
        needed_for: "the TypeScript MCP clients",
        probe: &["npm", "--version"],
        source: Source::Apt(&["nodejs", "npm"]),
    },
    Tool {
        name: "Python MCP client 1",
        needed_for: "the MCP tests",
        probe: &[],
        source: Source::Venv { folder: "py1", requirements: "mcp1.txt" },
    },
    Tool {
        name: "Python MCP client 2",
        needed_for: "the MCP tests",
        probe: &[],
        source: Source::Venv { folder: "py2", requirements: "mcp2.txt" },
    },
    Tool {
        name: "TypeScript MCP clients and conformance suites",
        needed_for: "the MCP tests",
        probe: &[],
        source: Source::Npm { folder: "node" },
    },
];

/// Installs what is missing, in the order of the table.
pub fn run(house: &House) -> Result<Outcome> {
    let mut installer = Installer::new(house);
    for tool in TOOLS {
        if present(house, tool) {
            println!("{}: there", tool.name);
            continue;
        }
        println!("{}: missing, needed for {}", tool.name, tool.needed_for);
        installer.get(&tool.source).with_context(|| format!("cannot install {}", tool.name))?;
    }
    Ok(Outcome::default())
}

/// The cargo-deny to use: ours in `.tools`, or the one on the path.
pub fn cargo_deny(house: &House) -> Option<PathBuf> {
    [house.tool("bin/cargo-deny"), PathBuf::from("cargo-deny")]
        .into_iter()
        .find(|program| command::output(house.command(program).arg("--version")).is_some())
}

fn present(house: &House, tool: &Tool) -> bool {
    if tool.source.installed_in(house) {
        return true;
    }
    match tool.probe {
        [] => false,
        [program, args @ ..] => command::output(house.command(program).args(args)).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_its_own_name_and_a_way_to_see_that_it_is_there() {
        for (at, tool) in TOOLS.iter().enumerate() {
            assert!(
                TOOLS[..at].iter().all(|earlier| earlier.name != tool.name),
                "{} is there twice",
                tool.name
            );
            assert!(
                !tool.probe.is_empty() || tool.source.manifest().is_some(),
                "{} cannot be seen",
                tool.name
            );
        }
    }

    #[test]
    fn every_manifest_is_in_the_checkout_and_pins_every_version() {
        let house = House::of_this_checkout().unwrap();
        for name in TOOLS.iter().filter_map(|tool| tool.source.manifest()) {
            let text = std::fs::read_to_string(house.path("xtask/tools").join(name)).unwrap();
            let loose = text.lines().filter(|line| name.ends_with(".txt") && !line.starts_with('#'));
            assert_eq!(loose.filter(|line| !line.contains("==")).collect::<Vec<_>>(), Vec::<&str>::new());
        }
    }

    #[test]
    fn no_manifest_says_where_packages_are_downloaded_from() {
        let house = House::of_this_checkout().unwrap();
        for entry in std::fs::read_dir(house.path("xtask/tools")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for forbidden in ["\"resolved\"", "--index-url", "--find-links", "--extra-index-url", "registry="]
            {
                assert!(!text.contains(forbidden), "{} contains {forbidden}", path.display());
            }
        }
    }
}

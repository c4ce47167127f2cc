//! Consistency of the documentation and the CI script with the checkout.

use std::fs;

use crate::crate_layers::workspace_crates;
use crate::{expect_none, root};

#[test]
fn the_architecture_page_names_every_crate() {
    let map = read("ARCHITECTURE.md");
    let missing = workspace_crates().into_iter().filter(|name| !map.contains(&format!("`{name}`")));
    expect_none(missing.map(|name| format!("ARCHITECTURE.md does not describe {name}")).collect());
}

#[test]
fn ci_runs_the_check_and_nothing_else() {
    let script = read(".ci/run");
    let commands = script.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let commands: Vec<_> =
        commands.filter(|line| !line.starts_with("set ") && !line.starts_with("cd ")).collect();
    assert_eq!(commands, ["exec cargo xtask check"]);
}

#[test]
fn the_xtask_alias_never_changes_the_lock_file() {
    let alias = read(".cargo/config.toml");
    assert!(
        alias.lines().any(|line| line.starts_with("xtask = \"run ") && line.contains("--locked")),
        "{alias}"
    );
}

#[test]
fn decisions_are_numbered_without_gaps() {
    let folder = root().join("docs/decisions");
    let mut names: Vec<_> =
        fs::read_dir(&folder).expect("docs/decisions exists").map(file_name).collect();
    names.sort();
    for (at, name) in names.iter().enumerate() {
        assert!(name.starts_with(&format!("{:04}-", at + 1)), "{name} is not number {}", at + 1);
    }
}

#[test]
fn links_between_pages_resolve() {
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
    let mut broken = Vec::new();
    for page in pages {
        for target in links(&read(page)).filter(|target| !target.contains("://")) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !root().join(path).exists() {
                broken.push(format!("{page} links to {path}, which does not exist"));
            }
        }
    }
    expect_none(broken);
}

/// Returns the targets of the markdown links in `text`.
fn links(text: &str) -> impl Iterator<Item = String> {
    let after_bracket = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    after_bracket.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn file_name(entry: std::io::Result<fs::DirEntry>) -> String {
    entry.expect("docs/decisions can be read").file_name().to_string_lossy().into_owned()
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

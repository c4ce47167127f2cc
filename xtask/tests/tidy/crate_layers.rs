//! The layers and the table of allowed dependencies in ARCHITECTURE.md, checked against
//! `cargo metadata`. The page is the rule: there is no second table.
//!
//! Dev-dependencies of tests and benchmarks may skip layers downwards, but never point up.

use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::{expect_none, root};

/// The page that draws the layers and lists the allowed dependencies.
const PAGE: &str = "ARCHITECTURE.md";

/// The crates for tests. They are outside the layers: every test may use them, no code may.
const TEST_CRATES: [&str; 2] = ["testkit", "testkit-fuzz"];

/// The binary, which may depend on every crate.
const BINARY: &str = "app";

/// External crates that tie code to a surface or a store, each with the only crates that may use
/// it.
const RESTRICTED_CRATES: &[(&str, &[&str])] = &[
    ("rmcp", &["api-server", "app"]),
    ("axum", &["api-server", "api-dashboard", "app"]),
    ("hyper", &["api-server", "app"]),
    // Outgoing HTTP: three crates call a single host that the owner configured, the fourth fetches
    // addresses that strangers supply, and is hardened for that.
    ("ureq", &["search-embed-endpoint", "access-oidc", "access-oauth-fetch", "model-traces"]),
    ("argon2", &["api-server"]),
    // These take longer to build than everything else together, so only one crate behind a feature
    // uses them.
    ("candle-core", &["search-embed-local"]),
    ("tokenizers", &["search-embed-local"]),
    // testkit writes to a bare SQLite file as the baseline of the write benchmarks.
    ("rusqlite", &["store-sqlite", "store-sandbox", "testkit"]),
    ("tokio-postgres", &["store-postgres"]),
    ("clap", &["app"]),
    ("tree-sitter", &["text-symbols"]),
];

/// Crates without I/O, in which the same input gives the same output.
pub const PURE_CRATES: &[&str] = &[
    "model",
    "search-recall",
    "search-index",
    "text-reading",
    "text-dates",
    "text-secrets",
    "text-symbols",
    "text-words",
];

/// External crates that do I/O or use timers; not allowed even as indirect dependencies.
const IO_CRATES: &[&str] = &[
    "tokio", "mio", "socket2", "rusqlite", "axum", "hyper", "rmcp", "tempfile", "reqwest", "ureq",
];

#[derive(Debug)]
struct CrateDependency {
    from: String,
    to: String,
    dev: bool,
}

fn is_test_crate(name: &str) -> bool {
    TEST_CRATES.contains(&name)
}

#[test]
fn crates_depend_only_on_crates_that_the_table_allows() {
    let forbidden = internal_dependencies().into_iter().filter(|edge| !is_allowed(edge));
    expect_none(forbidden.map(|edge| advice(&edge)).collect());
}

#[test]
fn the_page_draws_and_lists_every_crate_once() {
    let crates: Vec<String> =
        workspace_crates().into_iter().filter(|name| !is_test_crate(name)).collect();
    let mut drawn = drawn_crates();
    drawn.sort();
    assert_eq!(drawn, crates, "the diagram in {PAGE} shows each crate once");
    let mut listed: Vec<String> = table().into_iter().map(|(name, _)| name).collect();
    listed.sort();
    assert_eq!(listed, crates, "the table in {PAGE} has a row for each crate");
}

#[test]
fn every_dependency_points_down_or_to_the_right_in_the_diagram() {
    let wrong = internal_dependencies().into_iter().filter(|edge| {
        !edge.dev && !is_test_crate(&edge.from) && position(&edge.to) <= position(&edge.from)
    });
    expect_none(wrong.map(|edge| format!("{} -> {} points up", edge.from, edge.to)).collect());
}

#[test]
fn only_designated_crates_use_http_sql_or_the_command_line() {
    let mut violations = Vec::new();
    for edge in dependencies().iter().filter(|edge| !edge.dev && !is_test_crate(&edge.from)) {
        if let Some((_, only)) = RESTRICTED_CRATES.iter().find(|(name, _)| *name == edge.to)
            && !only.contains(&edge.from.as_str())
        {
            violations.push(format!(
                "{} depends on {}: only {only:?} may use it; call one of them instead",
                edge.from, edge.to
            ));
        }
    }
    expect_none(violations);
}

#[test]
fn pure_crates_have_no_dependency_that_does_io() {
    let mut violations = Vec::new();
    for name in PURE_CRATES {
        let tree = cargo(&[
            "tree",
            "--locked",
            "--package",
            &package_name(name),
            "--edges",
            "normal",
            "--prefix",
            "none",
        ]);
        let names = tree.lines().filter_map(|line| line.split_whitespace().next());
        for dependency in names.filter(|dependency| IO_CRATES.contains(dependency)) {
            violations.push(format!(
                "{name} depends on {dependency}, but does no I/O: take its result as an argument"
            ));
        }
    }
    expect_none(violations);
}

fn is_allowed(edge: &CrateDependency) -> bool {
    if is_test_crate(&edge.to) || is_test_crate(&edge.from) {
        return edge.dev || is_test_crate(&edge.from);
    }
    if edge.dev {
        return position(&edge.to) > position(&edge.from);
    }
    let below = table().into_iter().find(|(name, _)| *name == edge.from);
    edge.from == BINARY || below.is_some_and(|(_, below)| below.contains(&edge.to))
}

fn advice(edge: &CrateDependency) -> String {
    let CrateDependency { from, to, dev } = edge;
    if *dev {
        return format!(
            "the tests of {from} depend on {to}, which is a higher layer: move them to {to}"
        );
    }
    format!(
        "{from} depends on {to}, which the table does not allow: move the code to a crate that may \
         depend on {to}, or pass in what it needs; if the new dependency is right, explain it in \
         docs/decisions, then add it to the table in {PAGE}"
    )
}

/// Returns the crates of the diagram in reading order.
fn drawn_crates() -> Vec<String> {
    let page = read_page();
    let diagram = page.split("```layers\n").nth(1).and_then(|rest| rest.split("```").next());
    let names = workspace_crates();
    let words = diagram.expect("the page has a diagram").split_whitespace();
    words.filter(|word| names.iter().any(|name| name == word)).map(str::to_owned).collect()
}

fn position(name: &str) -> Option<usize> {
    drawn_crates().iter().position(|drawn| drawn == name)
}

/// Returns the rows of the table of crates: a crate, and the crates it may depend on.
fn table() -> Vec<(String, Vec<String>)> {
    let names = workspace_crates();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?;
        let below = cells.get(3)?.split(", ").map(str::to_owned).collect();
        names.iter().any(|known| known == name).then(|| (name.to_owned(), below))
    };
    read_page().lines().filter_map(row).collect()
}

fn read_page() -> String {
    std::fs::read_to_string(root().join(PAGE)).expect("the page can be read")
}

/// Returns the folders in `crates`.
pub fn workspace_crates() -> Vec<String> {
    let mut names: Vec<_> = packages().iter().filter_map(crate_folder).collect();
    names.sort();
    names
}

fn internal_dependencies() -> Vec<CrateDependency> {
    let names = workspace_crates();
    dependencies().into_iter().filter(|edge| names.contains(&edge.to)).collect()
}

/// Returns every direct dependency of our crates: ours by folder, external ones by name.
fn dependencies() -> Vec<CrateDependency> {
    let packages = packages();
    let mut edges = Vec::new();
    for package in packages {
        let Some(folder) = crate_folder(package) else { continue };
        for dependency in package["dependencies"].as_array().expect("cargo lists dependencies") {
            let name = dependency["name"].as_str().unwrap_or_default();
            let to = packages.iter().find(|other| other["name"] == name).and_then(crate_folder);
            let to = to.unwrap_or_else(|| name.to_owned());
            edges.push(CrateDependency {
                from: folder.clone(),
                to,
                dev: dependency["kind"] == "dev",
            });
        }
    }
    edges
}

/// Returns the folder of a package in `crates`; `None` for a package elsewhere.
fn crate_folder(package: &Value) -> Option<String> {
    let manifest = package["manifest_path"].as_str()?;
    let inside = manifest.strip_prefix(root().join("crates").to_str()?)?;
    inside.trim_start_matches('/').split('/').next().map(str::to_owned)
}

fn package_name(folder: &str) -> String {
    let packages = packages();
    let found = packages.iter().find(|package| crate_folder(package).as_deref() == Some(folder));
    found
        .and_then(|package| package["name"].as_str())
        .unwrap_or_else(|| panic!("no crate {folder}"))
        .to_owned()
}

/// Returns the packages of the workspace; `cargo metadata` runs once for all tests.
fn packages() -> &'static [Value] {
    static PACKAGES: LazyLock<Vec<Value>> = LazyLock::new(read_packages);
    &PACKAGES
}

fn read_packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps"]);
    let mut metadata: Value = serde_json::from_str(&metadata).expect("cargo metadata prints JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("cargo metadata lists no packages: {other}"),
    }
}

fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output =
        Command::new(cargo).args(args).current_dir(root()).output().expect("cargo can be started");
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints text")
}

//! The allowed dependencies between crates as a table, checked against `cargo metadata`.
//!
//! Dev-dependencies of tests and benchmarks may skip layers downwards, but never point up.

use std::process::Command;

use serde_json::Value;

use crate::{expect_none, root};

/// All crates from the top layer to the bottom, each with the crates it may depend on.
const CRATES: &[(&str, &[&str])] = &[
    (
        "app",
        &[
            "dashboard",
            "server",
            "dialects",
            "interchange",
            "engine",
            "guard",
            "oauth-fetch",
            "oauth",
            "sandbox",
            "embed-endpoint",
            "embed-local",
            "embed",
            "store-sqlite",
            "store-postgres",
            "store",
            "model",
        ],
    ),
    ("dashboard", &["server", "interchange", "engine", "guard", "oauth", "model"]),
    ("server", &["dialects", "engine", "guard", "oauth", "model"]),
    ("dialects", &["interchange", "engine", "model"]),
    ("interchange", &["engine", "model"]),
    (
        "engine",
        &[
            "guard", "sandbox", "recall", "index", "embed", "symbols", "reading", "dates", "store",
            "model",
        ],
    ),
    ("oauth-fetch", &["oauth", "model"]),
    ("oauth", &["store", "model"]),
    ("guard", &["secrets", "model"]),
    ("sandbox", &["model"]),
    ("recall", &["index", "model"]),
    ("index", &["model"]),
    ("embed-endpoint", &["embed", "model"]),
    ("embed-local", &["embed", "model"]),
    ("embed", &["model"]),
    ("symbols", &["model"]),
    ("reading", &["model"]),
    ("dates", &["model"]),
    ("secrets", &["model"]),
    ("store-sqlite", &["store", "model"]),
    ("store-postgres", &["store", "model"]),
    ("store", &["model"]),
    ("model", &[]),
];

/// The shared test fixtures. They are outside the layers: every test may use them, no code may.
const TESTKIT: (&str, &[&str]) =
    ("testkit", &["engine", "embed", "store-sqlite", "store-postgres", "store", "model"]);

/// External crates that tie code to a surface or a store, each with the only crates that may use
/// it.
const RESTRICTED_CRATES: &[(&str, &[&str])] = &[
    ("rmcp", &["server", "app"]),
    ("axum", &["server", "dashboard", "app"]),
    ("hyper", &["server", "app"]),
    // Outgoing HTTP: one crate calls a single host that the owner configured, the other fetches
    // addresses that strangers supply, and is hardened for that.
    ("ureq", &["embed-endpoint", "oauth-fetch"]),
    ("argon2", &["server"]),
    // These take longer to build than everything else together, so only one crate behind a feature
    // uses them.
    ("candle-core", &["embed-local"]),
    ("tokenizers", &["embed-local"]),
    // testkit writes to a bare SQLite file as the baseline of the write benchmarks.
    ("rusqlite", &["store-sqlite", "sandbox", "testkit"]),
    ("tokio-postgres", &["store-postgres"]),
    ("clap", &["app"]),
    ("tree-sitter", &["symbols"]),
];

/// Crates without I/O, in which the same input gives the same output.
pub const PURE_CRATES: &[&str] =
    &["model", "recall", "index", "reading", "dates", "secrets", "symbols"];

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

#[test]
fn crates_depend_only_on_crates_that_the_table_allows() {
    let forbidden = internal_dependencies().into_iter().filter(|edge| !is_allowed(edge));
    expect_none(forbidden.map(|edge| advice(&edge)).collect());
}

#[test]
fn every_crate_has_a_row_in_the_table() {
    let missing =
        workspace_crates().into_iter().filter(|name| allowed_dependencies(name).is_none());
    expect_none(
        missing
            .map(|name| format!("crates/{name} has no row: add one to CRATES, at its layer"))
            .collect(),
    );
}

#[test]
fn the_table_itself_points_only_downwards() {
    for (layer, (name, below)) in CRATES.iter().enumerate() {
        for other in *below {
            assert!(
                layer_of(other).is_some_and(|found| found > layer),
                "{name} -> {other} does not point downwards"
            );
        }
    }
}

#[test]
fn only_designated_crates_use_http_sql_or_the_command_line() {
    let mut violations = Vec::new();
    for edge in dependencies().iter().filter(|edge| !edge.dev && edge.from != TESTKIT.0) {
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
    let below = allowed_dependencies(&edge.from).unwrap_or_default();
    if !edge.dev {
        return below.contains(&edge.to.as_str());
    }
    edge.to == TESTKIT.0 || edge.from == TESTKIT.0 || layer_of(&edge.to) > layer_of(&edge.from)
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
         docs/decisions, then add it to CRATES"
    )
}

fn allowed_dependencies(crate_name: &str) -> Option<&'static [&'static str]> {
    CRATES.iter().chain([&TESTKIT]).find(|(name, _)| *name == crate_name).map(|(_, below)| *below)
}

fn layer_of(crate_name: &str) -> Option<usize> {
    CRATES.iter().position(|(name, _)| *name == crate_name)
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
    for package in &packages {
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

fn packages() -> Vec<Value> {
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

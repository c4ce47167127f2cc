//! Which room may depend on which, as a table, held against `cargo metadata`.
//!
//! Tests and benchmarks (dev-dependencies) may reach further down than the code they prove, never
//! up.

use std::process::Command;

use serde_json::Value;

use crate::{expect_none, root};

/// The rooms from top to bottom, each with the rooms its code may know.
const ROOMS: &[(&str, &[&str])] = &[
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

/// What tests share. It stands outside the column: no code knows it, every test may.
const TESTKIT: (&str, &[&str]) =
    ("testkit", &["engine", "embed", "store-sqlite", "store-postgres", "store", "model"]);

/// Crates that tie the code to a surface or a store, each with the only rooms whose code may know
/// it.
const BOUND_CRATES: &[(&str, &[&str])] = &[
    ("rmcp", &["server", "app"]),
    ("axum", &["server", "dashboard", "app"]),
    ("hyper", &["server", "app"]),
    // Calling out is another thing than being called: one room does it to one host that the owner
    // named, the other to addresses that strangers name, and is made for that.
    ("ureq", &["embed-endpoint", "oauth-fetch"]),
    ("argon2", &["server"]),
    // They take longer to build than everything else together, so one room behind a feature has
    // them.
    ("candle-core", &["embed-local"]),
    ("tokenizers", &["embed-local"]),
    // testkit writes to a bare SQLite file, to know what the disk itself costs.
    ("rusqlite", &["store-sqlite", "sandbox", "testkit"]),
    ("tokio-postgres", &["store-postgres"]),
    ("clap", &["app"]),
    ("tree-sitter", &["symbols"]),
];

/// The rooms where the same input gives the same output.
pub const PURE_ROOMS: &[&str] =
    &["model", "recall", "index", "reading", "dates", "secrets", "symbols"];

/// Crates that reach the disk, the network or a clock's timer, however deep they are pulled in.
const IO_CRATES: &[&str] = &[
    "tokio", "mio", "socket2", "rusqlite", "axum", "hyper", "rmcp", "tempfile", "reqwest", "ureq",
];

#[derive(Debug)]
struct Edge {
    room: String,
    on: String,
    dev: bool,
}

#[test]
fn rooms_depend_only_on_the_rooms_that_the_table_allows() {
    let broken = room_edges().into_iter().filter(|edge| !allowed(edge));
    expect_none(broken.map(|edge| advice(&edge)).collect());
}

#[test]
fn every_room_has_its_row_in_the_table() {
    let missing = rooms().into_iter().filter(|room| known(room).is_none());
    expect_none(
        missing
            .map(|room| format!("crates/{room} has no row: give it one in ROOMS, at its height"))
            .collect(),
    );
}

#[test]
fn the_table_itself_points_only_down() {
    for (height, (room, below)) in ROOMS.iter().enumerate() {
        for other in *below {
            assert!(
                position(other).is_some_and(|found| found > height),
                "{room} -> {other} does not point down"
            );
        }
    }
}

#[test]
fn only_the_rooms_made_for_it_know_http_sql_or_the_command_line() {
    let mut faults = Vec::new();
    for edge in edges().iter().filter(|edge| !edge.dev && edge.room != TESTKIT.0) {
        if let Some((_, only)) = BOUND_CRATES.iter().find(|(name, _)| *name == edge.on)
            && !only.contains(&edge.room.as_str())
        {
            faults.push(format!(
                "{} depends on {}: only {only:?} may; ask one of them instead",
                edge.room, edge.on
            ));
        }
    }
    expect_none(faults);
}

#[test]
fn pure_rooms_pull_in_no_crate_that_does_io() {
    let mut faults = Vec::new();
    for room in PURE_ROOMS {
        let tree = cargo(&[
            "tree",
            "--locked",
            "--package",
            &package(room),
            "--edges",
            "normal",
            "--prefix",
            "none",
        ]);
        let names = tree.lines().filter_map(|line| line.split_whitespace().next());
        for name in names.filter(|name| IO_CRATES.contains(name)) {
            faults.push(format!(
                "{room} pulls in {name}: it does no I/O; take the result of the I/O as an argument"
            ));
        }
    }
    expect_none(faults);
}

fn allowed(edge: &Edge) -> bool {
    let below = known(&edge.room).unwrap_or_default();
    if !edge.dev {
        return below.contains(&edge.on.as_str());
    }
    edge.on == TESTKIT.0 || edge.room == TESTKIT.0 || position(&edge.on) > position(&edge.room)
}

fn advice(edge: &Edge) -> String {
    let Edge { room, on, dev } = edge;
    if *dev {
        return format!(
            "the tests of {room} depend on {on}, which lies above it: move them up to {on}"
        );
    }
    format!(
        "{room} depends on {on}, which the table does not allow: move the code to the room that may know {on}, \
         or pass in what it needs; if the new edge is right, say why in docs/decisions, then add it to ROOMS"
    )
}

fn known(room: &str) -> Option<&'static [&'static str]> {
    ROOMS.iter().chain([&TESTKIT]).find(|(name, _)| *name == room).map(|(_, below)| *below)
}

fn position(room: &str) -> Option<usize> {
    ROOMS.iter().position(|(name, _)| *name == room)
}

/// The folders in `crates`.
pub fn rooms() -> Vec<String> {
    let mut rooms: Vec<_> = packages().iter().filter_map(room_of).collect();
    rooms.sort();
    rooms
}

fn room_edges() -> Vec<Edge> {
    let rooms = rooms();
    edges().into_iter().filter(|edge| rooms.contains(&edge.on)).collect()
}

/// Every dependency that a room names itself; a room on the far side by its folder, a crate by its
/// name.
fn edges() -> Vec<Edge> {
    let packages = packages();
    let mut edges = Vec::new();
    for package in &packages {
        let Some(room) = room_of(package) else { continue };
        for dependency in package["dependencies"].as_array().expect("cargo lists dependencies") {
            let name = dependency["name"].as_str().unwrap_or_default();
            let on = packages.iter().find(|other| other["name"] == name).and_then(room_of);
            let on = on.unwrap_or_else(|| name.to_owned());
            edges.push(Edge { room: room.clone(), on, dev: dependency["kind"] == "dev" });
        }
    }
    edges
}

/// The folder of a package in `crates`; nothing for one that lies elsewhere.
fn room_of(package: &Value) -> Option<String> {
    let manifest = package["manifest_path"].as_str()?;
    let inside = manifest.strip_prefix(root().join("crates").to_str()?)?;
    inside.trim_start_matches('/').split('/').next().map(str::to_owned)
}

fn package(room: &str) -> String {
    let packages = packages();
    let found = packages.iter().find(|package| room_of(package).as_deref() == Some(room));
    found
        .and_then(|package| package["name"].as_str())
        .unwrap_or_else(|| panic!("no room {room}"))
        .to_owned()
}

fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--format-version", "1", "--no-deps"]);
    let mut metadata: Value = serde_json::from_str(&metadata).expect("cargo metadata prints JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("cargo metadata lists no packages but {other}"),
    }
}

fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output =
        Command::new(cargo).args(args).current_dir(root()).output().expect("cargo can be started");
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints text")
}

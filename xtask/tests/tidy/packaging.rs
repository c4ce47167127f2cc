//! Consistency of everything below `packaging/` with the product: its version, its tools, and the
//! formats of clients.

use std::fs;

use client_setup::{ClientKind, plugin_files};
use serde_json::Value;

use crate::{expect_none, files_below, relative_path, root};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// JSON files with the version, and the places in them.
const JSON_VERSIONS: &[(&str, &[&str])] = &[
    (".claude-plugin/marketplace.json", &["/metadata/version", "/plugins/0/version"]),
    ("packaging/plugin/.claude-plugin/plugin.json", &["/version"]),
    ("packaging/plugin/.codex-plugin/plugin.json", &["/version"]),
    ("packaging/gemini/gemini-extension.json", &["/version"]),
    ("packaging/opencode/package.json", &["/version"]),
    ("packaging/mcpb/manifest.json", &["/version"]),
    ("packaging/registry/server.json", &["/version"]),
];

/// Lines that hold the version in other files.
const LINE_VERSIONS: &[(&str, &str)] = &[
    ("packaging/homebrew/quipu.rb", "  version \"@\""),
    ("packaging/rpm/quipu.spec", "Version:        @"),
    ("packaging/debian/changelog", "quipu (@) unstable; urgency=medium"),
    ("packaging/registry/server.json", "      \"identifier\": \"ghcr.io/quipu-memory/quipu:@\","),
];

#[test]
fn the_versions_that_doctor_names_are_those_of_the_trials() {
    let lock = read("xtask/tools/clients-lock.json");
    let versions = ClientKind::ALL.into_iter().filter_map(ClientKind::tried_version);
    let other = versions.filter(|version| !lock.contains(&format!(": \"{version}\"")));
    expect_none(other.map(|version| format!("{version} is not in clients-lock.json")).collect());
}

#[test]
fn generated_files_are_what_a_setup_would_write() {
    let stale = plugin_files().into_iter().filter(|file| {
        let path = root().join("packaging").join(&file.path);
        fs::read_to_string(path).ok().as_deref() != Some(&file.text)
    });
    expect_none(stale.map(|file| format!("{}: run `cargo xtask packaging`", file.path)).collect());
}

#[test]
fn no_hook_or_slash_command_is_left_over() {
    let generated: Vec<String> =
        plugin_files().into_iter().map(|file| format!("packaging/{}", file.path)).collect();
    let folders = [
        "plugin/hooks",
        "plugin/commands",
        "plugin/codex-skills",
        "gemini/hooks",
        "gemini/commands",
    ];
    let files = folders.iter().flat_map(|name| files_below(&root().join("packaging").join(name)));
    let left = files.map(|path| relative_path(&path)).filter(|path| !generated.contains(path));
    expect_none(left.map(|path| format!("{path} is not generated any more")).collect());
}

#[test]
fn every_package_has_the_version_of_the_workspace() {
    let mut wrong = Vec::new();
    for (file, places) in JSON_VERSIONS {
        let value = json(file);
        for place in *places {
            if value.pointer(place).and_then(Value::as_str) != Some(VERSION) {
                wrong.push(format!("{file}: {place} is not {VERSION}"));
            }
        }
    }
    for (file, line) in LINE_VERSIONS {
        let line = line.replace('@', VERSION);
        if !read(file).lines().any(|found| found == line) {
            wrong.push(format!("{file} has no line `{line}`"));
        }
    }
    expect_none(wrong);
}

#[test]
fn the_bundle_lists_the_tools_of_the_dialect() {
    let source = read("crates/api-dialects/src/quipu.rs");
    let rows = source.split("(").filter_map(|rest| rest.split_once("::TOOL,"));
    let tools: Vec<&str> = rows.map(|(name, _)| name).collect();
    assert!(tools.len() > 5, "the table of tools was not found: {tools:?}");
    let manifest = json("packaging/mcpb/manifest.json");
    let listed: Vec<&str> = manifest["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(listed, tools);
}

#[test]
fn a_description_fits_every_store() {
    // The MCP registry takes a hundred characters at most.
    let description = json("packaging/registry/server.json")["description"].clone();
    assert!(description.as_str().is_some_and(|text| text.len() <= 100), "{description}");
    for file in ["packaging/mcpb/manifest.json", "packaging/plugin/.claude-plugin/plugin.json"] {
        assert_eq!(json(file)["description"], description, "{file}");
    }
}

fn json(file: &str) -> Value {
    serde_json::from_str(&read(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

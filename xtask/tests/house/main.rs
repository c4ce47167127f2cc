//! The rules of the house, held by tests: which room may know which, what a source file must and
//! must not contain, and that the pages say what the tree says. Reads the checkout; builds and
//! changes nothing.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what these readers of the tree cannot read is a failed test"
)]

mod pages;
mod rooms;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root of the checkout")
}

/// Every file below `folder`, without what is built, installed or kept by git.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.expect("a folder of the checkout can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // In a worktree of git, `.git` is a file.
            if matches!(name.as_str(), "target" | ".git" | ".tools" | "node_modules") {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every Rust file of the checkout with its text.
fn rust_sources() -> Vec<(String, String)> {
    texts_below(root()).into_iter().filter(|(name, _)| name.ends_with(".rs")).collect()
}

/// Every text file below `folder`: its path from the root, and its text. What is not UTF-8 is left
/// out.
fn texts_below(folder: &Path) -> Vec<(String, String)> {
    let read = |path: PathBuf| Some((shown(&path), fs::read_to_string(&path).ok()?));
    files_below(folder).into_iter().filter_map(read).collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned()
}

/// Fails with one line for each fault.
fn expect_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

//! Tidy tests over the checkout: dependencies between crates, rules for source files, and the
//! consistency of the documentation with the tree. They read the checkout and change nothing.

#![allow(clippy::expect_used, clippy::panic, reason = "an unreadable file fails the test")]

mod crate_layers;
mod documentation;
mod packaging;
mod source_files;
mod style;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root of the checkout.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder in the root of the checkout")
}

/// Returns every file below `folder` except build output, installed tools and git data.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
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
                pending.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns every Rust file of the checkout with its text.
fn rust_sources() -> Vec<(String, String)> {
    texts_below(root()).into_iter().filter(|(name, _)| name.ends_with(".rs")).collect()
}

/// Returns the path from the root and the text of every UTF-8 file below `folder`.
fn texts_below(folder: &Path) -> Vec<(String, String)> {
    let read = |path: PathBuf| Some((relative_path(&path), fs::read_to_string(&path).ok()?));
    files_below(folder).into_iter().filter_map(read).collect()
}

fn relative_path(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().into_owned()
}

/// Fails with one line for each violation.
fn expect_none(violations: Vec<String>) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

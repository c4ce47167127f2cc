//! One Rust file of the checkout, with the lines that belong to tests known.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders that hold no source of ours.
const SKIPPED: &[&str] = &["target", ".git", ".tools", "node_modules"];

/// A Rust file and its text.
#[derive(Debug, Clone)]
pub struct SourceFile {
    path: String,
    text: String,
    /// Index of the first line of the unit tests at its end, or the number of lines.
    tests_from: usize,
}

impl SourceFile {
    /// Reads a text as the file of a path from the root of the checkout.
    #[must_use]
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let is_test = path.split('/').any(|part| matches!(part, "tests" | "benches" | "examples"))
            || path.ends_with("/tests.rs");
        let unit_tests = text.lines().position(|line| line == "#[cfg(test)]");
        let all = text.lines().count();
        Self { path, tests_from: if is_test { 0 } else { unit_tests.unwrap_or(all) }, text }
    }

    /// Path from the root of the checkout.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Folder of the crate that the file belongs to.
    #[must_use]
    pub fn crate_name(&self) -> &str {
        let inside = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        inside.split('/').next().unwrap_or_default()
    }

    /// Every line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    /// The lines before the unit tests; none of a test file.
    pub fn product_lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().take(self.tests_from)
    }

    /// Number of lines that belong to tests.
    #[must_use]
    pub fn test_lines(&self) -> usize {
        self.lines().count() - self.tests_from
    }
}

/// Reads every Rust file of a checkout, in the order of their paths.
///
/// # Errors
/// Fails when a folder or a file cannot be read.
pub fn read_sources(root: &Path) -> io::Result<Vec<SourceFile>> {
    let mut folders = vec![root.to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        Ok(SourceFile::new(name, fs::read_to_string(&path)?))
    };
    files.into_iter().map(read).collect()
}

//! Collects the documents below a directory: Markdown and text files, without hidden files, build
//! output and dependencies. Symbolic links are not followed.

use crate::exit::Problem;
use std::path::{Path, PathBuf};

/// Extensions of documents.
const EXTENSIONS: [&str; 8] = ["md", "markdown", "mdx", "txt", "text", "rst", "adoc", "org"];
/// Directories of dependencies and build output.
const SKIPPED_DIRS: [&str; 4] = ["node_modules", "target", "vendor", "__pycache__"];
/// Maximum number of documents in one call, in case somebody passes a whole disk.
const DOCUMENTS_MAX: usize = 10_000;
/// Maximum depth of nested directories.
const DEPTH_MAX: usize = 32;

/// A document to file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentFile {
    /// Path within the references, which identifies the document.
    pub path: String,
    /// File on disk.
    pub file: PathBuf,
}

/// Returns the documents below a directory, sorted by path; there may be none.
pub(crate) fn documents_below(directory: &Path) -> Result<Vec<DocumentFile>, Problem> {
    let name =
        directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut found = Vec::new();
    walk(directory, &name, DEPTH_MAX, &mut found)?;
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// Returns the documents at the given files and below the given directories, sorted by path.
pub(super) fn collect_documents(paths: &[PathBuf]) -> Result<Vec<DocumentFile>, Problem> {
    let mut found = Vec::new();
    for path in paths {
        let file = path.canonicalize().map_err(|error| Problem::file("reading", path, &error))?;
        let name =
            file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if file.is_dir() {
            walk(&file, &name, DEPTH_MAX, &mut found)?;
        } else {
            found.push(DocumentFile { path: name, file });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    if found.is_empty() {
        let message = "there are no documents below these directories";
        return Err(Problem::usage(
            message,
            format!("Documents end in {}.", EXTENSIONS.join(", ")),
        ));
    }
    Ok(found)
}

fn walk(
    directory: &Path,
    name: &str,
    depth: usize,
    found: &mut Vec<DocumentFile>,
) -> Result<(), Problem> {
    let failed = |error: std::io::Error| Problem::file("reading", directory, &error);
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (kind, own) =
            (entry.file_type().map_err(failed)?, entry.file_name().to_string_lossy().into_owned());
        let path = if name.is_empty() { own.clone() } else { format!("{name}/{own}") };
        if own.starts_with('.') {
            continue;
        }
        if kind.is_dir() && depth > 0 && !SKIPPED_DIRS.contains(&own.as_str()) {
            walk(&entry.path(), &path, depth - 1, found)?;
        } else if kind.is_file() && is_document(&entry.path()) {
            found.push(DocumentFile { path, file: entry.path() });
        }
        if found.len() > DOCUMENTS_MAX {
            let message = format!("there are more than {DOCUMENTS_MAX} documents");
            return Err(Problem::usage(message, "Add them one directory at a time."));
        }
    }
    Ok(())
}

fn is_document(path: &Path) -> bool {
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_lowercase();
    EXTENSIONS.contains(&extension.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn documents_are_found_without_hidden_files_and_build_output() {
        let root = tempfile::tempdir().unwrap();
        let docs = root.path().join("docs");
        for file in
            ["a.md", "deep/b.TXT", "main.rs", ".git/c.md", "node_modules/d.md", "deep/target/e.md"]
        {
            let file = docs.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "text").unwrap();
        }
        let found: Vec<String> = collect_documents(std::slice::from_ref(&docs))
            .unwrap()
            .into_iter()
            .map(|one| one.path)
            .collect();
        assert_eq!(found, ["docs/a.md", "docs/deep/b.TXT"]);
        let named: Vec<String> = collect_documents(&[docs.join("main.rs")])
            .unwrap()
            .into_iter()
            .map(|one| one.path)
            .collect();
        assert_eq!(named, ["main.rs"], "a file that is named is taken whatever its extension");
    }

    #[test]
    fn nothing_to_add_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        assert!(collect_documents(&[root.path().to_owned()]).is_err());
        assert!(collect_documents(&[root.path().join("missing")]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_not_followed() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(other.path().join("secret.md"), "text").unwrap();
        fs::write(root.path().join("a.md"), "text").unwrap();
        std::os::unix::fs::symlink(other.path(), root.path().join("link")).unwrap();
        std::os::unix::fs::symlink(other.path().join("secret.md"), root.path().join("link.md"))
            .unwrap();
        assert_eq!(collect_documents(&[root.path().to_owned()]).unwrap().len(), 1);
    }
}

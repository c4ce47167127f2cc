//! Finds the Git repository that a directory belongs to, by reading its files; no `git` process is
//! started. All worktrees of a repository are one project, and so are two clones of one remote.

use super::git_remote::read_remote;
use crate::files::read_small;
use std::path::{Path, PathBuf};

/// Maximum size of a file that points to another directory, as `.git` of a worktree does.
const POINTER_BYTES_MAX: u64 = 16 * 1024;

/// A working directory, with the data that identifies its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Name of the main directory.
    pub name: String,
    /// The Git directory, which all worktrees share, or the directory itself if it has none.
    pub location: PathBuf,
    /// Remote URL without scheme and user: `github.com/ada/billing`.
    pub remote: Option<String>,
}

impl Checkout {
    /// Returns the checkout that contains a directory.
    pub fn containing(directory: &Path) -> Option<Self> {
        let directory = directory.canonicalize().ok()?;
        directory.ancestors().find_map(|ancestor| {
            let git_dir = shared_git_dir(ancestor)?;
            let name = repository_name(&git_dir).or_else(|| file_name(ancestor))?;
            Some(Self { name, remote: read_remote(&git_dir.join("config")), location: git_dir })
        })
    }

    /// Returns a directory without a repository as a project of its own.
    pub fn without_repository(directory: &Path) -> Option<Self> {
        let location = directory.canonicalize().ok()?;
        Some(Self { name: file_name(&location)?, location, remote: None })
    }
}

/// Returns the Git directory that all worktrees share, if `top` is the root of a checkout.
fn shared_git_dir(top: &Path) -> Option<PathBuf> {
    let entry = top.join(".git");
    let own = if entry.is_dir() { entry } else { read_pointer(&entry, top, "gitdir:")? };
    if !own.join("HEAD").is_file() {
        return None;
    }
    let common = read_pointer(&own.join("commondir"), &own, "").unwrap_or(own);
    common.canonicalize().ok()
}

/// Reads the path that a pointer file contains after `word`.
fn read_pointer(file: &Path, relative_to: &Path, word: &str) -> Option<PathBuf> {
    let text = read_small(file, POINTER_BYTES_MAX).ok().flatten()?;
    let path = text.lines().next()?.strip_prefix(word)?.trim();
    (!path.is_empty()).then(|| relative_to.join(path))
}

/// Returns the name of a repository: `billing` for `…/billing/.git` and for `…/billing.git`.
fn repository_name(git_dir: &Path) -> Option<String> {
    let name = file_name(git_dir)?;
    if name == ".git" {
        return file_name(git_dir.parent()?);
    }
    Some(name.strip_suffix(".git").unwrap_or(&name).to_owned())
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn repository(top: &Path, remote: &str) {
        fs::create_dir_all(top.join(".git")).unwrap();
        fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(top.join(".git/config"), format!("[remote \"origin\"]\n\turl = {remote}\n"))
            .unwrap();
    }

    #[test]
    fn a_nested_directory_belongs_to_the_checkout_that_contains_it() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().join("billing");
        repository(&top, "git@github.com:ada/billing.git");
        fs::create_dir_all(top.join("src/deep")).unwrap();
        let found = Checkout::containing(&top.join("src/deep")).unwrap();
        assert_eq!(found.name, "billing");
        assert_eq!(found.remote.as_deref(), Some("github.com/ada/billing"));
        assert_eq!(Checkout::containing(&top), Some(found));
    }

    #[test]
    fn a_worktree_is_the_same_project_as_its_main_checkout() {
        let root = tempfile::tempdir().unwrap();
        let (top, tree) = (root.path().join("billing"), root.path().join("fix-17"));
        repository(&top, "https://example.org/billing");
        let inside = top.join(".git/worktrees/fix-17");
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join("HEAD"), "ref: refs/heads/fix-17\n").unwrap();
        fs::write(inside.join("commondir"), "../..\n").unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", inside.display())).unwrap();
        assert_eq!(Checkout::containing(&tree), Checkout::containing(&top));
    }

    #[test]
    fn a_directory_without_a_repository_is_not_a_checkout() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(".git"), "gitdir: nowhere\n").unwrap();
        assert_eq!(Checkout::containing(root.path()), None);
        assert_eq!(Checkout::containing(&root.path().join("missing")), None);
        assert!(Checkout::without_repository(root.path()).is_some());
    }
}

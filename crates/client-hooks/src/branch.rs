//! The branch that is checked out in a directory.

use std::path::{Path, PathBuf};

/// Longest name of a branch that is kept.
const NAME_CHARS_MAX: usize = 200;

/// Returns the name of the branch; `None` outside of a repository and without a branch.
pub fn branch_of(directory: &Path) -> Option<String> {
    let git = directory.ancestors().map(|above| above.join(".git")).find(|path| path.exists())?;
    let head = std::fs::read_to_string(git_dir(git)?.join("HEAD")).ok()?;
    let name = head.trim().strip_prefix("ref: refs/heads/")?;
    (name.chars().count() <= NAME_CHARS_MAX).then(|| name.to_owned())
}

/// Returns the directory of the repository; a worktree has a file that names it.
fn git_dir(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = std::fs::read_to_string(&git).ok()?;
    let named = text.trim().strip_prefix("gitdir: ")?;
    Some(git.parent()?.join(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_of_a_checkout_and_of_a_worktree_is_found() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        std::fs::create_dir_all(path("main/.git/worktrees/w")).unwrap();
        std::fs::create_dir_all(path("main/src")).unwrap();
        std::fs::create_dir_all(path("w")).unwrap();
        std::fs::write(path("main/.git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        std::fs::write(path("main/.git/worktrees/w/HEAD"), "ref: refs/heads/fix\n").unwrap();
        std::fs::write(path("w/.git"), "gitdir: ../main/.git/worktrees/w\n").unwrap();
        assert_eq!(branch_of(&path("main/src")).as_deref(), Some("feature/x"));
        assert_eq!(branch_of(&path("w")).as_deref(), Some("fix"));
        std::fs::write(path("main/.git/HEAD"), "0123456789abcdef\n").unwrap();
        assert_eq!(branch_of(&path("main")), None);
    }
}

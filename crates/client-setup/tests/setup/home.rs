//! A temporary home directory with the files of clients in it.

use quipu_client_setup::{
    ClientKind, Places, Platform, ServerEntry, SetupError, SetupJournal, SetupPlan, SetupRequest,
    SetupScope, SetupSwitches, apply_plan, plan_setup, preview_plan, undo_setup,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Home and project directory of one test, and Quipu's own beside them.
pub struct ClientHome {
    root: TempDir,
}

/// Files of a directory by their path; a directory has no content.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

impl ClientHome {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["user", "user/project", "quipu"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        Self { root }
    }

    /// Returns the path of a file in the user's home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("user").join(name)
    }

    /// Writes a file in the user's home.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn places(&self) -> Places {
        let home = self.root.path().join("user");
        let variable = |name: &str| (name == "HOME").then(|| home.clone().into_os_string());
        Places::find(Platform::Linux, &home.join("project"), variable).unwrap()
    }

    pub fn journal(&self) -> SetupJournal {
        SetupJournal::load(&self.root.path().join("quipu/client-setup.json")).unwrap()
    }

    /// Returns everything in the user's home.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        read_tree(&self.root.path().join("user"), &mut tree);
        tree
    }

    /// Returns the plan of a setup with everything in it.
    pub fn plan(&self, clients: &[ClientKind]) -> SetupPlan {
        plan_setup(&request(clients), &self.places())
    }

    /// Sets clients up, and returns the paths of the changed files.
    pub fn set_up(&self, clients: &[ClientKind]) -> Vec<PathBuf> {
        self.apply(&self.plan(clients)).into_iter().map(Result::unwrap).collect()
    }

    pub fn apply(&self, plan: &SetupPlan) -> Vec<Result<PathBuf, SetupError>> {
        apply_plan(plan, &mut self.journal())
    }

    /// Returns the diffs of a setup.
    pub fn preview(&self, clients: &[ClientKind]) -> Vec<String> {
        let changes = preview_plan(&self.plan(clients));
        changes.into_iter().map(|change| change.unwrap().diff).collect()
    }

    pub fn undo(&self) {
        self.undo_for(&[]);
    }

    pub fn undo_for(&self, clients: &[ClientKind]) {
        for result in undo_setup(&mut self.journal(), clients) {
            result.unwrap();
        }
    }
}

/// Returns a request for everything, for the user.
pub fn request(clients: &[ClientKind]) -> SetupRequest {
    let (binary, home) = ("/opt/quipu/bin/quipu".to_owned(), "/home/ada/.quipu".to_owned());
    SetupRequest {
        clients: clients.to_vec(),
        scope: SetupScope::User,
        server: ServerEntry::Stdio { binary: binary.clone(), home: home.clone() },
        switches: SetupSwitches { hooks: true, instructions: true, allow: true },
        binary,
        home,
    }
}

fn read_tree(directory: &Path, tree: &mut Tree) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tree.insert(path.clone(), None);
            read_tree(&path, tree);
        } else {
            tree.insert(path.clone(), Some(std::fs::read(&path).unwrap()));
        }
    }
}

//! A restore that is interrupted between any two of its steps, or that fails at one.

use super::switch::{RestorePlace, SwitchPlan};
use super::{RestoreError, RestoreRequest, preparation, restore};
use crate::control::ControlFile;
use crate::files::StorePaths;
use crate::lifecycle::LockFiles;
use crate::{Options, SqliteStore};
use model::{MemoryId, OwnerId};
use std::path::{Path, PathBuf};
use store::{Control, Store};
use store_conformance::builders::{batch, moment, remember};

/// A home directory with a memory of two texts, and a backup with the first of them.
struct InterruptedRestore {
    directory: tempfile::TempDir,
    owner: OwnerId,
    backup: PathBuf,
}

impl InterruptedRestore {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (owner, backup) = (OwnerId::me(), directory.path().join("copy.db"));
        let store = SqliteStore::open(directory.path(), Options::default()).unwrap();
        store.create_owner(&owner, moment(0)).await.unwrap();
        store.write(&owner, batch(vec![remember("in the backup")])).await.unwrap();
        store.backup(&owner, &backup).await.unwrap();
        store.write(&owner, batch(vec![remember("after the backup")])).await.unwrap();
        Self { directory, owner, backup }
    }

    fn request<'r>(&'r self, kept: &'r Path) -> RestoreRequest<'r> {
        RestoreRequest {
            home: self.directory.path(),
            owner: &self.owner,
            backup: &self.backup,
            kept,
            at: moment(9),
            replace: true,
            reset_credentials: true,
        }
    }

    fn kept(&self) -> PathBuf {
        self.directory.path().join("kept")
    }

    /// Takes the first steps of a switch, as a process does that is killed then. Returns false when
    /// there are not as many.
    fn interrupt_after(&self, steps: usize) -> bool {
        let home = StorePaths::at(self.directory.path()).unwrap();
        let (options, kept) = (Options::default(), self.kept());
        let control = ControlFile::open(&home.control(), &options).unwrap();
        let place = RestorePlace::new(&home, &self.owner);
        let prepared = preparation::prepare(&place, &self.request(&kept), &options).unwrap();
        let new_key = prepared.new_key;
        let plan = SwitchPlan { kept: Some(kept), reset_credentials: true, new_key, at: moment(9) };
        let mut files = LockFiles::open(&home, &self.owner).unwrap();
        let exclusive = files.lock_exclusive(options.busy_timeout).unwrap();
        place.settle(&options).unwrap();
        exclusive.raise_generation().unwrap();
        place.decide(&plan).unwrap();
        place.take_first(steps, &plan, &control).unwrap()
    }

    async fn texts(&self) -> Vec<String> {
        let store = SqliteStore::open(self.directory.path(), Options::default()).unwrap();
        assert!(store.health(&self.owner).await.unwrap().sound);
        let memories = store.memories(&self.owner, &[MemoryId(1), MemoryId(2)]).await.unwrap();
        memories.into_iter().map(|memory| memory.text).collect()
    }
}

#[tokio::test]
async fn a_switch_that_was_interrupted_anywhere_is_finished_by_whoever_opens_the_memory() {
    for steps in 0.. {
        let at = InterruptedRestore::new().await;
        if !at.interrupt_after(steps) {
            assert!(steps > 5, "{steps} steps");
            return;
        }
        assert_eq!(at.texts().await, ["in the backup"], "after {steps} steps");
        let kept = at.kept();
        restore(
            &RestoreRequest { backup: &kept, ..at.request(&at.directory.path().join("again")) },
            &Options::default(),
        )
        .unwrap();
        assert_eq!(at.texts().await, ["in the backup", "after the backup"], "{steps} steps");
    }
}

#[tokio::test]
async fn a_preparation_that_was_interrupted_changes_nothing_and_is_removed() {
    let at = InterruptedRestore::new().await;
    let home = StorePaths::at(at.directory.path()).unwrap();
    let place = RestorePlace::new(&home, &at.owner);
    preparation::prepare(&place, &at.request(&at.kept()), &Options::default()).unwrap();
    assert!(place.scratch.exists());
    assert_eq!(at.texts().await, ["in the backup", "after the backup"]);
    assert!(!place.scratch.exists());
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_old_memory_in_its_place() {
    let at = InterruptedRestore::new().await;
    std::fs::write(at.kept(), "a file where the directory should be").unwrap();
    let kept = at.kept().join("below");
    let failed = restore(&at.request(&kept), &Options::default());
    assert!(matches!(failed, Err(RestoreError::Store(_))), "{failed:?}");
    assert_eq!(at.texts().await, ["in the backup", "after the backup"]);
}

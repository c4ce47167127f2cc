//! Rules of the storage of view snapshots: whatever was saved is read back by any process, as a
//! whole or not at all, and is gone with its owner.

use crate::builders::moment;
use crate::fixture::{StoreBackend, StoreFixture, runtime};
use model::OwnerId;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use store::{SnapshotContent, SnapshotLabel, SnapshotWriter, ViewSnapshots};

/// Format of the snapshots of these rules.
pub const FORMAT: &str = "suite 1";

/// A fresh store with one owner, and its snapshots as two processes have them.
pub struct SnapshotFixture {
    pub memories: StoreFixture,
    pub one: Arc<dyn ViewSnapshots>,
    pub two: Arc<dyn ViewSnapshots>,
}

/// Runs one rule on a fresh store.
///
/// # Panics
/// Panics when the rule is broken, or no store can be created.
pub fn check<B: StoreBackend + 'static, S: ViewSnapshots + 'static>(
    open: impl AsyncFn(&Path) -> B,
    snapshots: impl Fn(&B) -> S,
    rule: impl AsyncFn(&SnapshotFixture),
) {
    runtime().block_on(async {
        let memories = StoreFixture::fresh(&open).await;
        let home = memories.free_path("");
        let one: Arc<dyn ViewSnapshots> = Arc::new(snapshots(&open(&home).await));
        let two: Arc<dyn ViewSnapshots> = Arc::new(snapshots(&open(&home).await));
        rule(&SnapshotFixture { memories, one, two }).await;
    });
}

impl SnapshotFixture {
    /// Returns the label of a snapshot of the owner's memory as it is now.
    pub async fn label(&self, owner: &OwnerId) -> SnapshotLabel {
        let store = self.memories.store.identity(owner).await.expect("the identity can be read");
        let seq = self.memories.store.seq(owner).await.expect("the sequence number can be read");
        SnapshotLabel { store, seq, format: FORMAT.to_owned() }
    }

    /// Saves bytes as the snapshot of an owner's memory as it is now.
    pub async fn save(&self, owner: &OwnerId, bytes: &[u8]) -> bool {
        let (label, write) = (self.label(owner).await, write_all(bytes));
        let saved = self.one.save_snapshot(owner, &label, moment(0), write).await;
        saved.expect("a snapshot can be saved")
    }

    /// Returns the bytes of the snapshot of an owner, read by the other process.
    pub async fn stored(&self, owner: &OwnerId) -> Option<Vec<u8>> {
        let opened = self.two.open_snapshot(owner, FORMAT).await;
        opened.expect("a snapshot can be opened").map(read_all)
    }
}

/// Returns a function that writes these bytes.
#[must_use]
pub fn write_all(bytes: &[u8]) -> SnapshotWriter {
    let bytes = bytes.to_vec();
    Box::new(move |out| out.write_all(&bytes))
}

/// Returns all bytes of a snapshot.
///
/// # Panics
/// Panics when they cannot be read, or are not as many as stated.
#[must_use]
pub fn read_all(content: SnapshotContent) -> Vec<u8> {
    let length = content.len().expect("the length can be read");
    let bytes = match content {
        SnapshotContent::File(mut file) => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("the file can be read");
            bytes
        }
        SnapshotContent::Segments(all) => all.concat(),
    };
    assert_eq!(bytes.len() as u64, length, "the length is that of the bytes");
    bytes
}

pub async fn there_is_no_snapshot_at_first(fixture: &SnapshotFixture) {
    assert_eq!(fixture.stored(&fixture.memories.owner).await, None);
}

pub async fn what_one_process_saves_another_reads(fixture: &SnapshotFixture) {
    let owner = &fixture.memories.owner;
    fixture.memories.remember("a note").await;
    assert!(fixture.save(owner, b"a view").await);
    assert_eq!(fixture.stored(owner).await.unwrap(), b"a view");
}

pub async fn a_large_snapshot_reads_back_unchanged(fixture: &SnapshotFixture) {
    let owner = &fixture.memories.owner;
    fixture.memories.remember("a note").await;
    let large: Vec<u8> = (0..11_000_000_u32).map(|at| (at.wrapping_mul(at) >> 7) as u8).collect();
    assert!(fixture.save(owner, &large).await);
    assert!(fixture.stored(owner).await.unwrap() == large, "the same bytes in the same order");
}

pub async fn a_newer_snapshot_takes_the_place_of_the_one_before(fixture: &SnapshotFixture) {
    let owner = &fixture.memories.owner;
    fixture.memories.remember("a note").await;
    assert!(fixture.save(owner, b"an older view").await);
    fixture.memories.remember("another note").await;
    assert!(fixture.save(owner, b"a newer one").await);
    assert_eq!(fixture.stored(owner).await.unwrap(), b"a newer one");
}

pub async fn a_snapshot_that_fails_half_way_leaves_the_one_before(fixture: &SnapshotFixture) {
    let owner = &fixture.memories.owner;
    fixture.memories.remember("a note").await;
    assert!(fixture.save(owner, b"a view").await);
    fixture.memories.remember("another note").await;
    let fail: SnapshotWriter = Box::new(|out| {
        out.write_all(&[7; 9_000_000])?;
        Err(io::Error::other("the view is damaged"))
    });
    let label = fixture.label(owner).await;
    assert!(fixture.one.save_snapshot(owner, &label, moment(0), fail).await.is_err());
    assert_eq!(fixture.stored(owner).await.unwrap(), b"a view");
    assert!(fixture.save(owner, b"the next one").await, "the next attempt succeeds");
}

pub async fn each_owner_has_a_snapshot_of_their_own(fixture: &SnapshotFixture) {
    let (owner, other) = (&fixture.memories.owner, fixture.memories.another_owner("ben").await);
    fixture.memories.remember("a note").await;
    assert!(fixture.save(owner, b"of me").await);
    assert_eq!(fixture.stored(&other).await, None);
    assert!(fixture.save(&other, b"of ben").await);
    assert!(fixture.one.remove_snapshot(owner).await.unwrap());
    assert_eq!(fixture.stored(owner).await, None);
    assert_eq!(fixture.stored(&other).await.unwrap(), b"of ben");
}

pub async fn a_snapshot_is_removed_once(fixture: &SnapshotFixture) {
    let owner = &fixture.memories.owner;
    fixture.memories.remember("a note").await;
    assert!(fixture.save(owner, b"a view").await);
    assert!(fixture.two.remove_snapshot(owner).await.unwrap());
    assert!(!fixture.one.remove_snapshot(owner).await.unwrap());
}

pub async fn erasing_an_owner_takes_the_snapshot_along(fixture: &SnapshotFixture) {
    let owner = &fixture.memories.owner;
    fixture.memories.remember("a note").await;
    assert!(fixture.save(owner, b"a view").await);
    assert!(fixture.memories.store.erase_owner(owner).await.unwrap());
    assert_eq!(fixture.stored(owner).await, None);
}

//! Snapshots of views: loaded before a view is built, written when enough has changed, and removed
//! with what was erased. A snapshot only saves time: if anything is wrong with it, the view is
//! built from the store.

use super::snapshot_source;
use super::unsaved_changes::{UnsavedChanges, ViewState};
use super::unused_memory;
use super::{OwnerView, StoreHead, UnsavedGuard, Views};
use crate::Core;
use crate::call::internal;
use index::{SnapshotError, SnapshotKey, View};
use model::{Failure, OwnerId, Seq};
use parking_lot::RwLockWriteGuard;
use std::io::{self, Write};
use std::sync::Arc;
use store::{SnapshotContent, SnapshotLabel, SnapshotMedium, SnapshotWriter, ViewSnapshots};

/// Size in bytes from which a view is exchanged for its snapshot once that is written. The arrays
/// of a file are mapped and shared with other processes, those of a view that grew are not.
const EXCHANGED_BYTES_MIN: usize = 64 << 20;

impl Views {
    /// Removes forgotten memories from the view and deletes the snapshot. Returns whether there was
    /// one.
    pub async fn forget(&self, core: &Core, owner: &OwnerId) -> Result<bool, Failure> {
        // Catching up may remove it already, as one that is older than the forgetting.
        let existed = self.has_file(owner).await;
        let view = self.current(core, owner).await?;
        let mut unsaved = Arc::clone(&view.unsaved_changes).lock_owned().await;
        // The index keeps removed words until it is compacted; forgetting must not leave them in
        // memory.
        view.run_blocking(|view| view.write(View::compact)).await?;
        unsaved.count = view.read(View::len);
        Ok(self.remove_snapshot(owner).await || existed)
    }

    /// Writes snapshots of the views that have changed enough.
    pub async fn save(&self, core: &Core) {
        for (owner, view) in self.all() {
            self.save_one(core, &owner, &view).await;
        }
    }

    /// Writes snapshots of views that stay in use: those that other servers read, and of large
    /// ones, which are exchanged for it. A small file need not be written before its view is
    /// dropped, since nobody else waits for it.
    pub async fn save_in_use(&self, core: &Core) {
        for (owner, view) in self.all() {
            let unsaved = *view.unsaved_changes.lock().await;
            let is_large = view.size.bytes() >= EXCHANGED_BYTES_MIN;
            let is_worth_a_file = is_large && unsaved.is_large_share(view.read(View::len));
            if is_worth_a_file || !self.has_files() {
                self.save_one(core, &owner, &view).await;
            }
        }
    }

    /// Returns the size in bytes of the stored snapshot; `None` if there is none.
    pub async fn snapshot_bytes(&self, core: &Core, owner: &OwnerId) -> Option<u64> {
        let at = StoreHead::read(core, owner).await.ok()?;
        self.open_snapshot(owner, &at).await?.len().ok()
    }

    /// Removes the snapshot of a view that turned out to be damaged; it must not be loaded again.
    pub(super) async fn remove_damaged(&self, owner: &OwnerId, view: &OwnerView) {
        if view.read(View::is_damaged) {
            tracing::warn!("the view snapshot was damaged; the view is built again");
            self.remove_snapshot(owner).await;
        }
    }

    /// Loads the snapshot if there is a valid one of this store, and returns true; otherwise the
    /// view stays empty.
    pub(super) async fn load(
        &self,
        core: &Core,
        owner: &OwnerId,
        view: &OwnerView,
        at: &StoreHead<'_>,
        unsaved: &mut UnsavedChanges,
    ) -> Result<bool, Failure> {
        *unsaved = UnsavedChanges::default();
        let Some(content) = self.open_snapshot(owner, at).await else { return Ok(false) };
        // Read after the snapshot, which another server may have written just now.
        let newest = core.store_of(owner).seq().await?;
        let erased_at = core.store_of(owner).erasure(&[]).await?.newest;
        let loaded = read_content(content, at, newest).await?;
        // A process that ended between erasing and removing the snapshot has left the text in it.
        // One that cannot be read may contain anything, and is of no use.
        if loaded.as_ref().is_none_or(|loaded| loaded.seq() < erased_at) {
            self.remove_snapshot(owner).await;
        }
        let Some(loaded) = loaded else { return Ok(false) };
        *unsaved = UnsavedChanges::none_since(loaded.seq());
        if loaded.seq() < erased_at {
            unsaved.count = loaded.len();
        }
        view.write(|view| *view = loaded);
        Ok(true)
    }

    /// Writes a snapshot of one view if it has changed enough.
    pub(super) async fn save_one(&self, core: &Core, owner: &OwnerId, view: &Arc<OwnerView>) {
        let Some(snapshots) = &self.snapshots else { return };
        if !is_due(&**snapshots, owner, view).await {
            return;
        }
        // A view that is behind may have words that another process has forgotten since.
        if self.refresh(core, owner, view).await.is_err() {
            return;
        }
        let unsaved = Arc::clone(&view.unsaved_changes).lock_owned().await;
        let (Some(label), counted) = (view.label(), unsaved.count) else { return };
        let writer = view.snapshot_writer(&label, unsaved);
        let saved = snapshots.save_snapshot(owner, &label, core.now(), writer).await;
        let saved = saved.unwrap_or_else(|error| {
            tracing::warn!(%error, cause = error.cause(), "could not write the view snapshot");
            false
        });
        if self.is_outdated(core, owner, &label).await {
            self.remove_snapshot(owner).await;
        } else if saved {
            let mut unsaved = view.unsaved_changes.lock().await;
            let count = unsaved.count.saturating_sub(counted);
            *unsaved = UnsavedChanges { count, since: label.seq };
            // Still under the lock, so that the view does not change meanwhile.
            self.exchange_for_snapshot(owner, view, &label).await;
        }
    }

    /// Returns true if text was erased while a file was written: whoever erased it has looked for
    /// the file too early. A database compares that itself.
    async fn is_outdated(&self, core: &Core, owner: &OwnerId, label: &SnapshotLabel) -> bool {
        if !self.has_files() {
            return false;
        }
        let erased = core.store_of(owner).erasure(&[]).await.map(|state| state.newest);
        erased.map_or(true, |erased| erased > label.seq)
    }

    /// Loads a large view again from the file that was just written of it.
    async fn exchange_for_snapshot(
        &self,
        owner: &OwnerId,
        view: &OwnerView,
        label: &SnapshotLabel,
    ) {
        let is_large = view.read(View::size_bytes) >= EXCHANGED_BYTES_MIN;
        if !self.has_files() || !is_large || view.read(View::seq) != label.seq {
            return;
        }
        let Some(model) = view.read(|view| view.model().cloned()) else { return };
        let at = StoreHead { store: label.store, newest: label.seq, model: &model };
        let Some(content) = self.open_snapshot(owner, &at).await else { return };
        let loaded = read_content(content, &at, label.seq).await.ok().flatten();
        // Another process may have replaced the file since.
        if let Some(loaded) = loaded.filter(|loaded| loaded.seq() == label.seq) {
            view.write(|view| *view = loaded);
            let returned = tokio::task::spawn_blocking(unused_memory::return_to_system);
            // It cannot fail, and the view is exchanged in any case.
            let _ = returned.await;
        }
    }

    async fn open_snapshot(&self, owner: &OwnerId, at: &StoreHead<'_>) -> Option<SnapshotContent> {
        let format = SnapshotKey::format_name(Some(at.model));
        let opened = self.snapshots.as_ref()?.open_snapshot(owner, &format).await;
        opened.unwrap_or_else(|error| {
            tracing::warn!(%error, cause = error.cause(), "could not open the view snapshot");
            None
        })
    }

    /// Removes the snapshot, and returns whether there was one.
    pub async fn remove_snapshot(&self, owner: &OwnerId) -> bool {
        let Some(snapshots) = &self.snapshots else { return false };
        snapshots.remove_snapshot(owner).await.unwrap_or_else(|error| {
            tracing::warn!(%error, cause = error.cause(), "could not remove the view snapshot");
            false
        })
    }

    fn has_files(&self) -> bool {
        let medium = self.snapshots.as_ref().map(|snapshots| snapshots.medium());
        medium == Some(SnapshotMedium::File)
    }

    /// Returns true if there is a snapshot in a file.
    async fn has_file(&self, owner: &OwnerId) -> bool {
        let Some(snapshots) = self.snapshots.as_ref().filter(|_| self.has_files()) else {
            return false;
        };
        matches!(snapshots.open_snapshot(owner, "").await, Ok(Some(_)))
    }
}

/// Returns true if the stored snapshot lacks enough changes to be written again.
async fn is_due(snapshots: &dyn ViewSnapshots, owner: &OwnerId, view: &OwnerView) -> bool {
    let unsaved = *view.unsaved_changes.lock().await;
    let state = view.read(|view| ViewState { seq: view.seq(), memories: view.len() });
    let needed = UnsavedChanges::needed(snapshots.medium(), state.memories);
    match snapshots.medium() {
        SnapshotMedium::File => unsaved.count >= needed,
        // Nothing is asked for a view that is too small.
        SnapshotMedium::Database if unsaved.count.max(state.memories) < needed => false,
        SnapshotMedium::Database => {
            let format = view.read(|view| SnapshotKey::format_name(view.model()));
            let stored = snapshots.snapshot_seq(owner, &format).await;
            stored.is_ok_and(|stored| unsaved.since_stored(stored, &state) >= needed)
        }
    }
}

/// Reads a view on a blocking thread; `None` if the snapshot is not usable.
async fn read_content(
    content: SnapshotContent,
    at: &StoreHead<'_>,
    newest: Seq,
) -> Result<Option<View>, Failure> {
    let (database, model) = (u128::from_le_bytes(at.store), Some(at.model.clone()));
    let key = SnapshotKey { database, newest, model };
    let read = tokio::task::spawn_blocking(move || snapshot_source::read(content, &key));
    let log = |error: &SnapshotError| tracing::info!(%error, "the view snapshot was not used");
    Ok(read.await.map_err(internal)?.inspect_err(log).ok())
}

impl OwnerView {
    /// Returns the label of a snapshot of the view; `None` before its store is known.
    // Of the view and not of the store, which may have been replaced by a backup just now.
    fn label(&self) -> Option<SnapshotLabel> {
        let store = (*self.store_id.lock())?;
        let (seq, format) = self.read(|view| (view.seq(), SnapshotKey::format_name(view.model())));
        Some(SnapshotLabel { store, seq, format })
    }

    /// Returns the function that writes a snapshot. It holds the lock of whoever catches up until
    /// the view is written, which may be long before it is stored.
    fn snapshot_writer(
        self: &Arc<Self>,
        label: &SnapshotLabel,
        unsaved: UnsavedGuard,
    ) -> SnapshotWriter {
        let (view, database) = (Arc::clone(self), u128::from_le_bytes(label.store));
        Box::new(move |out| {
            let written = view.write_snapshot(database, out);
            drop(unsaved);
            written
        })
    }

    fn write_snapshot(&self, database: u128, out: &mut dyn Write) -> io::Result<()> {
        let mut view = self.view.write();
        view.compact();
        // Searches go on while it is written.
        RwLockWriteGuard::downgrade(view).write_compacted(database, out)
    }
}

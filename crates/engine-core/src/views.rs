//! The view of each owner, kept in step with the store. Before each read it catches up by sequence
//! number, so that a write by any process is seen by the next read. A snapshot makes the first read
//! of a process fast.

mod entries;
mod shelf;

use crate::Core;
use crate::SnapshotPath;
use crate::call::internal;
use entries::Entries;
use index::{SnapshotKey, View};
use model::{Failure, OwnerId, Seq, VectorModel};
use shelf::Shelf;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How many changed memories are taken in at a time.
const CHANGES_AT_ONCE: usize = 4_000;
/// So many are taken in by the way; more keep a core busy for long.
const FEW_CHANGES: usize = 32;
/// After how many changed memories a snapshot is worth writing anew.
const CHANGES_WORTH_SAVING: usize = 500;

/// The views of all owners that were asked for.
pub(crate) struct Views {
    shelf: Option<Shelf>,
    owners: Mutex<HashMap<OwnerId, Arc<OwnerView>>>,
}

/// The view of one owner.
pub struct OwnerView {
    view: RwLock<View>,
    /// The store that the view is of. A backup in its place is another one.
    of: Mutex<Option<[u8; 16]>>,
    /// Held while catching up, so that changes are read once. Counts the memories that no snapshot
    /// has yet.
    unsaved: Arc<tokio::sync::Mutex<usize>>,
}

impl Views {
    pub fn new(snapshots: Option<SnapshotPath>) -> Self {
        Self { shelf: snapshots.map(Shelf::new), owners: Mutex::default() }
    }

    /// The owner's view, caught up with the store.
    pub async fn current(&self, core: &Core, owner: &OwnerId) -> Result<Arc<OwnerView>, Failure> {
        let view = self.of(core, owner);
        let at = Standing::of(core, owner).await?;
        if view.read(View::seq) != at.newest || !view.goes_on(&at) {
            self.catch_up(core, owner, &view).await?;
        }
        Ok(view)
    }

    /// Takes what was forgotten out of the view and its snapshot. Answers whether there was a
    /// snapshot.
    pub async fn forget(&self, core: &Core, owner: &OwnerId) -> Result<bool, Failure> {
        let view = self.current(core, owner).await?;
        let snapshot = self.shelf.as_ref().map(|shelf| shelf.place(owner));
        let mut unsaved = Arc::clone(&view.unsaved).lock_owned().await;
        let forget = move |view: &OwnerView| {
            view.write(View::compact);
            let Some(snapshot) = snapshot else { return false };
            *unsaved = view.read(View::len);
            std::fs::remove_file(snapshot).is_ok()
        };
        view.elsewhere(forget).await
    }

    /// Saves every view that has moved on far enough since its snapshot.
    pub async fn save(&self, core: &Core) {
        let all: Vec<_> = self
            .owners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .into_iter()
            .collect();
        for (owner, view) in all {
            self.save_one(core, &owner, &view).await;
        }
    }

    fn of(&self, core: &Core, owner: &OwnerId) -> Arc<OwnerView> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(owners.entry(owner.clone()).or_insert_with(|| Arc::new(OwnerView::empty(core))))
    }

    async fn catch_up(
        &self,
        core: &Core,
        owner: &OwnerId,
        view: &Arc<OwnerView>,
    ) -> Result<(), Failure> {
        let mut unsaved = Arc::clone(&view.unsaved).lock_owned().await;
        // Asked anew, for others may have moved the view on while we waited for it.
        let at = Standing::of(core, owner).await?;
        if !view.goes_on(&at) {
            view.begin_anew(&at);
        }
        if view.read(View::seq) == Seq::ZERO {
            self.load(owner, view, &at).await?;
        }
        while view.read(View::seq) < at.newest {
            let after = view.read(View::seq);
            let changes = core.store_of(owner).changes(after, CHANGES_AT_ONCE).await?;
            let many = changes.entries.len() > FEW_CHANGES;
            // A call that is dropped meanwhile still keeps others from taking in the same beside
            // it.
            let take_in = move |view: &OwnerView| {
                let entries = Entries::read(changes);
                view.write(|view| entries.apply(view));
                *unsaved += entries.len();
                unsaved
            };
            unsaved = if many { view.elsewhere(take_in).await? } else { take_in(view) };
        }
        Ok(())
    }

    /// Starts from the snapshot when there is a sound one of this very store; otherwise from
    /// nothing.
    async fn load(
        &self,
        owner: &OwnerId,
        view: &OwnerView,
        at: &Standing<'_>,
    ) -> Result<(), Failure> {
        let Some(shelf) = &self.shelf else { return Ok(()) };
        let (newest, model) = (at.newest, Some(at.model.clone()));
        let key = SnapshotKey { database: u128::from_le_bytes(at.store), newest, model };
        let path = shelf.place(owner);
        let loaded =
            tokio::task::spawn_blocking(move || shelf::load(&path, &key)).await.ok().flatten();
        if let Some(loaded) = loaded {
            view.write(|view| *view = loaded);
        }
        Ok(())
    }

    async fn save_one(&self, core: &Core, owner: &OwnerId, view: &OwnerView) {
        let Some(shelf) = &self.shelf else { return };
        let mut unsaved = view.unsaved.lock().await;
        if *unsaved < CHANGES_WORTH_SAVING {
            return;
        }
        let Ok(identity) = core.store_of(owner).identity().await else { return };
        let path = shelf.place(owner);
        if view.write(|view| shelf::save(&path, u128::from_le_bytes(identity), view)) {
            *unsaved = 0;
        }
    }
}

/// What a view has to be in step with.
struct Standing<'e> {
    store: [u8; 16],
    newest: Seq,
    model: &'e VectorModel,
}

impl<'e> Standing<'e> {
    async fn of(core: &'e Core, owner: &OwnerId) -> Result<Self, Failure> {
        let newest = core.store_of(owner).seq().await?;
        let store = core.store_of(owner).identity().await?;
        Ok(Self { store, newest, model: core.embedder.model() })
    }
}

impl OwnerView {
    fn empty(core: &Core) -> Self {
        let model = core.embedder.model().clone();
        Self {
            view: RwLock::new(View::new(Some(model))),
            of: Mutex::default(),
            unsaved: Arc::default(),
        }
    }

    /// Whether what the view holds is still true and only more may have come. It is not when a
    /// backup was put in the store's place, or when the embedder answered for the first time and
    /// its vectors have a length only now.
    fn goes_on(&self, at: &Standing<'_>) -> bool {
        let same_store = *self.of.lock().unwrap_or_else(PoisonError::into_inner) == Some(at.store);
        same_store && self.read(|held| held.seq() <= at.newest && held.model() == Some(at.model))
    }

    fn begin_anew(&self, at: &Standing<'_>) {
        self.write(|held| *held = View::new(Some(at.model.clone())));
        *self.of.lock().unwrap_or_else(PoisonError::into_inner) = Some(at.store);
    }

    /// Does something that keeps a core busy for long, on a thread that nobody waits for.
    async fn elsewhere<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let view = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&view)).await.map_err(internal)
    }

    /// Looks at the view.
    pub fn read<T>(&self, look: impl FnOnce(&View) -> T) -> T {
        look(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, change: impl FnOnce(&mut View) -> T) -> T {
        change(&mut self.view.write().unwrap_or_else(PoisonError::into_inner))
    }
}

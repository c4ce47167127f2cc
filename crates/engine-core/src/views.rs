//! The index view of each owner, kept up to date with the store. It catches up by sequence number
//! before each read, so that the next read sees a write by any process. A snapshot makes the first
//! read of a process fast. A view that nobody reads for a while is dropped; where all views
//! together take more memory than they may, those that were not used for the longest time go first.

mod entries;
mod snapshot_source;
mod snapshots;
mod unsaved_changes;
mod unused_memory;

use crate::Core;
use crate::call::internal;
use entries::ChangeEntries;
use index::View;
use metrics::TRACE_TARGET;
use metrics::catalogue::VIEWS;
use model::{ErrorCode, Failure, OwnerId, Seq, VectorModel};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use store::ViewSnapshots;
use tracing::field::Empty;
use tracing::{Instrument, Span};
use unsaved_changes::UnsavedChanges;

/// Number of changed memories applied at a time.
const CHANGES_AT_ONCE: usize = 4_000;
// More than these keep a core busy for long and are applied on a blocking thread.
const FEW_CHANGES: usize = 32;
/// Number of times that catching up begins again because the store was replaced meanwhile.
const CATCH_UP_ATTEMPTS: usize = 3;
/// The views of all owners.
pub(crate) struct Views {
    snapshots: Option<Arc<dyn ViewSnapshots>>,
    owners: Mutex<HashMap<OwnerId, Arc<OwnerView>>>,
    /// Bytes that all views together may take, except that the view in use always stays.
    budget: usize,
    /// Number of reads so far, which orders the views by their last use.
    reads: AtomicU64,
}

/// The view of one owner.
pub struct OwnerView {
    view: RwLock<View>,
    /// Number of the last read.
    last_read: AtomicU64,
    /// True if it was read since idle views were last dropped.
    is_used: AtomicBool,
    size: ViewSize,
    /// Id of the store that the view belongs to; a backup in its place has another one.
    store_id: Mutex<Option<[u8; 16]>>,
    /// Changes since the last snapshot. Locked while catching up, so that each change is read once.
    unsaved_changes: Arc<tokio::sync::Mutex<UnsavedChanges>>,
}

impl Views {
    pub fn new(snapshots: Option<Arc<dyn ViewSnapshots>>, budget: Option<usize>) -> Self {
        Self {
            snapshots,
            owners: Mutex::default(),
            budget: budget.unwrap_or(usize::MAX),
            reads: AtomicU64::default(),
        }
    }

    /// Returns the owner's view, caught up with the store.
    pub async fn current(&self, core: &Core, owner: &OwnerId) -> Result<Arc<OwnerView>, Failure> {
        let view = self.entry(core, owner);
        let span = tracing::info_span!(target: TRACE_TARGET, "view", needed = Empty);
        if self.refresh(core, owner, &view).instrument(span).await? && view.size.measure(&view) {
            self.evict(core, owner).await;
        }
        Ok(view)
    }

    pub fn count(&self) -> usize {
        self.owners.lock().len()
    }

    /// Catches a view up with the store. Returns false if there was nothing to do.
    async fn refresh(
        &self,
        core: &Core,
        owner: &OwnerId,
        view: &Arc<OwnerView>,
    ) -> Result<bool, Failure> {
        let at = StoreHead::read(core, owner).await?;
        let seq = view.read(View::seq);
        if seq == at.newest && view.can_catch_up(&at) {
            note_needed("nothing");
            return Ok(false);
        }
        note_needed(self.catch_up(core, owner, view).await?);
        Ok(true)
    }

    /// Drops the views that were not read since this was last called.
    pub async fn drop_idle(&self, core: &Core) {
        for (owner, view) in self.all() {
            if !view.is_used.swap(false, Ordering::Relaxed) {
                self.drop_view(core, &owner, &view).await;
            }
        }
    }

    fn all(&self) -> Vec<(OwnerId, Arc<OwnerView>)> {
        self.owners.lock().clone().into_iter().collect()
    }

    fn entry(&self, core: &Core, owner: &OwnerId) -> Arc<OwnerView> {
        let mut owners = self.owners.lock();
        let view = owners.entry(owner.clone()).or_insert_with(|| Arc::new(OwnerView::empty(core)));
        view.last_read.store(self.reads.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        view.is_used.store(true, Ordering::Relaxed);
        Arc::clone(view)
    }

    /// Drops the least recently used views until the rest fits the budget; that of `reader` stays.
    /// A call that still has a dropped view goes on with it.
    async fn evict(&self, core: &Core, reader: &OwnerId) {
        while let Some((owner, view)) = self.least_recently_used(reader) {
            self.drop_view(core, &owner, &view).await;
        }
    }

    async fn drop_view(&self, core: &Core, owner: &OwnerId, view: &Arc<OwnerView>) {
        // Without a snapshot the next read would build the view anew from the rows.
        self.save_one(core, owner, view).await;
        let mut owners = self.owners.lock();
        if owners.get(owner).is_some_and(|held| Arc::ptr_eq(held, view)) {
            owners.remove(owner);
        }
    }

    /// Returns the view that must go next, `None` if all fit the budget.
    fn least_recently_used(&self, reader: &OwnerId) -> Option<(OwnerId, Arc<OwnerView>)> {
        let owners = self.owners.lock();
        let bytes: usize = owners.values().map(|view| view.size.bytes()).sum();
        if bytes <= self.budget {
            return None;
        }
        let others = owners.iter().filter(|(owner, _)| *owner != reader);
        let oldest = others.min_by_key(|(_, view)| view.last_read.load(Ordering::Relaxed));
        oldest.map(|(owner, view)| (owner.clone(), Arc::clone(view)))
    }

    /// Applies the changes that the view lacks. Begins again when the store is erased or replaced
    /// meanwhile, a few times. Returns the word of the metric for what was needed.
    async fn catch_up(
        &self,
        core: &Core,
        owner: &OwnerId,
        view: &Arc<OwnerView>,
    ) -> Result<&'static str, Failure> {
        let mut unsaved = Arc::clone(&view.unsaved_changes).lock_owned().await;
        let mut needed = "catching_up";
        for _ in 0..CATCH_UP_ATTEMPTS {
            // Read again, because another call may have advanced the view while this one waited.
            let at = StoreHead::read(core, owner).await?;
            if !view.can_catch_up(&at) {
                self.remove_damaged(owner, view).await;
                view.reset(&at);
            }
            // An empty view is cheaper to load than to build; a partial one only catches up.
            if view.read(View::seq) == Seq::ZERO {
                let loaded = self.load(core, owner, view, &at, &mut unsaved).await?;
                needed = if loaded { "loading" } else { "building" };
            }
            let followed = view.follow(core, owner, &at, unsaved).await?;
            if followed.complete {
                return Ok(needed);
            }
            unsaved = followed.unsaved;
        }
        Err(Failure::new(ErrorCode::StoreBusy, "the memory is being replaced by another process"))
    }
}

fn note_needed(needed: &str) {
    VIEWS.count(&[("needed", needed)]);
    Span::current().record("needed", needed);
}

/// The measured size of a view.
#[derive(Default)]
struct ViewSize {
    bytes: AtomicUsize,
    /// Number of memories at the last measurement.
    memories: AtomicUsize,
}

impl ViewSize {
    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Measures the view if its number of memories has changed by a sixteenth. Returns false if it
    /// has not: measuring visits every word, which is too much after each small change.
    fn measure(&self, view: &OwnerView) -> bool {
        let memories = view.read(View::len);
        let before = self.memories.load(Ordering::Relaxed);
        if memories.abs_diff(before) <= before / 16 {
            return false;
        }
        self.memories.store(memories, Ordering::Relaxed);
        self.bytes.store(view.read(View::size_bytes), Ordering::Relaxed);
        true
    }
}

/// The lock that whoever catches up holds, on the changes since the last snapshot.
type UnsavedGuard = tokio::sync::OwnedMutexGuard<UnsavedChanges>;

/// Result of applying changes.
struct FollowOutcome {
    unsaved: UnsavedGuard,
    /// False when the store was erased or replaced meanwhile.
    complete: bool,
}

/// State of the store that a view must match.
struct StoreHead<'e> {
    store: [u8; 16],
    newest: Seq,
    model: &'e VectorModel,
}

impl<'e> StoreHead<'e> {
    // The sequence number comes first: a change in between then only makes the view catch up again.
    async fn read(core: &'e Core, owner: &OwnerId) -> Result<Self, Failure> {
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
            last_read: AtomicU64::default(),
            is_used: AtomicBool::default(),
            size: ViewSize::default(),
            store_id: Mutex::default(),
            unsaved_changes: Arc::default(),
        }
    }

    /// Returns whether the view only has to catch up. It must be rebuilt when the store was
    /// replaced by a backup, when the embedder answered for the first time and the length of its
    /// vectors is known only now, or when its snapshot turned out to be damaged.
    fn can_catch_up(&self, at: &StoreHead<'_>) -> bool {
        let same_store = *self.store_id.lock() == Some(at.store);
        let fits = |held: &View| held.seq() <= at.newest && held.model() == Some(at.model);
        same_store && self.read(|held| fits(held) && !held.is_damaged())
    }

    fn reset(&self, at: &StoreHead<'_>) {
        self.write(|held| *held = View::new(Some(at.model.clone())));
        *self.store_id.lock() = Some(at.store);
    }

    /// Applies changes up to the head of the store. Every round either advances the view towards
    /// that head, or ends.
    async fn follow(
        self: &Arc<Self>,
        core: &Core,
        owner: &OwnerId,
        at: &StoreHead<'_>,
        mut unsaved: UnsavedGuard,
    ) -> Result<FollowOutcome, Failure> {
        while self.read(View::seq) < at.newest {
            let after = self.read(View::seq);
            let changes = core.store_of(owner).changes(after, CHANGES_AT_ONCE).await?;
            // A store that has nothing newer although its head said so was erased or replaced. The
            // identity is read after the changes, so that none of another store gets into the view.
            if changes.upto <= after || core.store_of(owner).identity().await? != at.store {
                return Ok(FollowOutcome { unsaved, complete: false });
            }
            let is_long = changes.entries.len() > FEW_CHANGES;
            // The lock moves along: if this call is dropped, others still wait until the work is
            // done.
            let apply = move |view: &Self| {
                let entries = ChangeEntries::prepare(changes);
                view.write(|view| entries.apply(view));
                unsaved.count += entries.len();
                unsaved
            };
            unsaved = if is_long { self.run_blocking(apply).await? } else { apply(self) };
        }
        Ok(FollowOutcome { unsaved, complete: true })
    }

    /// Runs long work on a blocking thread.
    async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let view = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&view)).await.map_err(internal)
    }

    /// Reads the view.
    pub fn read<T>(&self, look: impl FnOnce(&View) -> T) -> T {
        look(&self.view.read())
    }

    fn write<T>(&self, change: impl FnOnce(&mut View) -> T) -> T {
        change(&mut self.view.write())
    }
}

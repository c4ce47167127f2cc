//! The store itself: opens the memories of owners on first use, keeps them open, and creates and
//! erases owners. It runs no statements on memories.

use crate::Options;
use crate::apply::erased;
use crate::control::ControlFile;
use crate::error::file_error;
use crate::files::{StorePaths, create_private_directory};
use crate::lifecycle::{FileLease, LockFiles};
use crate::open_owners::OpenOwners;
use crate::owner::{OwnerMemory, blocking};
use crate::{foreign_log, health, presence, restore};
use model::{Moment, OwnerId};
use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::StoreError;

/// Number of restores in a row whose processes were killed, after which opening gives up.
const RECOVERIES_MAX: usize = 3;

/// A store in SQLite files below one directory. Clones share the open files.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    home: StorePaths,
    options: Options,
    control: ControlFile,
    open_owners: Mutex<OpenOwners>,
    // Held while a memory is opened, created or erased, so that a process has each file open once:
    // group commit works only if all writes of a process go through one writer thread.
    lifecycle_lock: Mutex<()>,
}

impl SqliteStore {
    /// Opens the store in a directory, creating both if they do not exist.
    ///
    /// # Errors
    /// Fails when the directory cannot be used, or its control file is lost, damaged or too new.
    pub fn open(home: &Path, options: Options) -> Result<Self, StoreError> {
        let home = StorePaths::at(home)?;
        presence::check_control(&home)?;
        let control = ControlFile::open(&home.control(), &options)?;
        Ok(Self {
            inner: Arc::new(Inner {
                home,
                options,
                control,
                open_owners: Mutex::default(),
                lifecycle_lock: Mutex::default(),
            }),
        })
    }

    /// Returns the directory of one owner, for files that belong next to the memory, such as the
    /// snapshot of a search index.
    #[must_use]
    pub fn owner_dir(&self, owner: &OwnerId) -> PathBuf {
        self.inner.home.owner(owner)
    }

    /// Checks that the list of owners of a directory is there if any owner has files there.
    ///
    /// # Errors
    /// Fails when it is missing or empty.
    pub fn check_control(home: &Path) -> Result<(), StoreError> {
        presence::check_control(&StorePaths::at(home)?)
    }

    /// Creates the list of owners of a directory anew, with every owner that has files there, and
    /// returns these owners. Their keys are lost with the old list.
    ///
    /// # Errors
    /// Fails when the file exists and is not a list of owners, or cannot be written.
    pub fn rebuild_control(home: &Path, at: Moment) -> Result<Vec<OwnerId>, StoreError> {
        let home = StorePaths::at(home)?;
        let owners = presence::owners_with_files(&home).into_iter();
        let owners: Vec<OwnerId> = owners.filter_map(|name| OwnerId::new(&name).ok()).collect();
        let control = ControlFile::open(&home.control(), &Options::default())?;
        owners.iter().try_for_each(|owner| control.add_owner(owner, at))?;
        Ok(owners)
    }

    /// Checks the file of owners and keys thoroughly, and returns its problems. Read-only; a
    /// missing file has none.
    ///
    /// # Errors
    /// Fails when the file cannot be read at all.
    pub fn inspect_control(home: &Path) -> Result<Vec<String>, StoreError> {
        let file = StorePaths::at(home)?.control();
        if !file.exists() { Ok(Vec::new()) } else { health::inspect_control(&file) }
    }

    /// Moves a write-ahead log that belongs to another memory away, and returns its new path;
    /// `None` when there is no such log.
    ///
    /// # Errors
    /// Fails when other processes use the memory for longer than the busy timeout, or the file
    /// cannot be moved.
    pub fn set_foreign_log_aside(
        home: &Path,
        owner: &OwnerId,
        options: &Options,
    ) -> Result<Option<PathBuf>, StoreError> {
        foreign_log::set_aside(&StorePaths::at(home)?, owner, options)
    }

    /// Checks that the write-ahead log of an owner's memory is its own.
    ///
    /// # Errors
    /// Fails when it belongs to another memory, or the files cannot be read.
    pub fn check_log(home: &Path, owner: &OwnerId, options: &Options) -> Result<(), StoreError> {
        foreign_log::refuse(&StorePaths::at(home)?.memory(owner), options)
    }

    /// Checks that the files of a listed owner are there, without opening them.
    ///
    /// # Errors
    /// Fails when the memory is missing or empty.
    pub fn check_present(&self, owner: &OwnerId) -> Result<(), StoreError> {
        self.inner.with_files(owner, |_| presence::check_listed(&self.inner.home, owner))
    }

    /// Begins the audit chain of an owner anew after its newest event. The earlier events can no
    /// longer be verified; their checkpoints and their head are kept beside the new ones.
    ///
    /// # Errors
    /// Fails when the files cannot be written, or the memory cannot be opened.
    pub async fn restart_audit(&self, owner: &OwnerId) -> Result<(), StoreError> {
        let (inner, known) = (Arc::clone(&self.inner), owner.clone());
        // A process that has the memory open may have a key that is gone; all open it again.
        blocking(move || inner.raise_generation(&known)).await?;
        self.memory(owner).await?.restart_audit().await
    }

    pub(crate) fn control(&self) -> &ControlFile {
        &self.inner.control
    }

    /// Returns the memory of an owner, opening it if necessary.
    pub(crate) async fn memory(&self, owner: &OwnerId) -> Result<Arc<OwnerMemory>, StoreError> {
        // Opening may migrate the file, so only the lookup happens on the caller's thread.
        if let Some(memory) = self.inner.find_open(owner) {
            return Ok(memory);
        }
        let (inner, owner) = (Arc::clone(&self.inner), owner.clone());
        blocking(move || inner.open(&owner)).await
    }

    pub(crate) async fn create(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        let (inner, owner) = (Arc::clone(&self.inner), owner.clone());
        blocking(move || inner.create(&owner, at)).await
    }

    pub(crate) async fn erase(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        // Marked first, through the open writer: other processes that have the file open see the
        // mark and stop writing into a file that is about to be deleted. A memory that cannot be
        // opened needs no mark, and must still be erasable.
        if let Ok(memory) = self.memory(owner).await {
            memory.writer.run(|database| erased::mark(&database.conn)).await?;
        }
        let (inner, owner) = (Arc::clone(&self.inner), owner.clone());
        blocking(move || inner.erase(&owner)).await
    }
}

impl Inner {
    /// Returns the memory of an owner if it is open and was not erased.
    fn find_open(&self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.open_owners().get(owner)
    }

    fn open(&self, owner: &OwnerId) -> Result<Arc<OwnerMemory>, StoreError> {
        let _lock = self.lock_lifecycle();
        // Another thread may have opened it while this one waited for the lock.
        if let Some(memory) = self.find_open(owner) {
            return Ok(memory);
        }
        if !self.control.has_owner(owner)? {
            return Err(StoreError::Failed { cause: format!("there is no owner {owner}") });
        }
        let memory = self.with_files(owner, |lease| {
            presence::check_listed(&self.home, owner)?;
            OwnerMemory::open(&self.home.memory(owner), &self.options, lease, true)
        })?;
        Ok(self.add_open(owner, memory))
    }

    /// Runs something under the shared lifecycle lock of an owner's files, after a restore that was
    /// interrupted is finished.
    fn with_files<T>(
        &self,
        owner: &OwnerId,
        work: impl FnOnce(Arc<FileLease>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        for _ in 0..RECOVERIES_MAX {
            restore::finish_interrupted(&self.home, owner, &self.control, &self.options)?;
            let mut files = LockFiles::open(&self.home, owner)?;
            let shared = files.lock_shared(self.options.busy_timeout)?;
            // The process of another restore may have been killed meanwhile.
            if !restore::is_pending(&self.home, owner) {
                let lease = FileLease::new(&self.home, owner, shared.generation()?)?;
                return work(Arc::new(lease));
            }
        }
        Err(StoreError::Busy)
    }

    fn create(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        let _lock = self.lock_lifecycle();
        let open = self.find_open(owner).filter(|memory| memory.check_not_erased().is_ok());
        if open.is_none() {
            let memory = self.with_files(owner, |lease| self.create_files(owner, lease))?;
            self.add_open(owner, memory);
        }
        // Last, so that after a crash every listed owner has a file.
        self.control.add_owner(owner, at)
    }

    /// Fails when there was a memory that is missing or empty now. Returns true for a listed owner.
    fn check_not_lost(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let listed = self.control.has_owner(owner)?;
        if listed {
            presence::check_listed(&self.home, owner)?;
        } else {
            presence::check_new(&self.home, owner)?;
        }
        Ok(listed)
    }

    fn create_files(
        &self,
        owner: &OwnerId,
        lease: Arc<FileLease>,
    ) -> Result<OwnerMemory, StoreError> {
        let listed = self.check_not_lost(owner)?;
        match self.create_file(owner, Arc::clone(&lease), listed) {
            // An erasure that crashed before it deleted the files is finished here.
            Err(error) if erased::is_erased(&error) => {
                self.remove_files(owner)?;
                self.create_file(owner, lease, false)
            }
            created => created,
        }
    }

    fn create_file(
        &self,
        owner: &OwnerId,
        lease: Arc<FileLease>,
        listed: bool,
    ) -> Result<OwnerMemory, StoreError> {
        create_private_directory(&self.home.owner(owner))?;
        OwnerMemory::create(&self.home.memory(owner), &self.options, lease, listed)
    }

    fn erase(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let _lock = self.lock_lifecycle();
        // Closes the files, unless a call in progress still uses them; a write of such a call is
        // refused because of the mark.
        drop(self.open_owners().remove(owner));
        // Credentials go first, so that no key leads to a half-erased memory. The owner leaves the
        // list last: after a crash in between it is still listed, and erasing again finishes.
        self.control.remove_credentials(owner)?;
        let mut files = LockFiles::open(&self.home, owner)?;
        let exclusive = files.lock_exclusive(self.options.busy_timeout)?;
        exclusive.raise_generation()?;
        self.remove_files(owner)?;
        self.control.remove_owner(owner)
    }

    /// Tells every process to open the files of an owner again.
    fn raise_generation(&self, owner: &OwnerId) -> Result<(), StoreError> {
        let mut files = LockFiles::open(&self.home, owner)?;
        files.lock_exclusive(self.options.busy_timeout)?.raise_generation()
    }

    fn remove_files(&self, owner: &OwnerId) -> Result<(), StoreError> {
        let directory = self.home.owner(owner);
        match std::fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(file_error("removing", &directory, &error))
            }
            _ => Ok(()),
        }
    }

    fn add_open(&self, owner: &OwnerId, memory: OwnerMemory) -> Arc<OwnerMemory> {
        let memory = Arc::new(memory);
        let closed = self.open_owners().insert(owner, Arc::clone(&memory), self.options.owners_max);
        // Closing joins the writer thread, so it happens after the map's lock is released.
        drop(closed);
        memory
    }

    fn open_owners(&self) -> MutexGuard<'_, OpenOwners> {
        self.open_owners.lock()
    }

    fn lock_lifecycle(&self) -> MutexGuard<'_, ()> {
        self.lifecycle_lock.lock()
    }
}

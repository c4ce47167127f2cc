//! The store itself: opens the memories of owners on first use, keeps them open, and creates and
//! erases owners. It runs no statements on memories.

use crate::Options;
use crate::apply::erased;
use crate::control::ControlFile;
use crate::fault::file_error;
use crate::files::{Home, make_private_directory};
use crate::owner::{OwnerMemory, blocking};
use crate::shelf::Shelf;
use model::{Moment, OwnerId};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::StoreError;

/// A store in SQLite files below one directory. Clones share the open files.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    house: Arc<House>,
}

#[derive(Debug)]
struct House {
    home: Home,
    options: Options,
    control: ControlFile,
    open: Mutex<Shelf>,
    // Held while a memory is opened, created or erased, so that a process has each file open once:
    // group commit works only if all writes of a process go through one writer thread.
    at_the_door: Mutex<()>,
}

impl SqliteStore {
    /// Opens the store in a directory, creating both if they do not exist.
    ///
    /// # Errors
    /// Fails when the directory cannot be used, or its control file is damaged or too new.
    pub fn open(home: &Path, options: Options) -> Result<Self, StoreError> {
        let home = Home::at(home)?;
        let control = ControlFile::open(&home.control(), &options)?;
        let (open, at_the_door) = (Mutex::default(), Mutex::default());
        Ok(Self { house: Arc::new(House { home, options, control, open, at_the_door }) })
    }

    /// Returns the directory of one owner, for files that belong next to the memory, such as the
    /// snapshot of a search index.
    #[must_use]
    pub fn owner_dir(&self, owner: &OwnerId) -> PathBuf {
        self.house.home.owner(owner)
    }

    pub(crate) fn control(&self) -> &ControlFile {
        &self.house.control
    }

    /// Returns the memory of an owner, opening it if necessary.
    pub(crate) async fn memory(&self, owner: &OwnerId) -> Result<Arc<OwnerMemory>, StoreError> {
        // Opening may migrate the file, so only the lookup happens on the caller's thread.
        if let Some(memory) = self.house.known(owner) {
            return Ok(memory);
        }
        let (house, owner) = (Arc::clone(&self.house), owner.clone());
        blocking(move || house.open(&owner)).await
    }

    pub(crate) async fn create(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        let (house, owner) = (Arc::clone(&self.house), owner.clone());
        blocking(move || house.create(&owner, at)).await
    }

    pub(crate) async fn erase(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        // Marked first, through the open writer: other processes that have the file open see the
        // mark and stop writing into a file that is about to be deleted. A memory that cannot be
        // opened needs no mark, and must still be erasable.
        if let Ok(memory) = self.memory(owner).await {
            memory.writer.run(|database| erased::mark(&database.conn)).await?;
        }
        let (house, owner) = (Arc::clone(&self.house), owner.clone());
        blocking(move || house.erase(&owner)).await
    }
}

impl House {
    /// Returns the memory of an owner if it is open and was not erased.
    fn known(&self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.shelf().take(owner)
    }

    fn open(&self, owner: &OwnerId) -> Result<Arc<OwnerMemory>, StoreError> {
        let _door = self.door();
        // Another thread may have opened it while this one waited for the lock.
        if let Some(memory) = self.known(owner) {
            return Ok(memory);
        }
        if !self.control.has_owner(owner)? {
            return Err(StoreError::Failed { cause: format!("there is no owner {owner}") });
        }
        let memory = OwnerMemory::open(&self.home.memory(owner), &self.options)?;
        Ok(self.keep(owner, memory))
    }

    fn create(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        let _door = self.door();
        let open = self.known(owner).filter(|memory| memory.check().is_ok());
        if open.is_none() {
            let memory = match self.make_file(owner) {
                // An erasure that crashed before it deleted the files is finished here.
                Err(error) if erased::is(&error) => {
                    self.remove_files(owner)?;
                    self.make_file(owner)?
                }
                created => created?,
            };
            self.keep(owner, memory);
        }
        // Last, so that after a crash every listed owner has a file.
        self.control.add_owner(owner, at)
    }

    fn make_file(&self, owner: &OwnerId) -> Result<OwnerMemory, StoreError> {
        make_private_directory(&self.home.owner(owner))?;
        OwnerMemory::create(&self.home.memory(owner), &self.options)
    }

    fn erase(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let _door = self.door();
        // Closes the files, unless a call in progress still uses them; a write of such a call is
        // refused because of the mark.
        drop(self.shelf().remove(owner));
        // Credentials go first, so that no key leads to a half-erased memory. The owner leaves the
        // list last: after a crash in between it is still listed, and erasing again finishes.
        self.control.remove_credentials(owner)?;
        self.remove_files(owner)?;
        self.control.remove_owner(owner)
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

    fn keep(&self, owner: &OwnerId, memory: OwnerMemory) -> Arc<OwnerMemory> {
        let memory = Arc::new(memory);
        let closed = self.shelf().put(owner, Arc::clone(&memory), self.options.owners_max);
        // Closing joins the writer thread, so it happens after the map's lock is released.
        drop(closed);
        memory
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn door(&self) -> MutexGuard<'_, ()> {
        self.at_the_door.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

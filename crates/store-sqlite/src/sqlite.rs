//! The store itself: which owners there are, and their memories, opened when first asked for and
//! kept open.

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

/// The store in SQLite files below one directory.
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
    /// Held while a memory is opened or erased, so that a process has each file open once.
    at_the_door: Mutex<()>,
}

impl SqliteStore {
    /// Opens the store in a directory, making both if they are not there.
    ///
    /// # Errors
    /// When the directory cannot be used, or its control file is damaged or too new.
    pub fn open(home: &Path, options: Options) -> Result<Self, StoreError> {
        let home = Home::at(home)?;
        let control = ControlFile::open(&home.control(), &options)?;
        let (open, at_the_door) = (Mutex::default(), Mutex::default());
        Ok(Self { house: Arc::new(House { home, options, control, open, at_the_door }) })
    }

    /// The directory of one owner, for what belongs beside the memory, such as the snapshot of a
    /// view.
    #[must_use]
    pub fn owner_dir(&self, owner: &OwnerId) -> PathBuf {
        self.house.home.owner(owner)
    }

    pub(crate) fn control(&self) -> &ControlFile {
        &self.house.control
    }

    /// The memory of an owner.
    pub(crate) async fn memory(&self, owner: &OwnerId) -> Result<Arc<OwnerMemory>, StoreError> {
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
        // Marked first through the open writer, so that no process writes into a file that is about
        // to go.
        if let Ok(memory) = self.memory(owner).await {
            memory.writer.run(|database| erased::mark(&database.conn)).await?;
        }
        let (house, owner) = (Arc::clone(&self.house), owner.clone());
        blocking(move || house.erase(&owner)).await
    }
}

impl House {
    /// The memory of an owner, if it is open and nobody erased it.
    fn known(&self, owner: &OwnerId) -> Option<Arc<OwnerMemory>> {
        self.shelf().take(owner)
    }

    fn open(&self, owner: &OwnerId) -> Result<Arc<OwnerMemory>, StoreError> {
        let _door = self.door();
        if let Some(memory) = self.known(owner) {
            return Ok(memory);
        }
        if !self.control.has_owner(owner)? {
            return Err(StoreError::Failed { cause: format!("there is no owner {owner}") });
        }
        let memory = OwnerMemory::open(&self.home.memory(owner), &self.options)?;
        Ok(self.keep(owner, memory))
    }

    /// The file comes first: an owner in the list always has one.
    fn create(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        let _door = self.door();
        let open = self.known(owner).filter(|memory| memory.check().is_ok());
        if open.is_none() {
            let memory = match self.make_file(owner) {
                Err(error) if erased::is(&error) => {
                    self.remove_files(owner)?;
                    self.make_file(owner)?
                }
                made => made?,
            };
            self.keep(owner, memory);
        }
        self.control.add_owner(owner, at)
    }

    fn make_file(&self, owner: &OwnerId) -> Result<OwnerMemory, StoreError> {
        make_private_directory(&self.home.owner(owner))?;
        OwnerMemory::create(&self.home.memory(owner), &self.options)
    }

    /// The owner leaves the list last: after a crash in between, erasing again finishes it.
    fn erase(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let _door = self.door();
        drop(self.shelf().remove(owner));
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
        // Closing waits for the writer to finish, so it is done with the shelf free for others.
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

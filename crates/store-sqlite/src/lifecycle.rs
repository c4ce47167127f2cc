//! The lifecycle lock of an owner's files, which every process honours. It is held shared while a
//! process opens, writes or closes the files, and exclusively while others are put in their place.
//! The generation counts these replacements: whoever opened the files before one notices it with
//! the next call and opens the new ones. Reads take no lock; they see the files they have open.

use crate::error::file_error;
use crate::files::{StorePaths, create_private_directory};
use model::OwnerId;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};
use store::StoreError;

/// Pause between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(2);

/// The open lock files of one owner. Not shared by threads that lock: the operating system gives a
/// lock to an open file, so one of them would release the lock of the other.
#[derive(Debug)]
pub(crate) struct LockFiles {
    /// Passed by everybody on the way to `files`, so that a steady stream of writers cannot keep
    /// an exclusive lock away: whoever wants one closes the gate and waits for the rest.
    gate: File,
    files: File,
    generation: File,
}

impl LockFiles {
    /// Opens the lock files of an owner, creating them if they do not exist.
    pub(crate) fn open(home: &StorePaths, owner: &OwnerId) -> Result<Self, StoreError> {
        let directory = home.locks(owner);
        create_private_directory(&directory)?;
        let open = |name: &str| open_lock(&directory.join(name));
        Ok(Self { gate: open("gate")?, files: open("files")?, generation: open("generation")? })
    }

    /// Returns the number of times that the files were replaced.
    pub(crate) fn generation(&self) -> Result<u64, StoreError> {
        read_generation(&self.generation)
            .map_err(|error| file_error("reading", Path::new("generation"), &error))
    }

    /// Takes the lock shared, waiting for an exclusive one up to the timeout.
    pub(crate) fn lock_shared(&mut self, timeout: Duration) -> Result<SharedLock<'_>, StoreError> {
        let until = Instant::now() + timeout;
        wait_for(until, || self.gate.try_lock_shared())?;
        let locked = wait_for(until, || self.files.try_lock_shared());
        unlock(&self.gate);
        locked.map(|()| SharedLock(self))
    }

    /// Takes the lock exclusively, waiting for everybody else up to the timeout.
    pub(crate) fn lock_exclusive(
        &mut self,
        timeout: Duration,
    ) -> Result<ExclusiveLock<'_>, StoreError> {
        let until = Instant::now() + timeout;
        wait_for(until, || self.gate.try_lock())?;
        if let Err(error) = wait_for(until, || self.files.try_lock()) {
            unlock(&self.gate);
            return Err(error);
        }
        Ok(ExclusiveLock(self))
    }
}

/// The lock, held shared until it is dropped.
#[derive(Debug)]
pub(crate) struct SharedLock<'l>(&'l mut LockFiles);

impl SharedLock<'_> {
    /// Returns the number of times that the files were replaced.
    pub(crate) fn generation(&self) -> Result<u64, StoreError> {
        self.0.generation()
    }
}

impl Drop for SharedLock<'_> {
    fn drop(&mut self) {
        unlock(&self.0.files);
    }
}

/// The lock, held exclusively until it is dropped.
#[derive(Debug)]
pub(crate) struct ExclusiveLock<'l>(&'l mut LockFiles);

impl ExclusiveLock<'_> {
    /// Tells every process that has the files open to open them again.
    pub(crate) fn raise_generation(&self) -> Result<(), StoreError> {
        let next = self.0.generation()?.wrapping_add(1);
        let written = write_start(&self.0.generation, &next.to_le_bytes())
            .and_then(|()| self.0.generation.sync_all());
        written.map_err(|error| file_error("writing", Path::new("generation"), &error))
    }
}

impl Drop for ExclusiveLock<'_> {
    fn drop(&mut self) {
        unlock(&self.0.files);
        unlock(&self.0.gate);
    }
}

/// The claim of somebody who has opened an owner's files, with the generation of then.
#[derive(Debug)]
pub(crate) struct FileLease {
    home: StorePaths,
    owner: OwnerId,
    generation: u64,
    /// Looked at before each call, which waits for nobody.
    watched: File,
}

impl FileLease {
    /// Creates the lease of whoever opens the files in this generation.
    pub(crate) fn new(
        home: &StorePaths,
        owner: &OwnerId,
        generation: u64,
    ) -> Result<Self, StoreError> {
        let watched = open_lock(&home.locks(owner).join("generation"))?;
        Ok(Self { home: home.clone(), owner: owner.clone(), generation, watched })
    }

    /// Returns true while the files that were opened are those of the owner.
    pub(crate) fn is_current(&self) -> bool {
        // A generation that cannot be read proves nothing; whoever writes checks it again.
        read_generation(&self.watched).map_or(true, |now| now == self.generation)
    }

    /// Opens the lock files.
    pub(crate) fn open_lock(&self) -> Result<LockFiles, StoreError> {
        LockFiles::open(&self.home, &self.owner)
    }

    /// Opens one more file to lock, beside those of the lifecycle.
    pub(crate) fn open_lock_file(&self, name: &str) -> Result<File, StoreError> {
        open_lock(&self.home.locks(&self.owner).join(name))
    }

    /// Fails as busy when the files were replaced since they were opened.
    pub(crate) fn check(&self, lock: &SharedLock<'_>) -> Result<(), StoreError> {
        if lock.generation()? == self.generation { Ok(()) } else { Err(StoreError::Busy) }
    }

    /// Runs something under the shared lock, unless the files were replaced.
    pub(crate) fn with_shared<T>(
        &self,
        timeout: Duration,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut files = self.open_lock()?;
        let lock = files.lock_shared(timeout)?;
        self.check(&lock)?;
        work()
    }
}

/// The lock that only restores take, for as long as they run, so that there is one at a time.
#[derive(Debug)]
pub(crate) struct RestoreLock {
    // Held by being open.
    _file: File,
}

impl RestoreLock {
    /// Takes the lock; `None` when another process holds it.
    pub(crate) fn acquire(home: &StorePaths, owner: &OwnerId) -> Result<Option<Self>, StoreError> {
        let directory = home.locks(owner);
        create_private_directory(&directory)?;
        let path = directory.join("restore");
        let file = open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(file_error("locking", &path, &error)),
        }
    }
}

fn open_lock(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| file_error("opening", path, &error))
}

fn read_generation(file: &File) -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    let read = read_start(file, &mut bytes)?;
    // A new file is empty.
    Ok(if read < bytes.len() { 0 } else { u64::from_le_bytes(bytes) })
}

/// Tries to get a lock until a moment.
// By trying: waiting for a lock in the operating system has no timeout.
fn wait_for(
    until: Instant,
    mut attempt: impl FnMut() -> Result<(), TryLockError>,
) -> Result<(), StoreError> {
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy),
            Err(TryLockError::Error(error)) => {
                return Err(file_error("locking", Path::new("the lock file"), &error));
            }
        }
    }
}

fn unlock(file: &File) {
    // Fails only for a file that is not open; closing it unlocks it at the latest.
    let _ = file.unlock();
}

#[cfg(unix)]
pub(crate) fn read_start(file: &File, bytes: &mut [u8]) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, 0)
}

#[cfg(unix)]
pub(crate) fn write_start(file: &File, bytes: &[u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(windows)]
pub(crate) fn read_start(file: &File, bytes: &mut [u8]) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, 0)
}

#[cfg(windows)]
pub(crate) fn write_start(file: &File, bytes: &[u8]) -> std::io::Result<()> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, 0).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_TIME: Duration = Duration::ZERO;

    fn home() -> (tempfile::TempDir, StorePaths) {
        let directory = tempfile::tempdir().unwrap();
        let home = StorePaths::at(directory.path()).unwrap();
        (directory, home)
    }

    #[test]
    fn an_exclusive_lock_keeps_everybody_else_out_and_shared_ones_nobody() {
        let (_directory, home) = home();
        let me = OwnerId::me();
        let open = || LockFiles::open(&home, &me).unwrap();
        let (mut one, mut two, mut three) = (open(), open(), open());
        let shared = one.lock_shared(NO_TIME).unwrap();
        drop(two.lock_shared(NO_TIME).unwrap());
        assert!(matches!(three.lock_exclusive(NO_TIME), Err(StoreError::Busy)));
        drop(shared);
        let exclusive = three.lock_exclusive(NO_TIME).unwrap();
        assert!(matches!(one.lock_shared(NO_TIME), Err(StoreError::Busy)));
        assert!(matches!(two.lock_exclusive(NO_TIME), Err(StoreError::Busy)));
        drop(exclusive);
        one.lock_shared(NO_TIME).unwrap();
    }

    #[test]
    fn a_stream_of_writers_does_not_keep_an_exclusive_lock_away() {
        let (_directory, home) = home();
        let me = OwnerId::me();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut files = LockFiles::open(&home, &me).unwrap();
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        let lock = files.lock_shared(Duration::from_secs(20)).unwrap();
                        std::thread::sleep(Duration::from_millis(5));
                        drop(lock);
                    }
                });
            }
            let mut files = LockFiles::open(&home, &me).unwrap();
            for _ in 0..5 {
                drop(files.lock_exclusive(Duration::from_secs(5)).unwrap());
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    }

    #[test]
    fn a_lease_notices_that_the_files_were_replaced() {
        let (_directory, home) = home();
        let me = OwnerId::me();
        let mut files = LockFiles::open(&home, &me).unwrap();
        let lease = FileLease::new(&home, &me, 0).unwrap();
        lease.with_shared(NO_TIME, || Ok(())).unwrap();
        files.lock_exclusive(NO_TIME).unwrap().raise_generation().unwrap();
        assert!(!lease.is_current());
        assert!(matches!(lease.with_shared(NO_TIME, || Ok(())), Err(StoreError::Busy)));
        assert_eq!(files.generation().unwrap(), 1);
    }

    #[test]
    fn one_restore_runs_at_a_time() {
        let (_directory, home) = home();
        let me = OwnerId::me();
        let first = RestoreLock::acquire(&home, &me).unwrap();
        assert!(first.is_some() && RestoreLock::acquire(&home, &me).unwrap().is_none());
        drop(first);
        assert!(RestoreLock::acquire(&home, &me).unwrap().is_some());
    }
}

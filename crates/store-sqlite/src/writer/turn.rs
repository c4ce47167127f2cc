//! The turn of a process to write. SQLite's own lock goes to whoever tries at the right moment, so
//! one of many busy processes may wait for seconds. Here they queue: the operating system wakes who
//! waits for a file lock in the order of arrival. It only orders the writers; what keeps them apart
//! is still the lock of the database.

use crate::lifecycle::FileLease;
use std::fs::{File, TryLockError};
use std::sync::mpsc;
use std::time::Duration;
use store::StoreError;

/// The files that a process locks to get its turn. The turn belongs to who has locked `turn`. Who
/// waits for it holds `queue`, so that the last writer cannot take the next turn as well.
#[derive(Debug)]
pub(super) struct WriteQueue {
    queue: File,
    turn: File,
}

/// The turn of a process, until it is dropped.
#[derive(Debug)]
pub(super) struct WriteTurn(File);

impl WriteQueue {
    /// Opens the files; `None` where the system does not let them be created.
    pub(super) fn open(lease: &FileLease) -> Option<Self> {
        let open = |name| lease.open_lock_file(name).ok();
        Some(Self { queue: open("queue")?, turn: open("turn")? })
    }

    /// Waits for the turn, up to the timeout. Returns `None` where files cannot be locked, as on
    /// some network drives: writers then meet at the lock of the database.
    pub(super) fn wait(self, timeout: Duration) -> Result<Option<WriteTurn>, StoreError> {
        match self.try_take() {
            Ok(()) => Ok(Some(WriteTurn(self.turn))),
            Err(TryLockError::Error(_)) => Ok(None),
            Err(TryLockError::WouldBlock) => self.wait_in_thread(timeout),
        }
    }

    fn try_take(&self) -> Result<(), TryLockError> {
        self.queue.try_lock()?;
        let taken = self.turn.try_lock();
        // The turn is what counts; closing the file unlocks it at the latest.
        let _ = self.queue.unlock();
        taken
    }

    /// Waits on a thread, because the operating system knows no timeout for a file lock. If it
    /// comes too late, the thread closes the files, and the turn goes to the next.
    fn wait_in_thread(self, timeout: Duration) -> Result<Option<WriteTurn>, StoreError> {
        let (taken, wait) = mpsc::sync_channel(0);
        let spawned = std::thread::Builder::new().name("quipu-turn".to_owned()).spawn(move || {
            let turn = self.take().ok().map(|()| WriteTurn(self.turn));
            // Fails when nobody waits any more, which gives the turn back.
            let _ = taken.send(turn);
        });
        match spawned {
            Ok(_) => wait.recv_timeout(timeout).map_err(|_| StoreError::Busy),
            Err(_) => Ok(None),
        }
    }

    fn take(&self) -> std::io::Result<()> {
        lock(&self.queue)?;
        let taken = lock(&self.turn);
        let _ = self.queue.unlock();
        taken
    }
}

/// Locks a file, however often a signal interrupts it.
fn lock(file: &File) -> std::io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

impl Drop for WriteTurn {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::StorePaths;
    use crate::lifecycle::LockFiles;
    use model::OwnerId;
    use std::sync::atomic::{AtomicBool, Ordering};

    const LONG: Duration = Duration::from_secs(20);

    fn lease() -> (tempfile::TempDir, FileLease) {
        let directory = tempfile::tempdir().unwrap();
        let home = StorePaths::at(directory.path()).unwrap();
        LockFiles::open(&home, &OwnerId::me()).unwrap();
        let lease = FileLease::new(&home, &OwnerId::me(), 0).unwrap();
        (directory, lease)
    }

    fn wait(lease: &FileLease, timeout: Duration) -> Result<Option<WriteTurn>, StoreError> {
        WriteQueue::open(lease).unwrap().wait(timeout)
    }

    #[test]
    fn one_has_the_turn_at_a_time_and_who_waited_too_long_does_not_keep_it() {
        let (_directory, lease) = lease();
        let first = wait(&lease, LONG).unwrap().unwrap();
        for _ in 0..3 {
            let late = wait(&lease, Duration::from_millis(20));
            assert!(matches!(late, Err(StoreError::Busy)), "{late:?}");
        }
        drop(first);
        assert!(wait(&lease, LONG).unwrap().is_some());
        assert!(wait(&lease, LONG).unwrap().is_some());
    }

    #[test]
    fn who_waits_comes_before_who_just_wrote() {
        let (_directory, lease) = lease();
        let waited = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let first = wait(&lease, LONG).unwrap();
            scope.spawn(|| {
                let turn = wait(&lease, LONG).unwrap();
                waited.store(true, Ordering::SeqCst);
                drop(turn);
            });
            // The other one waits once its thread keeps the lock of the queue; before that, it
            // holds it for a moment to try.
            let queue = lease.open_lock_file("queue").unwrap();
            let mut refused = 0;
            while refused < 50 {
                let free = queue.try_lock().is_ok();
                refused = if free { 0 } else { refused + 1 };
                queue.unlock().unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
            drop(first);
            drop(wait(&lease, LONG).unwrap());
            assert!(waited.load(Ordering::SeqCst), "the second turn is that of who waited");
        });
    }
}

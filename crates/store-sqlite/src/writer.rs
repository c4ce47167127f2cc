//! The one thread of a process that writes an owner's file. It takes everything that is waiting and
//! commits it together; a single request is committed at once. It knows when transactions happen,
//! not what they change.

use crate::apply::erased;
use crate::fault::{Fault, store_error};
use crate::group::{self, Answer, BYTES_MAX, WORK_MAX, Work};
use crate::open::{self, Database, Role};
use crate::seals::Seals;
use crate::{Options, migrate, scrub};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use store::{Batch, Committed, Mark, Served, StoreError, Use, WriteError};
use tokio::sync::{mpsc, oneshot};

/// Maximum number of waiting requests; further callers wait to enqueue theirs.
// Four full groups; bounds the memory that waiting batches take.
const QUEUE_MAX: usize = 1_024;

/// Time that forgetting waits for readers to leave the write-ahead log that still has the text.
// Short, because every other write of the process waits meanwhile; an attempt that fails is
// repeated with the next write.
const SCRUB_PATIENCE: Duration = Duration::from_millis(250);

/// A handle on the writer thread.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

enum Job {
    Write(Work),
    Errand(Errand),
}

type Run = dyn FnOnce(&Database) -> rusqlite::Result<()> + Send;

/// A task for the writer thread, to be run outside of any transaction.
struct Errand {
    run: Box<Run>,
    answer: Answer<(), StoreError>,
}

impl Writer {
    /// Starts the thread on an open database. `erased` is set when another process erases the
    /// owner.
    pub(crate) fn start(
        database: Database,
        path: PathBuf,
        options: Options,
        seals: Seals,
        gone: Arc<AtomicBool>,
    ) -> Result<Self, StoreError> {
        let (jobs, waiting) = mpsc::channel(QUEUE_MAX);
        let desk = Desk { database: Some(database), path, options, seals, gone, scrub_due: false };
        let thread = std::thread::Builder::new()
            .name("quipu-writer".to_owned())
            .spawn(move || desk.work(waiting))
            .map_err(|error| StoreError::Failed {
                cause: format!("starting the writer: {error}"),
            })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Writes a batch and returns once it is on disk.
    pub(crate) async fn write(&self, batch: Batch) -> Result<Committed, WriteError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Write(Work::Batch(Box::new(batch), answer))).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Logs reads.
    pub(crate) async fn note_use(&self, uses: Vec<Use>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Write(Work::Uses(uses, answer))).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Adds to the usage counts of agents.
    pub(crate) async fn note_served(&self, served: Vec<Served>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Write(Work::Served(served, answer))).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Runs a task with the database between two transactions.
    pub(crate) async fn run(
        &self,
        errand: impl FnOnce(&Database) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Errand(Errand { run: Box::new(errand), answer })).await?;
        answered.await.map_err(|_| stopped())?
    }

    async fn hand_in(&self, job: Job) -> Result<(), StoreError> {
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(job).await.map_err(|_| stopped())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Closing the channel ends the thread's loop after the requests that are already in it.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // The thread catches panics of its work; if it panicked all the same, there is nobody
            // left to report it to.
            let _ = thread.join();
        }
    }
}

/// The outcome of each request of a group, and the checkpoint that is due after it.
type Applied = (Vec<Result<Option<Committed>, WriteError>>, Option<Mark>);

/// State of the writer thread.
struct Desk {
    // `None` after an error, until the file is opened again: after a failed sync the kernel may
    // have dropped dirty pages, so the connection's cache no longer matches the disk.
    database: Option<Database>,
    path: PathBuf,
    options: Options,
    seals: Seals,
    gone: Arc<AtomicBool>,
    /// True while forgotten text may still be in unused bytes of the files.
    scrub_due: bool,
}

impl Desk {
    fn work(mut self, mut waiting: mpsc::Receiver<Job>) {
        while let Some(first) = waiting.blocking_recv() {
            let (group, errand) = gather(first, &mut waiting);
            if !group.is_empty() {
                self.write(group);
            }
            if let Some(Errand { run, answer }) = errand {
                // The receiver is gone when the caller gave up waiting.
                let _ = answer.send(self.run(run));
            }
        }
    }

    fn write(&mut self, group: Vec<Work>) {
        match self.commit(&group) {
            Ok((outcomes, due)) => {
                // Scrubbed before the reply, so that the caller finds no trace of forgotten text.
                self.scrub_due |= group.iter().any(Work::forgets);
                self.scrub();
                group.into_iter().zip(outcomes).for_each(|(work, outcome)| work.answer(outcome));
                if let Some(Err(error)) = due.map(|mark| self.seals.add(&mark)) {
                    // Not fatal: the next checkpoint covers more events, and until then the signed
                    // head in the database protects the end of the chain.
                    tracing::warn!(
                        cause = error.cause(),
                        "could not write a checkpoint of the audit log"
                    );
                }
            }
            Err(error) => group.into_iter().for_each(|work| work.answer(Err(error.clone()))),
        }
    }

    /// Commits a group. An error means that nothing of the group was applied.
    fn commit(&mut self, group: &[Work]) -> Result<Applied, WriteError> {
        let seals = self.seals.clone();
        let database = self.database()?;
        // A panic in one request must not end the thread, on which all later writes depend.
        // `recover` discards the connection, so no broken state survives the unwind.
        let attempt =
            catch_unwind(AssertUnwindSafe(|| group::commit(&database.conn, &seals, group)));
        let fault = match attempt {
            Ok(Ok(outcomes)) => return Ok(outcomes),
            Ok(Err(fault)) => fault,
            Err(_) => {
                WriteError::Store(StoreError::Failed { cause: "the writer panicked".into() }).into()
            }
        };
        Err(self.recover(fault))
    }

    /// Rolls back, and closes the connection after anything worse than a lock or a full disk.
    fn recover(&mut self, fault: Fault) -> WriteError {
        let error = match fault {
            Fault::Sql(error) => WriteError::Store(store_error(&error)),
            Fault::Refused(error) => error,
        };
        if matches!(&error, WriteError::Store(store) if erased::is(store)) {
            self.gone.store(true, Ordering::Release);
        }
        let benign = matches!(error, WriteError::Store(StoreError::Busy | StoreError::Full));
        let clean = |database: &Database| {
            database.conn.is_autocommit() || database.conn.execute_batch("ROLLBACK").is_ok()
        };
        if !self.database.as_ref().is_some_and(clean) || !benign {
            tracing::warn!(cause = ?error, "the writer reopens its file after an error");
            self.database = None;
        }
        error
    }

    fn run(&mut self, errand: Box<Run>) -> Result<(), StoreError> {
        errand(self.database()?).map_err(|error| store_error(&error))
    }

    /// Returns the connection, reopening the file if necessary.
    fn database(&mut self) -> Result<&Database, StoreError> {
        // The path of an erased owner may belong to a new memory by now, so it is not reopened.
        if self.gone.load(Ordering::Acquire) {
            return Err(erased::error());
        }
        let database = match self.database.take() {
            Some(database) => database,
            None => open::open(&self.path, &migrate::MEMORY, Role::Write, &self.options)?,
        };
        Ok(self.database.insert(database))
    }

    /// Removes forgotten text from where SQLite leaves copies. If readers prevent it, the next
    /// write tries again.
    fn scrub(&mut self) {
        let Some(database) = self.database.as_ref().filter(|_| self.scrub_due) else { return };
        database.patience.set(SCRUB_PATIENCE);
        let clean = scrub::after_forgetting(&database.conn);
        database.patience.set(self.options.busy_timeout);
        self.scrub_due = !matches!(clean, Ok(true));
    }
}

/// Takes everything that is waiting, up to the limits of a group, or up to a task that must run
/// outside of a transaction.
fn gather(first: Job, waiting: &mut mpsc::Receiver<Job>) -> (Vec<Work>, Option<Errand>) {
    let (mut group, mut bytes) = (Vec::new(), 0);
    let mut next = Some(first);
    while let Some(job) = next {
        match job {
            Job::Errand(errand) => return (group, Some(errand)),
            Job::Write(work) => {
                bytes += work.bytes();
                group.push(work);
            }
        }
        let full = group.len() >= WORK_MAX || bytes >= BYTES_MAX;
        next = if full { None } else { waiting.try_recv().ok() };
    }
    (group, None)
}

fn stopped() -> StoreError {
    StoreError::Failed { cause: "the writer has stopped".to_owned() }
}

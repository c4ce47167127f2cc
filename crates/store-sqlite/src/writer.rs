//! The one thread of a process that writes an owner's file. It takes all that waits and commits it
//! together; what arrives alone is committed alone, at once.

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

/// Most pieces of work that wait; whoever brings more waits to hand it in.
const QUEUE_MAX: usize = 1_024;

/// How long forgetting waits for others to leave the write-ahead log that still holds the text.
const SCRUB_PATIENCE: Duration = Duration::from_millis(250);

/// The way to the writing thread.
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

/// Something to do on the writing thread, outside of any transaction.
struct Errand {
    run: Box<Run>,
    answer: Answer<(), StoreError>,
}

impl Writer {
    /// Starts the thread on an open database. `gone` is raised when another process erases the
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

    /// Writes a batch and answers once it is on disk.
    pub(crate) async fn write(&self, batch: Batch) -> Result<Committed, WriteError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Write(Work::Batch(Box::new(batch), answer))).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Notes what was read.
    pub(crate) async fn note_use(&self, uses: Vec<Use>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Write(Work::Uses(uses, answer))).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Counts what agents were given.
    pub(crate) async fn note_served(&self, served: Vec<Served>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.hand_in(Job::Write(Work::Served(served, answer))).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Does something with the database between two transactions.
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
    /// Lets the thread finish what was handed in and close the file.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // The thread catches panics of its work; if it ended otherwise there is nobody left to
            // tell.
            let _ = thread.join();
        }
    }
}

/// What came of each piece of a group, and the checkpoint that is due after it.
type Applied = (Vec<Result<Option<Committed>, WriteError>>, Option<Mark>);

/// What the writing thread works with.
struct Desk {
    /// `None` after a fault, until it is opened anew: what a failed sync left behind is not to be
    /// built on.
    database: Option<Database>,
    path: PathBuf,
    options: Options,
    seals: Seals,
    gone: Arc<AtomicBool>,
    /// Forgotten text may still be in bytes that nothing refers to.
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
                // One who gave up waiting is not missed.
                let _ = answer.send(self.run(run));
            }
        }
    }

    fn write(&mut self, group: Vec<Work>) {
        match self.commit(&group) {
            Ok((outcomes, due)) => {
                self.scrub_due |= group.iter().any(Work::forgets);
                self.scrub();
                group.into_iter().zip(outcomes).for_each(|(work, outcome)| work.answer(outcome));
                if let Some(Err(error)) = due.map(|mark| self.seals.add(&mark)) {
                    // The next one says more; until then the store's own note guards the end of the
                    // chain.
                    tracing::warn!(
                        cause = error.cause(),
                        "a checkpoint of the audit log could not be written"
                    );
                }
            }
            Err(error) => group.into_iter().for_each(|work| work.answer(Err(error.clone()))),
        }
    }

    /// An error means that nothing of the group was applied.
    fn commit(&mut self, group: &[Work]) -> Result<Applied, WriteError> {
        let seals = self.seals.clone();
        let database = self.database()?;
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

    /// Leaves no transaction open, and no connection that met anything worse than a lock or a full
    /// disk.
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
            tracing::warn!(cause = ?error, "the writer opens its file anew after a fault");
            self.database = None;
        }
        error
    }

    fn run(&mut self, errand: Box<Run>) -> Result<(), StoreError> {
        errand(self.database()?).map_err(|error| store_error(&error))
    }

    /// A file that was erased is not opened anew: another may have taken its place.
    fn database(&mut self) -> Result<&Database, StoreError> {
        if self.gone.load(Ordering::Acquire) {
            return Err(erased::error());
        }
        let database = match self.database.take() {
            Some(database) => database,
            None => open::open(&self.path, &migrate::MEMORY, Role::Write, &self.options)?,
        };
        Ok(self.database.insert(database))
    }

    /// Removes forgotten text from where SQLite leaves copies. When others are in the way
    /// it is tried again with the next write.
    fn scrub(&mut self) {
        let Some(database) = self.database.as_ref().filter(|_| self.scrub_due) else { return };
        database.patience.set(SCRUB_PATIENCE);
        let clean = scrub::after_forgetting(&database.conn);
        database.patience.set(self.options.busy_timeout);
        self.scrub_due = !matches!(clean, Ok(true));
    }
}

/// Everything that waits, up to a limit, or up to an errand that must be run outside of a
/// transaction.
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

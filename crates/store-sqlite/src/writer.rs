//! The one thread of a process that writes an owner's file. It takes everything that is waiting and
//! commits it together; a single request is committed at once. It knows when transactions happen,
//! not what they change. In between it removes the traces of erased text.

mod held_replies;
mod timed_receiver;
mod turn;

use crate::apply::{ChainRecords, erased};
use crate::audit_key::AuditKey;
use crate::connection::{self, ConnectionRole, Database};
use crate::error::{ApplyError, store_error};
use crate::group_commit::{self, BYTES_MAX, REQUESTS_MAX, ReplySender, WriteOutcome, WriteRequest};
use crate::lifecycle::{FileLease, LockFiles};
use crate::scrub::{self, ScrubProgress};
use crate::{Options, migrate};
use held_replies::HeldReplies;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use store::{Batch, CommittedBatch, ReadEvent, StoreError, UsageDelta, WriteError};
use timed_receiver::{ReceivedJob, TimedReceiver};
use tokio::sync::{mpsc, oneshot};
use tracing::Span;
use turn::{WriteQueue, WriteTurn};

/// Maximum number of waiting requests; further callers wait to enqueue theirs.
// Four full groups; bounds the memory that waiting batches take.
const QUEUE_MAX: usize = 1_024;

/// Pause between two attempts to remove traces that readers prevent; it doubles up to the maximum.
const SCRUB_PAUSE_FIRST: Duration = Duration::from_millis(50);
const SCRUB_PAUSE_MAX: Duration = Duration::from_secs(5);
/// Time that a process spends at its end on traces that are still owed.
// Whoever opens the file next goes on.
const SCRUB_AT_END_MAX: Duration = Duration::from_secs(2);

/// The file that a writer writes, and what belongs to it.
#[derive(Debug)]
pub(crate) struct WriterFiles {
    pub(crate) path: PathBuf,
    pub(crate) options: Options,
    pub(crate) audit_key: AuditKey,
    pub(crate) lease: Arc<FileLease>,
}

/// A handle on the writer thread.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<mpsc::Sender<WriterJob>>,
    thread: Option<JoinHandle<()>>,
}

enum WriterJob {
    /// A request, with the span that learns how many share its transaction.
    Write(WriteRequest, Span),
    Task(WriterTask),
}

type TaskFn = dyn FnOnce(&Database) -> rusqlite::Result<()> + Send;

/// A task for the writer thread, to be run outside of any transaction.
struct WriterTask {
    run: Box<TaskFn>,
    reply: ReplySender<(), StoreError>,
}

impl Writer {
    /// Starts the thread on an open database. `erased` is set when another process erases the
    /// owner.
    pub(crate) fn start(
        database: Database,
        files: WriterFiles,
        erased: Arc<AtomicBool>,
    ) -> Result<Self, StoreError> {
        let (jobs, waiting) = mpsc::channel(QUEUE_MAX);
        let state = WriterState {
            database: Some(database),
            lock: Some(files.lease.open_lock()?),
            files,
            erased,
            // A process that ended early may have left traces.
            scrub_due: Some(Instant::now()),
            scrub_pause: SCRUB_PAUSE_FIRST,
            held: HeldReplies::default(),
        };
        let thread = std::thread::Builder::new()
            .name("quipu-writer".to_owned())
            .spawn(move || state.run_loop(waiting))
            .map_err(|error| StoreError::Failed {
                cause: format!("starting the writer: {error}"),
            })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Writes a batch and returns once it is on disk.
    pub(crate) async fn write(&self, batch: Batch) -> Result<CommittedBatch, WriteError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue_write(WriteRequest::Batch(Box::new(batch), answer)).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Logs reads.
    pub(crate) async fn log_reads(&self, uses: Vec<ReadEvent>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue_write(WriteRequest::Reads(uses, answer)).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Adds to the usage counts of agents.
    pub(crate) async fn add_usage(&self, served: Vec<UsageDelta>) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue_write(WriteRequest::Usage(served, answer)).await?;
        answered.await.map_err(|_| stopped())?
    }

    /// Runs a task with the database between two transactions.
    pub(crate) async fn run(
        &self,
        task: impl FnOnce(&Database) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue(WriterJob::Task(WriterTask { run: Box::new(task), reply: answer })).await?;
        answered.await.map_err(|_| stopped())?
    }

    async fn enqueue_write(&self, request: WriteRequest) -> Result<(), StoreError> {
        self.enqueue(WriterJob::Write(request, Span::current())).await
    }

    async fn enqueue(&self, job: WriterJob) -> Result<(), StoreError> {
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

/// The outcome of each request of a group, and what is to be written outside of the database.
type CommittedGroup = (Vec<WriteOutcome>, ChainRecords);

/// State of the writer thread.
struct WriterState {
    // `None` after an error, until the file is opened again: after a failed sync the kernel may
    // have dropped dirty pages, so the connection's cache no longer matches the disk.
    database: Option<Database>,
    files: WriterFiles,
    // `None` while it is locked.
    lock: Option<LockFiles>,
    erased: Arc<AtomicBool>,
    /// Time of the next attempt to remove traces of erased text; `None` while none are owed.
    scrub_due: Option<Instant>,
    scrub_pause: Duration,
    held: HeldReplies,
}

impl WriterState {
    fn run_loop(mut self, waiting: mpsc::Receiver<WriterJob>) {
        let mut waiting = TimedReceiver::new(waiting);
        loop {
            match waiting.receive(self.next_scrub()) {
                ReceivedJob::Job(first) => self.work_on(first, &mut waiting),
                ReceivedJob::Nothing => self.scrub(),
                ReceivedJob::Closed => break,
            }
        }
        self.finish();
    }

    fn work_on(&mut self, first: WriterJob, waiting: &mut TimedReceiver<WriterJob>) {
        // What arrives while this process waits for its turn is committed along with the rest.
        let turn = self.wait_for_turn(&first);
        let (group, task) = next_group(first, waiting);
        match turn {
            Ok(_turn) if !group.is_empty() => self.write(group),
            Ok(_) => {}
            Err(error) => refuse(group, &error),
        }
        if let Some(WriterTask { run, reply: answer }) = task {
            // The receiver is gone when the caller gave up waiting.
            let _ = answer.send(self.run(run));
        }
        // A step after each group: a busy memory is never idle, and forgets all the same.
        if self.next_scrub().is_some_and(|due| due <= Instant::now()) {
            self.scrub();
        }
    }

    /// Waits until it is this process's turn to write, unless the job does not write.
    fn wait_for_turn(&self, first: &WriterJob) -> Result<Option<WriteTurn>, StoreError> {
        match first {
            WriterJob::Task(_) => Ok(None),
            WriterJob::Write(..) => WriteQueue::open(&self.files.lease)
                .map_or(Ok(None), |queue| queue.wait(self.files.options.busy_timeout)),
        }
    }

    /// Runs something under the shared lifecycle lock. Fails as busy when the files are being
    /// replaced or were.
    fn locked<T>(
        &mut self,
        timeout: Duration,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, StoreError> {
        let mut lock = match self.lock.take() {
            Some(lock) => lock,
            None => self.files.lease.open_lock()?,
        };
        let shared = lock.lock_shared(timeout);
        let outcome = shared.and_then(|shared| {
            self.files.lease.check(&shared)?;
            Ok(work(self))
        });
        self.lock = Some(lock);
        outcome
    }

    fn write(&mut self, group: Vec<WriteRequest>) {
        let mut waiting = Some(group);
        let written = self.locked(self.files.options.busy_timeout, |state| {
            if let Some(group) = waiting.take() {
                state.write_locked(group);
            }
        });
        if let Err(error) = written {
            refuse(waiting.unwrap_or_default(), &error);
        }
    }

    fn write_locked(&mut self, group: Vec<WriteRequest>) {
        match self.commit(&group) {
            Ok((outcomes, records)) => {
                // Before the replies, so that the kept head covers what was acknowledged.
                self.write_head(&records);
                self.reply(group, outcomes);
                self.write_checkpoint(&records);
            }
            Err(error) => group.into_iter().for_each(|request| request.reply(Err(error.clone()))),
        }
    }

    /// Writes the head of the audit chain. Not fatal: the next one covers more events, and until
    /// then the signed head in the database protects the end of the chain.
    fn write_head(&self, records: &ChainRecords) {
        let (Some(step), Some(database)) = (&records.step, &self.database) else { return };
        if let Err(error) = self.files.audit_key.advance_head(&database.conn, step) {
            tracing::warn!(cause = error.cause(), "could not write the head of the audit log");
        }
    }

    /// Writes the checkpoint that is due. Not fatal, for the same reason.
    fn write_checkpoint(&self, records: &ChainRecords) {
        let Some(mark) = &records.checkpoint else { return };
        if let Err(error) = self.files.audit_key.add_checkpoint(mark) {
            tracing::warn!(cause = error.cause(), "could not write a checkpoint of the audit log");
        }
    }

    /// Replies to a group. Who erased something hears of it once its traces are gone, or once it
    /// takes too long; nobody else waits for that.
    fn reply(&mut self, group: Vec<WriteRequest>, outcomes: Vec<WriteOutcome>) {
        for (request, outcome) in group.into_iter().zip(outcomes) {
            match outcome {
                Ok(Some(committed)) if request.forgets() => {
                    self.held.hold(request, committed);
                    self.scrub_due = Some(Instant::now());
                    self.scrub_pause = SCRUB_PAUSE_FIRST;
                }
                outcome => request.reply(outcome),
            }
        }
    }

    /// Commits a group. An error means that nothing of the group was applied.
    fn commit(&mut self, group: &[WriteRequest]) -> Result<CommittedGroup, WriteError> {
        let audit_key = self.files.audit_key.clone();
        let database = self.database()?;
        // A panic in one request must not end the thread, on which all later writes depend.
        // `recover` discards the connection, so no broken state survives the unwind.
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            group_commit::commit(&database.conn, &audit_key, group)
        }));
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
    fn recover(&mut self, fault: ApplyError) -> WriteError {
        let error = match fault {
            ApplyError::Sql(error) => WriteError::Store(store_error(&error)),
            ApplyError::Refused(error) => error,
        };
        if matches!(&error, WriteError::Store(store) if erased::is_erased(store)) {
            self.erased.store(true, Ordering::Release);
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

    fn run(&mut self, task: Box<TaskFn>) -> Result<(), StoreError> {
        let timeout = self.files.options.busy_timeout;
        self.locked(timeout, |state| task(state.database()?).map_err(|error| store_error(&error)))?
    }

    /// Returns the connection, reopening the file if necessary.
    fn database(&mut self) -> Result<&Database, StoreError> {
        // The path of an erased owner may belong to a new memory by now, so it is not reopened.
        if self.erased.load(Ordering::Acquire) {
            return Err(erased::error());
        }
        let database = match self.database.take() {
            Some(database) => database,
            None => connection::open(
                &self.files.path,
                &migrate::MEMORY,
                ConnectionRole::Write,
                &self.files.options,
            )?,
        };
        Ok(self.database.insert(database))
    }

    /// Returns when to go on without a job, if there is anything to do.
    fn next_scrub(&self) -> Option<Instant> {
        self.scrub_due.into_iter().chain(self.held.deadline()).min()
    }

    /// Makes a step of removing the traces of erased text, and replies to who waits for it.
    fn scrub(&mut self) {
        if self.scrub_due.is_some_and(|due| due <= Instant::now()) {
            self.scrub_due = self.scrub_step();
        }
        let owed = self.scrub_due.is_some();
        self.held.release(owed);
    }

    /// Makes a step and returns when the next one is due.
    fn scrub_step(&mut self) -> Option<Instant> {
        let step = |state: &mut Self| {
            let options = state.files.options.clone();
            state.database().map(|database| scrub::step(database, &options))
        };
        let progress = match self.locked(Duration::ZERO, step) {
            Ok(Ok(progress)) => progress,
            // Erased by another process, or not to be opened: whoever opens it next goes on.
            Ok(Err(_)) => return None,
            // Another process replaces the files.
            Err(_) => ScrubProgress::Blocked,
        };
        match progress {
            ScrubProgress::Done => None,
            ScrubProgress::More => Some(Instant::now()),
            ScrubProgress::Blocked => {
                let pause = self.scrub_pause;
                self.scrub_pause = (pause * 2).min(SCRUB_PAUSE_MAX);
                Some(Instant::now() + pause)
            }
        }
    }

    /// Goes on with what is owed for a short time, and replies to all who wait.
    fn finish(&mut self) {
        let since = Instant::now();
        while let Some(due) = self.scrub_due
            && since.elapsed() < SCRUB_AT_END_MAX
        {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            self.scrub();
        }
        self.held.release_all();
    }
}

impl Drop for WriterState {
    fn drop(&mut self) {
        let mut database = self.database.take();
        // Closing the last connection empties and deletes the write-ahead log by its name, which
        // belongs to another file once this one was replaced.
        let closed = self.locked(Duration::ZERO, |_| drop(database.take()));
        if let (Err(_), Some(database)) = (closed, database) {
            database.close_without_checkpoint();
        }
    }
}

/// Takes everything that is waiting, up to the limits of a group, or up to a task that must run
/// outside of a transaction.
fn next_group(
    first: WriterJob,
    waiting: &mut TimedReceiver<WriterJob>,
) -> (Vec<WriteRequest>, Option<WriterTask>) {
    let (mut group, mut bytes) = (Vec::new(), 0);
    let (mut spans, mut task) = (Vec::new(), None);
    let mut next = Some(first);
    while let Some(job) = next {
        match job {
            WriterJob::Task(first_task) => {
                task = Some(first_task);
                break;
            }
            WriterJob::Write(request, span) => {
                bytes += request.bytes();
                group.push(request);
                spans.push(span);
            }
        }
        let full = group.len() >= REQUESTS_MAX || bytes >= BYTES_MAX;
        next = if full { None } else { waiting.receive_waiting() };
    }
    for span in spans {
        span.record("group_size", group.len());
    }
    (group, task)
}

fn refuse(group: Vec<WriteRequest>, error: &StoreError) {
    group.into_iter().for_each(|request| request.reply(Err(error.clone().into())));
}

fn stopped() -> StoreError {
    StoreError::Failed { cause: "the writer has stopped".to_owned() }
}

//! Threads that run the SQL of callers, and nothing else: a few for the whole process, with a
//! bounded queue, so that no number of statements keeps other calls from a thread. A thread without
//! work ends after a while, and the last one to end has the copies dropped.

use engine_core::call::internal;
use model::{ErrorCode, Failure};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Maximum number of statements that run at once.
pub(super) const SQL_THREADS: usize = 2;
/// Maximum number of statements that wait for a thread.
const QUEUE_MAX: usize = 16;
/// Time without work after which a thread ends.
const IDLE_TIME: Duration = Duration::from_secs(60);

/// Work for one thread.
type SqlJob = Box<dyn FnOnce() + Send>;

/// The threads of a process. Clones share them.
#[derive(Clone)]
pub(super) struct SqlThreads(Arc<SqlQueue>);

struct SqlQueue {
    state: Mutex<SqlQueueState>,
    wake: Condvar,
    idle_time: Duration,
    /// Called when the last thread ends.
    at_rest: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct SqlQueueState {
    jobs: VecDeque<SqlJob>,
    threads: usize,
    idle: usize,
    /// Nobody will bring another job.
    closed: bool,
}

impl SqlThreads {
    /// Creates the queue. Threads are started on demand.
    pub fn new(at_rest: impl Fn() + Send + Sync + 'static) -> Self {
        Self::with_idle_time(IDLE_TIME, at_rest)
    }

    fn with_idle_time(idle_time: Duration, at_rest: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(SqlQueue {
            state: Mutex::default(),
            wake: Condvar::new(),
            idle_time,
            at_rest: Box::new(at_rest),
        }))
    }

    /// Runs something on one of the threads. It is skipped when the caller has gone by then.
    ///
    /// # Errors
    /// `rate_limited` when too much is waiting.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (sender, receiver) = oneshot::channel();
        self.enqueue(Box::new(move || {
            if !sender.is_closed() {
                // The caller may have gone meanwhile; then nobody wants the result.
                drop(sender.send(work()));
            }
        }))?;
        receiver.await.map_err(internal)
    }

    /// Ends the threads once their jobs are done.
    pub fn close(&self) {
        self.0.state.lock().closed = true;
        self.0.wake.notify_all();
    }

    fn enqueue(&self, job: SqlJob) -> Result<(), Failure> {
        let mut state = self.0.state.lock();
        if state.jobs.len() >= QUEUE_MAX {
            let message = format!(
                "{QUEUE_MAX} SQL statements are already waiting; wait 1 second, then call again"
            );
            return Err(Failure::new(ErrorCode::RateLimited, message));
        }
        state.jobs.push_back(job);
        if state.idle < state.jobs.len() && state.threads < SQL_THREADS {
            let queue = Arc::clone(&self.0);
            let thread = std::thread::Builder::new().name("quipu-sql".to_owned());
            match thread.spawn(move || queue.work()) {
                Ok(_) => state.threads += 1,
                // With another thread the job is only late.
                Err(error) if state.threads == 0 => {
                    state.jobs.pop_back();
                    return Err(internal(error));
                }
                Err(error) => tracing::warn!(%error, "no further SQL thread could be started"),
            }
        }
        drop(state);
        self.0.wake.notify_one();
        Ok(())
    }
}

impl SqlQueue {
    fn work(&self) {
        while let Some(job) = self.next_job() {
            // Unwind safety: a job owns all that it changes, and a lost result is an error.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
                tracing::error!("an SQL statement panicked");
            }
        }
    }

    /// Waits for the next job; `None` when the thread is to end.
    fn next_job(&self) -> Option<SqlJob> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state.idle += 1;
            let waited =
                !state.closed && !self.wake.wait_for(&mut state, self.idle_time).timed_out();
            state.idle -= 1;
            if !waited && state.jobs.is_empty() {
                state.threads -= 1;
                let is_last = state.threads == 0;
                drop(state);
                if is_last {
                    (self.at_rest)();
                }
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Barrier, mpsc};

    #[tokio::test]
    async fn a_job_runs_on_a_thread_of_its_own_and_a_panic_ends_only_the_job() {
        let threads = SqlThreads::new(|| {});
        let here = std::thread::current().id();
        assert_ne!(threads.run(|| std::thread::current().id()).await.unwrap(), here);
        #[allow(clippy::panic, reason = "a panic is what this job is there for")]
        let fallen = threads.run(|| panic!("falls")).await;
        assert!(fallen.is_err());
        assert_eq!(threads.run(|| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn few_jobs_run_at_once_and_no_more_wait_than_the_queue_holds() {
        let threads = SqlThreads::new(|| {});
        let (started, barrier) = (Arc::new(AtomicUsize::new(0)), Arc::new(Barrier::new(3)));
        let mut calls = Vec::new();
        for _ in 0..SQL_THREADS + QUEUE_MAX {
            let (begun, barrier, threads) =
                (Arc::clone(&started), Arc::clone(&barrier), threads.clone());
            let number = calls.len();
            let work = move || {
                begun.fetch_add(1, Ordering::SeqCst);
                if number < SQL_THREADS {
                    barrier.wait();
                }
            };
            calls.push(tokio::spawn(async move { threads.run(work).await }));
            while number < SQL_THREADS && started.load(Ordering::SeqCst) <= number {
                tokio::task::yield_now().await;
            }
        }
        while threads.0.state.lock().jobs.len() < QUEUE_MAX {
            tokio::task::yield_now().await;
        }
        assert_eq!(started.load(Ordering::SeqCst), SQL_THREADS);
        let refused = threads.run(|| ()).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::RateLimited);
        barrier.wait();
        for call in calls {
            call.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn threads_end_when_they_are_idle_and_come_back_on_demand() {
        let (sender, at_rest) = mpsc::channel();
        let threads = SqlThreads::with_idle_time(Duration::from_millis(1), move || {
            _ = sender.send(());
        });
        threads.run(|| ()).await.unwrap();
        at_rest.recv().unwrap();
        assert_eq!(threads.0.state.lock().threads, 0);
        assert_eq!(threads.run(|| 7).await.unwrap(), 7);
    }
}

//! The channel of jobs, with a time at which the thread goes on without one.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;
use tokio::sync::mpsc;

/// Result of waiting for a job.
pub(super) enum ReceivedJob<T> {
    Job(T),
    /// The time is over.
    Nothing,
    /// There will be no further job.
    Closed,
}

/// A receiver that one thread waits on.
pub(super) struct TimedReceiver<T> {
    jobs: mpsc::Receiver<T>,
    waker: Waker,
}

/// Wakes a thread that is parked.
struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<T> TimedReceiver<T> {
    /// Makes a receiver for the current thread.
    pub fn new(jobs: mpsc::Receiver<T>) -> Self {
        Self { jobs, waker: Arc::new(ThreadWaker(std::thread::current())).into() }
    }

    /// Waits for a job, at most until `until`.
    pub fn receive(&mut self, until: Option<Instant>) -> ReceivedJob<T> {
        loop {
            let mut context = Context::from_waker(&self.waker);
            match self.jobs.poll_recv(&mut context) {
                Poll::Ready(Some(job)) => return ReceivedJob::Job(job),
                Poll::Ready(None) => return ReceivedJob::Closed,
                Poll::Pending => {}
            }
            // A job that came in between has left a token, with which parking returns at once.
            match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => std::thread::park(),
                Some(left) if left.is_zero() => return ReceivedJob::Nothing,
                Some(left) => std::thread::park_timeout(left),
            }
        }
    }

    /// Returns a job that is waiting already.
    pub fn receive_waiting(&mut self) -> Option<T> {
        self.jobs.try_recv().ok()
    }
}

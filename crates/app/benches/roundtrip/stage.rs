//! Where calls run: an event loop as `quipu mcp` has one and `quipu serve` has several, on a thread
//! of its own. Whoever calls stands on another thread, so that the CPU of the two can be told
//! apart.

use std::time::Duration;
use testkit::bench::{cpu, cpu_here};
use tokio::runtime::{Builder, Handle};

/// How long the threads of a stage may go on with a call after its answer: what they do then
/// belongs to it too.
const SETTLED: Duration = Duration::from_millis(1);

/// A runtime that runs until the process ends.
pub struct Stage {
    handle: Handle,
}

/// The CPU that a call took.
#[derive(Clone, Copy)]
pub struct Spent {
    /// By all threads but the caller's.
    pub server: Duration,
    /// By the caller's thread.
    pub client: Duration,
}

impl Stage {
    /// One thread.
    pub fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        Self { handle }
    }

    /// Runs something there, and waits for it here.
    pub fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.handle.block_on(self.handle.spawn(work)).expect("the work ends")
    }

    /// Starts something there that goes on by itself.
    pub fn start(&self, work: impl Future<Output: Send + 'static> + Send + 'static) {
        drop(self.handle.spawn(work));
    }
}

/// What a call from this thread costs, with what is left to do after its answer.
pub fn spent<T>(call: impl FnOnce() -> T) -> Spent {
    let (all, here) = (cpu(), cpu_here());
    std::hint::black_box(call());
    let client = cpu_here() - here;
    std::thread::sleep(SETTLED);
    let (all, here) = (cpu() - all, cpu_here() - here);
    Spent { server: all.saturating_sub(here), client }
}

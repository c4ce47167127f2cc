//! A runtime on a thread of its own, as in `quipu mcp`. The caller is on another thread, so that
//! the CPU time of server and client can be measured separately.

use std::time::Duration;
use testkit::bench::{process_cpu_time, thread_cpu_time};
use tokio::runtime::{Builder, Handle};

/// Time that the server threads get to finish a call after its answer; that work counts as its
/// cost.
const SETTLE_TIME: Duration = Duration::from_millis(1);

/// A runtime that runs until the process ends.
pub struct ServerRuntime {
    handle: Handle,
}

/// CPU time of a call.
#[derive(Clone, Copy)]
pub struct CpuTime {
    /// CPU time of all threads but the caller's.
    pub server: Duration,
    /// CPU time of the caller's thread.
    pub client: Duration,
}

impl ServerRuntime {
    /// Starts a single-threaded runtime.
    pub fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let handle = runtime.handle().clone();
        std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
        Self { handle }
    }

    /// Runs a future on the runtime and waits for its output.
    pub fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        self.handle.block_on(self.handle.spawn(work)).expect("the work ends")
    }

    /// Starts a future on the runtime without waiting for it.
    pub fn start(&self, work: impl Future<Output: Send + 'static> + Send + 'static) {
        drop(self.handle.spawn(work));
    }
}

/// Measures the CPU time of a call from this thread, including the server's work after its answer.
pub fn measure_cpu<T>(call: impl FnOnce() -> T) -> CpuTime {
    let (all, here) = (process_cpu_time(), thread_cpu_time());
    std::hint::black_box(call());
    let client = thread_cpu_time() - here;
    std::thread::sleep(SETTLE_TIME);
    let (all, here) = (process_cpu_time() - all, thread_cpu_time() - here);
    CpuTime { server: all.saturating_sub(here), client }
}

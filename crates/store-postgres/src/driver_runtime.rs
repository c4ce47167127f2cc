//! The runtime that drives the connections. It is the store's own, so that connections outlive the
//! runtime of whoever called first, and no busy caller holds up their answers.

use store::StoreError;
use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime of one thread for connections, and of threads that may block for transactions.
pub(crate) struct DriverRuntime(Option<Runtime>, Handle);

impl DriverRuntime {
    /// Starts the runtime.
    pub(crate) fn start(connections_max: usize) -> Result<Self, StoreError> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).max_blocking_threads(connections_max.max(1) + 1);
        let runtime = builder.thread_name("quipu-postgres").enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::Failed {
            cause: format!("starting the runtime of the database: {error}"),
        })?;
        let handle = runtime.handle().clone();
        Ok(Self(Some(runtime), handle))
    }

    /// Returns a handle to run something on.
    pub(crate) fn handle(&self) -> &Handle {
        &self.1
    }
}

impl Drop for DriverRuntime {
    fn drop(&mut self) {
        // Without waiting: the last user may be a task of another runtime, which must not block.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs something on a runtime and waits for it from another.
pub(crate) async fn run_on<T: Send + 'static>(
    runtime: &Handle,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, StoreError> {
    let stopped = |error: tokio::task::JoinError| StoreError::Failed { cause: error.to_string() };
    runtime.spawn(work).await.map_err(stopped)
}

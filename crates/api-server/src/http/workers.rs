//! Worker threads that serve connections, each with an event loop of its own. The many small steps
//! of one request, for which rmcp alone spawns four tasks, then wake no other thread; that took a
//! quarter of what HTTP adds to a call. Connections are assigned round-robin and stay on their
//! thread, so work that keeps a core busy for long belongs on blocking threads.

use super::connection;
use super::connection_table::AdmittedConnection;
use super::service::HttpService;
use crate::admission::call_permits;
use std::io;
use std::sync::Arc;
use std::thread;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connection on its way to a worker.
type AssignedConnection = (std::net::TcpStream, AdmittedConnection);

/// Receiver of the connections assigned to a worker.
type ConnectionReceiver = mpsc::UnboundedReceiver<AssignedConnection>;

/// Worker threads of one server.
pub(super) struct WorkerPool {
    workers: Vec<Worker>,
    next_worker: usize,
}

/// Handle of one worker thread.
struct Worker {
    connections: mpsc::UnboundedSender<AssignedConnection>,
    ended: oneshot::Receiver<io::Result<()>>,
}

impl WorkerPool {
    /// Starts one worker for each call that may run and one more. They accept nothing new once
    /// `stopping` is cancelled.
    pub fn start(service: &HttpService, stopping: &CancellationToken) -> io::Result<Self> {
        // The one more answers cheap requests while all permits are taken by running calls.
        let workers =
            (0..=call_permits()).map(|_| Worker::start(service.clone(), stopping.clone()));
        Ok(Self { workers: workers.collect::<io::Result<_>>()?, next_worker: 0 })
    }

    /// Assigns a connection to the next worker.
    pub fn dispatch(&mut self, stream: TcpStream, admitted: AdmittedConnection) {
        // Answers are small and sent in one piece; waiting to fill a packet would only delay them.
        let released = stream.set_nodelay(true).and_then(|()| stream.into_std());
        let mut assigned = match released {
            Ok(stream) => (stream, admitted),
            Err(error) => {
                return tracing::debug!(%error, "a connection was lost before it was served");
            }
        };
        for _ in 0..self.workers.len() {
            let worker = &self.workers[self.next_worker % self.workers.len()];
            self.next_worker = self.next_worker.wrapping_add(1);
            match worker.connections.send(assigned) {
                Ok(()) => return,
                // This worker has ended; try the next one.
                Err(back) => assigned = back.0,
            }
        }
    }

    /// Waits until all workers have ended, and returns the error of one that failed.
    pub async fn join(self) -> io::Result<()> {
        for worker in self.workers {
            worker.ended.await.unwrap_or(Ok(()))?;
        }
        Ok(())
    }
}

impl Worker {
    fn start(service: HttpService, stopping: CancellationToken) -> io::Result<Self> {
        // Unbounded, so that accepting never waits for one busy worker.
        let (sender, receiver) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        thread::Builder::new().name("quipu-http".to_owned()).spawn(move || {
            let outcome = run_worker(receiver, &service, &stopping)
                .inspect_err(|error| tracing::error!(%error, "an HTTP worker thread failed"));
            // The receiver is gone when the grace period is over.
            drop(end.send(outcome));
        })?;
        Ok(Self { connections: sender, ended })
    }
}

fn run_worker(
    incoming: ConnectionReceiver,
    service: &HttpService,
    stopping: &CancellationToken,
) -> io::Result<()> {
    let runtime =
        Builder::new_current_thread().enable_all().thread_name("quipu-blocking").build()?;
    runtime.block_on(serve_connections(incoming, service, stopping));
    Ok(())
}

/// Serves every assigned connection. Once stopping, waits until all of them have ended.
async fn serve_connections(
    mut incoming: ConnectionReceiver,
    service: &HttpService,
    stopping: &CancellationToken,
) {
    let connections = TaskTracker::new();
    while let Some(Some((stream, admitted))) = stopping.run_until_cancelled(incoming.recv()).await {
        // `into_std` on the accepting side and `from_std` here move the socket between event loops.
        match TcpStream::from_std(stream) {
            Ok(stream) => drop(connections.spawn(serve_admitted(
                stream,
                admitted,
                service.clone(),
                stopping.clone(),
            ))),
            Err(error) => tracing::debug!(%error, "a connection was lost before it was served"),
        }
    }
    connections.close();
    connections.wait().await;
}

/// Serves a connection, and makes room for another when it has ended.
async fn serve_admitted(
    stream: TcpStream,
    admitted: AdmittedConnection,
    service: HttpService,
    stopping: CancellationToken,
) {
    let service = service.for_connection(&admitted);
    connection::serve(stream, service, Arc::clone(&admitted.activity), stopping).await;
}

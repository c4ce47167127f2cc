//! Worker threads that serve connections, each with an event loop of its own. The many small steps
//! of one request, for which rmcp alone spawns four tasks, then wake no other thread; that took a
//! quarter of what HTTP adds to a call. Connections are assigned round-robin and stay on their
//! thread, so work that keeps a core busy for long belongs on blocking threads.

use super::service::HttpService;
use crate::admission::call_permits;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::pin;
use std::thread;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Receiver of the connections assigned to a worker.
type ConnectionReceiver = mpsc::UnboundedReceiver<std::net::TcpStream>;

/// Worker threads of one server.
pub(super) struct WorkerPool {
    workers: Vec<Worker>,
    next_worker: usize,
}

/// Handle of one worker thread.
struct Worker {
    connections: mpsc::UnboundedSender<std::net::TcpStream>,
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
    pub fn dispatch(&mut self, stream: TcpStream) {
        // Answers are small and sent in one piece; waiting to fill a packet would only delay them.
        let released = stream.set_nodelay(true).and_then(|()| stream.into_std());
        let mut stream = match released {
            Ok(stream) => stream,
            Err(error) => {
                return tracing::debug!(%error, "a connection was lost before it was served");
            }
        };
        for _ in 0..self.workers.len() {
            let worker = &self.workers[self.next_worker % self.workers.len()];
            self.next_worker = self.next_worker.wrapping_add(1);
            match worker.connections.send(stream) {
                Ok(()) => return,
                // This worker has ended; try the next one.
                Err(back) => stream = back.0,
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
    while let Some(Some(stream)) = stopping.run_until_cancelled(incoming.recv()).await {
        // `into_std` on the accepting side and `from_std` here move the socket between event loops.
        match TcpStream::from_std(stream) {
            Ok(stream) => drop(connections.spawn(serve_connection(
                stream,
                service.for_connection(),
                stopping.clone(),
            ))),
            Err(error) => tracing::debug!(%error, "a connection was lost before it was served"),
        }
    }
    connections.close();
    connections.wait().await;
}

/// Serves a connection until either side closes it. Once stopping, the request in progress is the
/// last.
async fn serve_connection(stream: TcpStream, service: HttpService, stopping: CancellationToken) {
    let mut connection =
        pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended with an error");
    }
}

//! Worker threads that serve connections, each with an event loop of its own. The many small steps
//! of one request, for which rmcp alone spawns four tasks, then wake no other thread; that took a
//! quarter of what HTTP adds to a call. Connections are assigned round-robin and stay on their
//! thread, so work that keeps a core busy for long belongs on blocking threads.

use super::gated::Gated;
use crate::lanes::places;
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
type Given = mpsc::UnboundedReceiver<std::net::TcpStream>;

/// Worker threads of one server.
pub(super) struct Fronts {
    fronts: Vec<Front>,
    next: usize,
}

/// Handle of one worker thread.
struct Front {
    dealt: mpsc::UnboundedSender<std::net::TcpStream>,
    ended: oneshot::Receiver<io::Result<()>>,
}

impl Fronts {
    /// Starts one worker for each call that may run and one more. They accept nothing new once
    /// `stopping` is cancelled.
    pub fn start(service: &Gated, stopping: &CancellationToken) -> io::Result<Self> {
        // The one more answers cheap requests while all permits are taken by running calls.
        let workers = (0..=places()).map(|_| Front::start(service.clone(), stopping.clone()));
        Ok(Self { fronts: workers.collect::<io::Result<_>>()?, next: 0 })
    }

    /// Assigns a connection to the next worker.
    pub fn deal(&mut self, stream: TcpStream) {
        // Answers are small and sent in one piece; waiting to fill a packet would only delay them.
        let released = stream.set_nodelay(true).and_then(|()| stream.into_std());
        let mut stream = match released {
            Ok(stream) => stream,
            Err(error) => {
                return tracing::debug!(%error, "a connection was lost before it was served");
            }
        };
        for _ in 0..self.fronts.len() {
            let worker = &self.fronts[self.next % self.fronts.len()];
            self.next = self.next.wrapping_add(1);
            match worker.dealt.send(stream) {
                Ok(()) => return,
                // This worker has ended; try the next one.
                Err(back) => stream = back.0,
            }
        }
    }

    /// Waits until all workers have ended, and returns the error of one that failed.
    pub async fn ended(self) -> io::Result<()> {
        for worker in self.fronts {
            worker.ended.await.unwrap_or(Ok(()))?;
        }
        Ok(())
    }
}

impl Front {
    fn start(service: Gated, stopping: CancellationToken) -> io::Result<Self> {
        // Unbounded, so that accepting never waits for one busy worker.
        let (sender, receiver) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        thread::Builder::new().name("quipu-http".to_owned()).spawn(move || {
            let outcome = served(receiver, &service, &stopping)
                .inspect_err(|error| tracing::error!(%error, "an HTTP worker thread failed"));
            // The receiver is gone when the grace period is over.
            drop(end.send(outcome));
        })?;
        Ok(Self { dealt: sender, ended })
    }
}

fn served(incoming: Given, service: &Gated, stopping: &CancellationToken) -> io::Result<()> {
    let runtime =
        Builder::new_current_thread().enable_all().thread_name("quipu-blocking").build()?;
    runtime.block_on(take_in(incoming, service, stopping));
    Ok(())
}

/// Serves every assigned connection. Once stopping, waits until all of them have ended.
async fn take_in(mut incoming: Given, service: &Gated, stopping: &CancellationToken) {
    let connections = TaskTracker::new();
    while let Some(Some(stream)) = stopping.run_until_cancelled(incoming.recv()).await {
        // `into_std` on the accepting side and `from_std` here move the socket between event loops.
        match TcpStream::from_std(stream) {
            Ok(stream) => {
                drop(connections.spawn(answered(stream, service.clone(), stopping.clone())))
            }
            Err(error) => tracing::debug!(%error, "a connection was lost before it was served"),
        }
    }
    connections.close();
    connections.wait().await;
}

/// Serves a connection until either side closes it. Once stopping, the request in progress is the
/// last.
async fn answered(stream: TcpStream, service: Gated, stopping: CancellationToken) {
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

//! The threads that answer connections, each with an event loop of its own. The many small steps of
//! one request, for which rmcp alone starts four tasks, then wake no other thread: that took a
//! quarter of what HTTP adds to a call. Connections are dealt out in turn and stay where they are,
//! so whatever keeps a core busy for long belongs on the threads that may block.

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

/// The connections that a thread is given.
type Given = mpsc::UnboundedReceiver<std::net::TcpStream>;

/// The threads of one server.
pub(super) struct Fronts {
    fronts: Vec<Front>,
    next: usize,
}

/// One of them.
struct Front {
    dealt: mpsc::UnboundedSender<std::net::TcpStream>,
    ended: oneshot::Receiver<io::Result<()>>,
}

impl Fronts {
    /// One for each call that may run and one besides, which take in no more once `stopping` is
    /// cancelled.
    pub fn start(gated: &Gated, stopping: &CancellationToken) -> io::Result<Self> {
        let fronts = (0..=places()).map(|_| Front::start(gated.clone(), stopping.clone()));
        Ok(Self { fronts: fronts.collect::<io::Result<_>>()?, next: 0 })
    }

    /// Gives a connection to the next thread.
    pub fn deal(&mut self, stream: TcpStream) {
        // Answers are small and leave in one piece; waiting to fill a packet would only delay them.
        let released = stream.set_nodelay(true).and_then(|()| stream.into_std());
        let mut dealt = match released {
            Ok(stream) => stream,
            Err(error) => return tracing::debug!(%error, "a connection was lost on the way"),
        };
        for _ in 0..self.fronts.len() {
            let front = &self.fronts[self.next % self.fronts.len()];
            self.next = self.next.wrapping_add(1);
            match front.dealt.send(dealt) {
                Ok(()) => return,
                // A thread that has ended takes none; another does.
                Err(back) => dealt = back.0,
            }
        }
    }

    /// Waits until all of them have ended, and tells what ended one that should have gone on.
    pub async fn ended(self) -> io::Result<()> {
        for front in self.fronts {
            front.ended.await.unwrap_or(Ok(()))?;
        }
        Ok(())
    }
}

impl Front {
    fn start(gated: Gated, stopping: CancellationToken) -> io::Result<Self> {
        let (dealt, given) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        thread::Builder::new().name("quipu-front".to_owned()).spawn(move || {
            let served = served(given, &gated, &stopping)
                .inspect_err(|error| tracing::error!(%error, "a thread that answers has ended"));
            // Nobody waits any more where the time to end has passed.
            drop(end.send(served));
        })?;
        Ok(Self { dealt, ended })
    }
}

fn served(given: Given, gated: &Gated, stopping: &CancellationToken) -> io::Result<()> {
    let runtime =
        Builder::new_current_thread().enable_all().thread_name("quipu-blocking").build()?;
    runtime.block_on(take_in(given, gated, stopping));
    Ok(())
}

/// Answers every connection that it is given, and once it should stop, waits until all of them have
/// ended.
async fn take_in(mut given: Given, gated: &Gated, stopping: &CancellationToken) {
    let connections = TaskTracker::new();
    while let Some(Some(stream)) = stopping.run_until_cancelled(given.recv()).await {
        match TcpStream::from_std(stream) {
            Ok(stream) => {
                drop(connections.spawn(answered(stream, gated.clone(), stopping.clone())))
            }
            Err(error) => tracing::debug!(%error, "a connection was lost on the way"),
        }
    }
    connections.close();
    connections.wait().await;
}

/// Answers what comes on a connection until either side ends it. Once we should stop, what is under
/// way is the last.
async fn answered(stream: TcpStream, gated: Gated, stopping: CancellationToken) {
    let mut connection = pin!(http1::Builder::new().serve_connection(TokioIo::new(stream), gated));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

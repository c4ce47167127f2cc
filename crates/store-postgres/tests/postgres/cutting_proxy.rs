//! A proxy in front of the database that cuts all its connections when a given piece of data
//! passes, lets data pass a few bytes at a time, or holds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Bytes that pass at once unless a test asks for fewer.
const BUFFER_BYTES: usize = 16 * 1024;

/// The moment of a cut: before or after the piece is passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutPoint {
    Before,
    After,
}

/// A running proxy.
pub(crate) struct CuttingProxy {
    address: String,
    state: Arc<ProxyState>,
}

struct ProxyState {
    /// Pieces that still pass before the cut.
    left: AtomicUsize,
    after: AtomicBool,
    cut: AtomicBool,
    held: AtomicBool,
    /// Bytes that pass at a time.
    bytes: AtomicUsize,
    /// Number of cuts so far; connections of an earlier number end.
    generation: watch::Sender<usize>,
}

impl CuttingProxy {
    /// Starts a proxy in front of the database of an address.
    pub(crate) async fn start(direct: &str) -> Self {
        let (user, rest) = direct.split_once('@').expect("an address with a user");
        let (host, database) = rest.split_once('/').expect("an address with a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(ProxyState {
            left: AtomicUsize::new(usize::MAX),
            after: AtomicBool::new(false),
            cut: AtomicBool::new(false),
            held: AtomicBool::new(false),
            bytes: AtomicUsize::new(BUFFER_BYTES),
            generation: watch::channel(0).0,
        });
        tokio::spawn(accept(listener, host.to_owned(), Arc::clone(&state)));
        Self { address: format!("{user}@127.0.0.1:{port}/{database}"), state }
    }

    /// Returns the address of the database behind the proxy.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Cuts all connections when the piece of this number passes, counted from 1.
    pub(crate) fn cut_at(&self, piece: usize, when: CutPoint) {
        self.state.after.store(when == CutPoint::After, Ordering::SeqCst);
        self.state.cut.store(false, Ordering::SeqCst);
        self.state.left.store(piece, Ordering::SeqCst);
    }

    /// Holds all data, as a network does that is lost for a while, or lets it pass again.
    pub(crate) fn hold(&self, is_held: bool) {
        self.state.held.store(is_held, Ordering::SeqCst);
    }

    /// Lets so many bytes pass at a time from now on.
    pub(crate) fn pass_in_pieces_of(&self, bytes: usize) {
        self.state.bytes.store(bytes, Ordering::SeqCst);
    }

    /// Returns whether the cut took place.
    pub(crate) fn has_cut(&self) -> bool {
        self.state.cut.load(Ordering::SeqCst)
    }
}

impl ProxyState {
    /// Counts a piece. Returns true for the one at which to cut.
    fn is_last(&self) -> bool {
        let count = |left: usize| match left {
            usize::MAX | 0 => None,
            left => Some(left - 1),
        };
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count) == Ok(1)
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
        self.generation.send_modify(|generation| *generation += 1);
    }
}

async fn accept(listener: TcpListener, host: String, state: Arc<ProxyState>) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = TcpStream::connect(&host).await else { continue };
        let ((client_in, client_out), (server_in, server_out)) =
            (client.into_split(), server.into_split());
        tokio::spawn(pass(client_in, server_out, Arc::clone(&state)));
        tokio::spawn(pass(server_in, client_out, Arc::clone(&state)));
    }
}

/// Passes data on until the connection ends or is cut.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, state: Arc<ProxyState>) {
    let (mut buffer, mut cuts) = ([0; BUFFER_BYTES], state.generation.subscribe());
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read.unwrap_or(0),
            _ = cuts.changed() => return,
        };
        if read == 0 {
            return;
        }
        while state.held.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let is_last = state.is_last();
        let passes = !is_last || state.after.load(Ordering::SeqCst);
        if passes && write_in_pieces(&mut to, &buffer[..read], &state).await.is_err() {
            return;
        }
        if is_last {
            state.cut();
            return;
        }
    }
}

async fn write_in_pieces(
    to: &mut OwnedWriteHalf,
    data: &[u8],
    state: &ProxyState,
) -> std::io::Result<()> {
    let bytes = state.bytes.load(Ordering::SeqCst);
    for piece in data.chunks(bytes) {
        to.write_all(piece).await?;
        if bytes < BUFFER_BYTES {
            // So that the other side reads each piece by itself.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    Ok(())
}

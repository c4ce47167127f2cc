//! MCP over Streamable HTTP, and everything else that is served over HTTP. Binding, serving and
//! stopping are here; `authorizer` decides who gets in, `endpoints` what is served.

mod accept;
mod authorizer;
mod body;
mod browser_sessions;
mod client_address;
mod connection;
mod connection_activity;
mod connection_limits;
mod connection_table;
mod credential;
mod dashboard_host;
mod dialect_endpoint;
mod dialect_switch;
mod endpoints;
mod health;
mod legacy;
mod loopback_pair;
mod metrics_server;
mod oauth;
mod origin_check;
mod password;
mod proxy_network;
mod public_url;
mod refusal;
mod request_span;
mod service;
mod stranger_rates;
mod token;
mod watched_stream;
mod workers;

pub use browser_sessions::{BrowserSession, BrowserSessions, LoginError, LoginOutcome};
pub use client_address::ClientAddress;
pub use dashboard_host::DashboardHost;
pub use endpoints::Endpoints;
pub use health::Readiness;
pub use metrics_server::MetricsServer;
pub use password::{BadPassword, OwnerPassword, PASSWORD_CHARS_MIN, PasswordStore};
pub use proxy_network::{BadNetwork, ProxyNetwork};
pub use public_url::{BadPublicUrl, PublicUrl};
pub use token::{BadToken, OwnerToken};

pub(crate) use request_span::RequestSpan;

use connection_table::ConnectionTable;
use engine::credentials::Credentials;
use loopback_pair::LoopbackPair;
use model::OwnerId;
use origin_check::ServerNames;
use service::HttpService;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use workers::WorkerPool;

/// Default address of the HTTP server.
pub const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7717);

/// Time that requests in progress may take to finish once the server stops.
// Well below the ten seconds after which Docker kills a container that was asked to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// Owner, credentials and public name of an HTTP server.
#[derive(Clone)]
pub struct HttpConfig {
    /// Owner whose memory the token opens.
    pub owner: OwnerId,
    /// Token with full access to that memory.
    pub token: OwnerToken,
    /// Lookup for every other credential.
    pub credentials: Arc<Credentials>,
    /// Address that clients use, where it differs from the address the server listens on.
    pub public_url: Option<PublicUrl>,
}

/// Error that keeps HTTP from being served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The server would be reachable from other machines without a password.
    #[error("{0} is reachable from other machines, and no password is set")]
    NoPassword(String),
    #[error(
        "{0} is already in use; stop the process that listens there (another `quipu serve`?) \
         or choose another port"
    )]
    InUse(SocketAddr),
    #[error("cannot listen on {address}: {source}")]
    Bind { address: SocketAddr, source: io::Error },
    #[error(
        "`{0}` is not a valid path; use `/`, plain words and names in braces, and not `{HEALTH}`",
        HEALTH = health::PATH
    )]
    BadPath(String),
}

/// A bound address that serves nothing yet.
#[derive(Debug)]
pub struct BoundListener {
    listener: LoopbackPair,
    address: SocketAddr,
}

/// An HTTP server that is bound and configured but not yet accepting connections.
#[derive(Debug)]
pub struct HttpServer {
    listener: LoopbackPair,
    address: SocketAddr,
    service: HttpService,
    calls: CancellationToken,
}

/// Binds an address; port 0 lets the system choose one. On the loopback interface the same port of
/// the other address family is bound too.
///
/// # Errors
/// Fails when an address is in use or does not belong to this machine.
pub async fn bind(address: SocketAddr) -> Result<BoundListener, HttpError> {
    let listener = LoopbackPair::bind(address).await?;
    let address = listener.address().map_err(|source| cannot_bind(address, source))?;
    Ok(BoundListener { listener, address })
}

impl BoundListener {
    /// Returns the bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Puts the endpoints behind the authorizer.
    ///
    /// # Errors
    /// Fails when a path is not valid, or other machines can reach the server and no password is
    /// set.
    pub async fn into_server(
        self,
        config: HttpConfig,
        endpoints: Endpoints,
    ) -> Result<HttpServer, HttpError> {
        // A loopback address behind a public URL is reachable through the proxy, so both must be
        // local.
        let Self { listener, address } = self;
        let public_url =
            config.public_url.clone().unwrap_or_else(|| PublicUrl::from_address(address));
        let is_local_only = address.ip().is_loopback() && public_url.is_local();
        if !is_local_only && !endpoints.can_log_in().await {
            return Err(HttpError::NoPassword(public_url.to_string()));
        }
        let names = ServerNames {
            public_url: config.public_url.clone(),
            any_address: !address.ip().is_loopback(),
            dashboard: endpoints.dashboard_host().cloned(),
        };
        let built = endpoints.build()?;
        let calls = built.calls.clone();
        let service = HttpService::new(config, names, built);
        Ok(HttpServer { listener, address, service, calls })
    }
}

fn cannot_bind(address: SocketAddr, source: io::Error) -> HttpError {
    match source.kind() {
        io::ErrorKind::AddrInUse => HttpError::InUse(address),
        _ => HttpError::Bind { address, source },
    }
}

impl HttpServer {
    /// Returns the bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` completes, then lets requests in progress finish, for up to five
    /// seconds.
    ///
    /// # Errors
    /// Fails when the system provides no threads.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let Self { mut listener, service, calls, .. } = self;
        let stopping = CancellationToken::new();
        // Dropping this future must end the worker threads too.
        let _ending = stopping.clone().drop_guard();
        let mut workers = WorkerPool::start(&service, &stopping)?;
        let connections = ConnectionTable::new();
        let accepting = async {
            loop {
                let (stream, peer) = listener.accept().await;
                match connections.admit(peer.ip().into()) {
                    Some(admitted) => workers.dispatch(stream, admitted),
                    None => tracing::debug!("a connection was refused: all are in use"),
                }
            }
        };
        tokio::select! {
            () = accepting => {}
            () = stop => {}
        }
        // New connections are now refused by the system instead of waiting for nobody.
        drop(listener);
        stopping.cancel();
        let joined = tokio::time::timeout(SHUTDOWN_GRACE, workers.join()).await;
        // Only after the grace period: this aborts the calls that are still running.
        calls.cancel();
        joined.unwrap_or(Ok(()))
    }
}

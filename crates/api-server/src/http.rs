//! MCP over Streamable HTTP on this machine, behind the owner's token and the keys that owners gave
//! out. Binding, serving and stopping are here; who is let in is `gate`'s, what is served is
//! `endpoints`'.

mod body;
mod credential;
mod endpoints;
mod fronts;
mod gate;
mod gated;
mod health;
mod legacy;
mod oauth;
mod password;
mod public;
mod refusal;
mod site;
mod spoken;
mod switch;
mod token;
mod visits;

pub use endpoints::Endpoints;
pub(crate) use gate::repeats;
pub use password::{BadPassword, PASSWORD_CHARS_MIN, Password, PasswordShelf};
pub use public::{BadPublicUrl, PublicUrl};
pub use token::{BadToken, Token};
pub use visits::{NotOpened, Visit, Visits};

use axum::serve::Listener;
use engine::credentials::Credentials;
use fronts::Fronts;
use gated::Gated;
use model::OwnerId;
use site::Names;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where HTTP is served unless another address is wanted.
pub const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7717);

/// How long requests under way may take to end once serving stops.
const GRACE: Duration = Duration::from_secs(5);

/// For whom HTTP is served, and under which name.
#[derive(Clone)]
pub struct HttpConfig {
    /// Whose memory the token opens.
    pub owner: OwnerId,
    /// What opens that memory whole.
    pub token: Token,
    /// Who stands behind every other credential.
    pub credentials: Arc<Credentials>,
    /// The address that others know us by, where it is not the one we listen on.
    pub public: Option<PublicUrl>,
}

/// Why HTTP cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Other machines can reach it, and nothing but the token lets its owner in.
    #[error("{0} can be reached from other machines, and no password is set")]
    NoPassword(String),
    /// Somebody else listens there.
    #[error(
        "{0} is in use; stop what listens there (another `quipu serve`?) or choose another port"
    )]
    InUse(SocketAddr),
    /// The system does not let us listen there.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// A path that cannot be served.
    #[error("`{0}` cannot be a path; use `/`, plain words and names in braces, and not `{HEALTH}`", HEALTH = health::PATH)]
    BadPath(String),
}

/// An address that is ours, with nothing behind it yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

/// Listens, and answers nobody yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    gated: Gated,
    calls: CancellationToken,
}

/// Takes an address; port 0 lets the system choose one.
///
/// # Errors
/// When the address is in use or is not ours.
pub async fn bind(address: SocketAddr) -> Result<Bound, HttpError> {
    let failed = |source| cannot_bind(address, source);
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok(Bound { listener, address })
}

impl Bound {
    /// Which address it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Puts the endpoints behind the gate.
    ///
    /// # Errors
    /// When a path cannot be served, or other machines can reach us and the owner has no password.
    pub fn serving(self, config: HttpConfig, endpoints: Endpoints) -> Result<Listening, HttpError> {
        let Self { listener, address } = self;
        let known_as = config.public.clone().unwrap_or_else(|| PublicUrl::of(address));
        let is_ours_alone = address.ip().is_loopback() && known_as.is_local();
        if !is_ours_alone && !endpoints.wants_a_password() {
            return Err(HttpError::NoPassword(known_as.to_string()));
        }
        let names =
            Names { public: config.public.clone(), by_address: !address.ip().is_loopback() };
        let served = endpoints.into_served()?;
        let calls = served.calls.clone();
        let gated = Gated::new(config, names, served);
        Ok(Listening { listener, address, gated, calls })
    }
}

fn cannot_bind(address: SocketAddr, source: io::Error) -> HttpError {
    match source.kind() {
        io::ErrorKind::AddrInUse => HttpError::InUse(address),
        _ => HttpError::Bind { address, source },
    }
}

impl Listening {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is done, then lets the requests under way end, for up to five seconds.
    ///
    /// # Errors
    /// When the system gives no threads to answer on.
    pub async fn serve(self, stop: impl Future<Output = ()> + Send) -> io::Result<()> {
        let Self { mut listener, gated, calls, .. } = self;
        let stopping = CancellationToken::new();
        // Whoever drops this ends the threads too.
        let _ending = stopping.clone().drop_guard();
        let mut fronts = Fronts::start(&gated, &stopping)?;
        let taking_in = async {
            loop {
                let (stream, _) = Listener::accept(&mut listener).await;
                fronts.deal(stream);
            }
        };
        tokio::select! {
            () = taking_in => {}
            () = stop => {}
        }
        // Whoever comes now is refused by the system, instead of waiting for nobody.
        drop(listener);
        stopping.cancel();
        let ended = tokio::time::timeout(GRACE, fronts.ended()).await;
        calls.cancel();
        ended.unwrap_or(Ok(()))
    }
}

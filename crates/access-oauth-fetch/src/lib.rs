//! Fetches the documents that programs are known by (Client ID Metadata Documents). A stranger
//! chooses the address, so it is https, no address inside somebody's network is connected to, no
//! redirect is followed, and the answer is short and soon there or not taken. What the document
//! says is another room's to judge.

mod addresses;

pub use addresses::{Addresses, is_public};

use addresses::Guarded;
use async_trait::async_trait;
use oauth::{Documents, NoDocument};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use ureq::Agent;
use ureq::http::{StatusCode, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::transport::DefaultConnector;

/// The longest document, in bytes.
const BYTES_MAX: u64 = 5 * 1024;
/// How long it may take, from the name to the last byte.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many are fetched at once.
const AT_ONCE: usize = 4;

/// Fetches documents.
pub struct Fetch {
    agent: Agent,
    places: Arc<Semaphore>,
}

impl Fetch {
    /// From public addresses over https, as it must be.
    #[must_use]
    pub fn new() -> Self {
        Self::from_addresses(Addresses::default(), Over::Https)
    }

    /// From the addresses that a name is said to have, which a test alone says.
    #[must_use]
    pub fn from_addresses(addresses: Addresses, over: Over) -> Self {
        let config = Agent::config_builder()
            .https_only(!matches!(over, Over::Plain))
            .tls_config(over.tls())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), Guarded(addresses));
        Self { agent, places: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// How a host is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// By https, with whoever the roots of the web vouch for.
    Https,
    /// By https, with whoever these roots vouch for and nobody else, each in DER; for a test.
    HttpsTrusting(Vec<Vec<u8>>),
    /// Without https, for a test.
    Plain,
}

impl Over {
    fn tls(&self) -> TlsConfig {
        let Self::HttpsTrusting(roots) = self else { return TlsConfig::default() };
        let roots =
            roots.iter().map(|root| Certificate::from_der(root).to_owned()).collect::<Vec<_>>();
        TlsConfig::builder().root_certs(RootCerts::new_with_certs(&roots)).build()
    }
}

impl Default for Fetch {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Documents for Fetch {
    async fn fetch(&self, address: &str) -> Result<Vec<u8>, NoDocument> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| NoDocument("too many are being fetched; try again"))?;
        let (agent, address) = (self.agent.clone(), address.to_owned());
        let fetching = tokio::task::spawn_blocking(move || {
            let _place = place;
            fetched(&agent, &address)
        });
        fetching.await.unwrap_or(Err(NoDocument("it could not be fetched")))
    }
}

fn fetched(agent: &Agent, address: &str) -> Result<Vec<u8>, NoDocument> {
    let answered = agent.get(address).header(header::ACCEPT, "application/json").call();
    let mut answer = answered.map_err(|error| why(&error))?;
    if answer.status() != StatusCode::OK {
        return Err(NoDocument("its address answers with something else"));
    }
    let kind = answer
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json"))
    {
        return Err(NoDocument("its address gives no JSON"));
    }
    answer.body_mut().with_config().limit(BYTES_MAX).read_to_vec().map_err(|error| why(&error))
}

/// What the person is told. Nothing of what the other side said: it may be somebody's inner
/// network.
fn why(error: &ureq::Error) -> NoDocument {
    use ureq::Error;
    NoDocument(match error {
        Error::Timeout(_) => "its address took too long to answer",
        Error::BodyExceedsLimit(_) => "it is longer than 5 KB",
        Error::RequireHttpsOnly(_) => "its address is not https",
        _ => "its address cannot be reached from here",
    })
}

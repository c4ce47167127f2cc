//! Fetches Client ID Metadata Documents. The address comes from a stranger, so only https is used,
//! no address inside a private network is connected to, no redirect is followed, and size and time
//! are limited. The content is validated by the crate `oauth`.

mod address_policy;

pub use address_policy::{AddressPolicy, is_public};

use address_policy::GuardedResolver;
use async_trait::async_trait;
use oauth::{ClientDocuments, DocumentError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use ureq::Agent;
use ureq::http::{StatusCode, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::transport::DefaultConnector;

/// Maximum size of a document, in bytes.
const DOCUMENT_BYTES_MAX: u64 = 5 * 1024;
/// Timeout of a fetch, from name resolution to the last byte.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of concurrent fetches. Each one blocks a thread.
const CONCURRENT_FETCHES_MAX: usize = 4;

/// Fetcher of client metadata documents.
pub struct DocumentFetcher {
    agent: Agent,
    permits: Arc<Semaphore>,
}

impl DocumentFetcher {
    /// Creates a fetcher that connects to public addresses over https, for production.
    #[must_use]
    pub fn new() -> Self {
        Self::from_addresses(AddressPolicy::default(), FetchTransport::Https)
    }

    /// Creates a fetcher with other addresses and another transport, for tests.
    #[must_use]
    pub fn from_addresses(addresses: AddressPolicy, transport: FetchTransport) -> Self {
        let config = Agent::config_builder()
            .https_only(!matches!(transport, FetchTransport::Plain))
            .tls_config(transport.tls())
            .http_status_as_error(false)
            // A redirect could lead from a public address to an internal one.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .proxy(None)
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("quipu/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent =
            Agent::with_parts(config, DefaultConnector::default(), GuardedResolver(addresses));
        Self { agent, permits: Arc::new(Semaphore::new(CONCURRENT_FETCHES_MAX)) }
    }
}

/// Transport of a fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchTransport {
    /// https, with the root certificates of the web.
    Https,
    /// https, with only these root certificates in DER; for tests.
    HttpsTrusting(Vec<Vec<u8>>),
    /// http, for tests.
    Plain,
}

impl FetchTransport {
    fn tls(&self) -> TlsConfig {
        let Self::HttpsTrusting(roots) = self else { return TlsConfig::default() };
        let roots =
            roots.iter().map(|root| Certificate::from_der(root).to_owned()).collect::<Vec<_>>();
        TlsConfig::builder().root_certs(RootCerts::new_with_certs(&roots)).build()
    }
}

impl Default for DocumentFetcher {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ClientDocuments for DocumentFetcher {
    async fn fetch(&self, address: &str) -> Result<Vec<u8>, DocumentError> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit =
            permit.map_err(|_| DocumentError("too many documents are being fetched; try again"))?;
        let (agent, address) = (self.agent.clone(), address.to_owned());
        let fetching = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            fetch_blocking(&agent, &address)
        });
        fetching.await.unwrap_or(Err(DocumentError("the fetch failed")))
    }
}

fn fetch_blocking(agent: &Agent, address: &str) -> Result<Vec<u8>, DocumentError> {
    let response = agent.get(address).header(header::ACCEPT, "application/json").call();
    let mut response = response.map_err(|error| fetch_error(&error))?;
    if response.status() != StatusCode::OK {
        return Err(DocumentError("the server did not return the document"));
    }
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json"))
    {
        return Err(DocumentError("the response is not JSON"));
    }
    response
        .body_mut()
        .with_config()
        .limit(DOCUMENT_BYTES_MAX)
        .read_to_vec()
        .map_err(|error| fetch_error(&error))
}

/// Returns the error for the person. It contains nothing of the response, which may come from an
/// internal network.
fn fetch_error(error: &ureq::Error) -> DocumentError {
    use ureq::Error;
    DocumentError(match error {
        Error::Timeout(_) => "the server took too long to respond",
        Error::BodyExceedsLimit(_) => "the document is larger than 5 KB",
        Error::RequireHttpsOnly(_) => "the address is not https",
        _ => "the address cannot be reached from here",
    })
}

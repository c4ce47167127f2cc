//! Fetches over TLS from a local host: certificates of a trusted root are accepted, and no others.

use crate::certificates::{IssuedCertificate, LONG_AGO, NOW, RootCertificate};
use oauth::{ClientDocuments, DocumentError};
use oauth_fetch::{AddressPolicy, DocumentFetcher, FetchTransport};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

const NAME: &str = "app.example";
const DOCUMENT: &str = r#"{"client_id": "https://app.example/client.json"}"#;
const REFUSED: Result<Vec<u8>, DocumentError> =
    Err(DocumentError("the address cannot be reached from here"));

/// Starts a host that presents a certificate and serves the document to clients that accept it.
fn start_host(certified: IssuedCertificate) -> SocketAddr {
    let chain = vec![CertificateDer::from(certified.certificate)];
    let key = PrivateKeyDer::try_from(certified.private_key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // A client that rejects the certificate aborts the handshake; the next may accept it.
            _ = serve_document(stream.unwrap(), &config);
        }
    });
    address
}

fn serve_document(stream: TcpStream, config: &Arc<ServerConfig>) -> std::io::Result<()> {
    let connection = ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    _ = stream.read(&mut [0; 4096])?;
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length";
    write!(stream, "{head}: {}\r\n\r\n{DOCUMENT}", DOCUMENT.len())?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// Fetches the document by a name that resolves to this host.
async fn fetch_from(host: SocketAddr, over: FetchTransport) -> Result<Vec<u8>, DocumentError> {
    let addresses =
        AddressPolicy::with_lookup(move |_, _| Ok(vec![host])).allow(|ip| ip.is_loopback());
    DocumentFetcher::from_addresses(addresses, over)
        .fetch(&format!("https://{NAME}/client.json"))
        .await
}

fn trusting(root: &RootCertificate) -> FetchTransport {
    FetchTransport::HttpsTrusting(vec![root.certificate.clone()])
}

#[tokio::test]
async fn a_certificate_of_a_trusted_root_is_accepted() {
    let root = RootCertificate::new();
    let host = start_host(root.issue(NAME, NOW));
    assert_eq!(fetch_from(host, trusting(&root)).await.unwrap(), DOCUMENT.as_bytes());
}

#[tokio::test]
async fn a_certificate_of_an_unknown_root_is_refused() {
    let root = RootCertificate::new();
    let host = start_host(root.issue(NAME, NOW));
    assert_eq!(fetch_from(host, trusting(&RootCertificate::new())).await, REFUSED);
    assert_eq!(
        fetch_from(host, FetchTransport::Https).await,
        REFUSED,
        "the root certificates of the web do not sign it either"
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_or_time_is_refused() {
    let root = RootCertificate::new();
    for certified in [root.issue("app.example.org", NOW), root.issue(NAME, LONG_AGO)] {
        assert_eq!(fetch_from(start_host(certified), trusting(&root)).await, REFUSED);
    }
}

#[tokio::test]
async fn there_is_no_fallback_to_plain_http() {
    let host = crate::TestHost::with_body(crate::JSON, DOCUMENT);
    assert_eq!(fetch_from(host.address, FetchTransport::Https).await, REFUSED);
}

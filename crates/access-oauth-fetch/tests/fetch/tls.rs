//! Fetches over TLS from a local host: certificates of a trusted root are accepted, and no others.

use crate::certificates::{Certified, LONG_AGO, NOW, Root};
use oauth::{Documents, NoDocument};
use oauth_fetch::{Addresses, Fetch, Over};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

const NAME: &str = "app.example";
const DOCUMENT: &str = r#"{"client_id": "https://app.example/client.json"}"#;
const REFUSED: Result<Vec<u8>, NoDocument> =
    Err(NoDocument("the address cannot be reached from here"));

/// Starts a host that presents a certificate and serves the document to clients that accept it.
fn host(certified: Certified) -> SocketAddr {
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
            _ = served(stream.unwrap(), &config);
        }
    });
    address
}

fn served(stream: TcpStream, config: &Arc<ServerConfig>) -> std::io::Result<()> {
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
async fn fetched(host: SocketAddr, over: Over) -> Result<Vec<u8>, NoDocument> {
    let addresses = Addresses::by(move |_, _| Ok(vec![host])).allowing(|ip| ip.is_loopback());
    Fetch::from_addresses(addresses, over).fetch(&format!("https://{NAME}/client.json")).await
}

fn trusting(root: &Root) -> Over {
    Over::HttpsTrusting(vec![root.certificate.clone()])
}

#[tokio::test]
async fn a_document_of_a_host_that_a_known_root_vouches_for_is_taken() {
    let root = Root::new();
    let host = host(root.vouch(NAME, NOW));
    assert_eq!(fetched(host, trusting(&root)).await.unwrap(), DOCUMENT.as_bytes());
}

#[tokio::test]
async fn a_host_that_only_a_stranger_vouches_for_is_not_believed() {
    let root = Root::new();
    let host = host(root.vouch(NAME, NOW));
    assert_eq!(fetched(host, trusting(&Root::new())).await, REFUSED);
    assert_eq!(
        fetched(host, Over::Https).await,
        REFUSED,
        "the root certificates of the web do not sign it either"
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_or_another_time_is_not_believed() {
    let root = Root::new();
    for certified in [root.vouch("app.example.org", NOW), root.vouch(NAME, LONG_AGO)] {
        assert_eq!(fetched(host(certified), trusting(&root)).await, REFUSED);
    }
}

#[tokio::test]
async fn a_host_that_does_not_speak_tls_is_not_asked_without_it() {
    let host = crate::Host::with(crate::JSON, DOCUMENT);
    assert_eq!(fetched(host.address, Over::Https).await, REFUSED);
}

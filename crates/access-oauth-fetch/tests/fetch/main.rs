//! The fetcher against a local server: documents it accepts, and everything it refuses to accept or
//! to connect to.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

extern crate quipu_oauth_fetch as oauth_fetch;

mod certificates;
mod tls;

use oauth::{ClientDocuments, DocumentError};
use oauth_fetch::{AddressPolicy, DocumentFetcher, FetchTransport};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that sends the same response to every request, and counts the requests. Without a
/// response it keeps the connection open.
struct TestHost {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl TestHost {
    fn with_response(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                _ = stream.read(&mut [0; 4096]);
                if answer.is_empty() {
                    silent.push(stream);
                } else {
                    _ = stream.write_all(answer.as_bytes());
                }
            }
        });
        Self { address, requests: asked }
    }

    fn with_body(head: &str, body: &str) -> Self {
        Self::with_response(format!(
            "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Fetches by a name that resolves to this host.
    async fn fetch_from(&self) -> Result<Vec<u8>, DocumentError> {
        let address = self.address;
        let addresses =
            AddressPolicy::with_lookup(move |_, _| Ok(vec![address])).allow(|ip| ip.is_loopback());
        DocumentFetcher::from_addresses(addresses, FetchTransport::Plain)
            .fetch("http://app.example/client.json")
            .await
    }
}

const JSON: &str = "200 OK\r\nContent-Type: application/json; charset=utf-8";

#[tokio::test]
async fn a_short_document_is_returned_unchanged() {
    let document = r#"{"client_id": "https://app.example/client.json"}"#;
    assert_eq!(
        TestHost::with_body(JSON, document).fetch_from().await.unwrap(),
        document.as_bytes()
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = TestHost::with_body(JSON, "{}");
    let host =
        TestHost::with_body(&format!("302 Found\r\nLocation: http://{}/", elsewhere.address), "");
    assert!(host.fetch_from().await.is_err());
    assert_eq!(elsewhere.requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn long_missing_and_non_json_documents_are_refused() {
    let long = format!("\"{}\"", "x".repeat(6_000));
    assert_eq!(
        TestHost::with_body(JSON, &long).fetch_from().await,
        Err(DocumentError("the document is larger than 5 KB"))
    );
    let endless = format!("HTTP/1.1 {JSON}\r\n\r\n{}", "x".repeat(1 << 20));
    assert_eq!(
        TestHost::with_response(endless).fetch_from().await,
        Err(DocumentError("the document is larger than 5 KB"))
    );
    assert!(
        TestHost::with_body("200 OK\r\nContent-Type: text/html", "<p>").fetch_from().await.is_err()
    );
    assert!(
        TestHost::with_body("404 Not Found\r\nContent-Type: application/json", "{}")
            .fetch_from()
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_silent_host_times_out() {
    let result = TestHost::with_response(String::new()).fetch_from().await;
    assert_eq!(result, Err(DocumentError("the server took too long to respond")));
}

#[tokio::test]
async fn a_name_with_an_internal_address_is_never_connected_to() {
    let host = TestHost::with_body(JSON, "{}");
    let public: SocketAddr = "93.184.216.34:80".parse().unwrap();
    for found in [vec![host.address], vec![public, host.address]] {
        let fetch = DocumentFetcher::from_addresses(
            AddressPolicy::with_lookup(move |_, _| Ok(found.clone())),
            FetchTransport::Plain,
        );
        assert!(fetch.fetch("http://app.example/client.json").await.is_err());
    }
    let by_number =
        DocumentFetcher::from_addresses(AddressPolicy::default(), FetchTransport::Plain);
    for url in
        [format!("http://{}/", host.address), format!("http://localhost:{}/", host.address.port())]
    {
        assert!(by_number.fetch(&url).await.is_err(), "{url}");
    }
    assert_eq!(host.requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn plain_http_is_refused() {
    let host = TestHost::with_body(JSON, "{}");
    let address = host.address;
    let addresses =
        AddressPolicy::with_lookup(move |_, _| Ok(vec![address])).allow(|ip| ip.is_loopback());
    let result = DocumentFetcher::from_addresses(addresses, FetchTransport::Https)
        .fetch("http://app.example/client.json")
        .await;
    assert_eq!(result, Err(DocumentError("the address is not https")));
    assert_eq!(host.requests.load(Ordering::SeqCst), 0);
}

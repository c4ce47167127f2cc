//! The fetcher against a local server: documents it accepts, and everything it refuses to accept or
//! to connect to.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

extern crate quipu_oauth_fetch as oauth_fetch;

mod certificates;
mod tls;

use oauth::{Documents, NoDocument};
use oauth_fetch::{Addresses, Fetch, Over};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that sends the same response to every request, and counts the requests. Without a
/// response it keeps the connection open.
struct Host {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Host {
    fn answering(answer: String) -> Self {
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
        Self { address, asked }
    }

    fn with(head: &str, body: &str) -> Self {
        Self::answering(format!(
            "HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Fetches by a name that resolves to this host.
    async fn fetched(&self) -> Result<Vec<u8>, NoDocument> {
        let address = self.address;
        let addresses =
            Addresses::by(move |_, _| Ok(vec![address])).allowing(|ip| ip.is_loopback());
        Fetch::from_addresses(addresses, Over::Plain).fetch("http://app.example/client.json").await
    }
}

const JSON: &str = "200 OK\r\nContent-Type: application/json; charset=utf-8";

#[tokio::test]
async fn a_short_document_is_taken_as_it_is() {
    let document = r#"{"client_id": "https://app.example/client.json"}"#;
    assert_eq!(Host::with(JSON, document).fetched().await.unwrap(), document.as_bytes());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Host::with(JSON, "{}");
    let host = Host::with(&format!("302 Found\r\nLocation: http://{}/", elsewhere.address), "");
    assert!(host.fetched().await.is_err());
    assert_eq!(elsewhere.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_is_long_or_no_json_or_not_there_is_not_taken() {
    let long = format!("\"{}\"", "x".repeat(6_000));
    assert_eq!(
        Host::with(JSON, &long).fetched().await,
        Err(NoDocument("the document is larger than 5 KB"))
    );
    let endless = format!("HTTP/1.1 {JSON}\r\n\r\n{}", "x".repeat(1 << 20));
    assert_eq!(
        Host::answering(endless).fetched().await,
        Err(NoDocument("the document is larger than 5 KB"))
    );
    assert!(Host::with("200 OK\r\nContent-Type: text/html", "<p>").fetched().await.is_err());
    assert!(
        Host::with("404 Not Found\r\nContent-Type: application/json", "{}")
            .fetched()
            .await
            .is_err()
    );
}

#[tokio::test]
async fn whoever_says_nothing_is_left() {
    let result = Host::answering(String::new()).fetched().await;
    assert_eq!(result, Err(NoDocument("the server took too long to respond")));
}

#[tokio::test]
async fn a_name_that_stands_for_an_inner_address_is_never_connected_to() {
    let host = Host::with(JSON, "{}");
    let public: SocketAddr = "93.184.216.34:80".parse().unwrap();
    for found in [vec![host.address], vec![public, host.address]] {
        let fetch =
            Fetch::from_addresses(Addresses::by(move |_, _| Ok(found.clone())), Over::Plain);
        assert!(fetch.fetch("http://app.example/client.json").await.is_err());
    }
    let by_number = Fetch::from_addresses(Addresses::default(), Over::Plain);
    for url in
        [format!("http://{}/", host.address), format!("http://localhost:{}/", host.address.port())]
    {
        assert!(by_number.fetch(&url).await.is_err(), "{url}");
    }
    assert_eq!(host.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn only_https_is_spoken() {
    let host = Host::with(JSON, "{}");
    let address = host.address;
    let addresses = Addresses::by(move |_, _| Ok(vec![address])).allowing(|ip| ip.is_loopback());
    let result =
        Fetch::from_addresses(addresses, Over::Https).fetch("http://app.example/client.json").await;
    assert_eq!(result, Err(NoDocument("the address is not https")));
    assert_eq!(host.asked.load(Ordering::SeqCst), 0);
}

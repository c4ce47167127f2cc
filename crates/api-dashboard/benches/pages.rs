//! Cost of each page with up to 100,000 memories: CPU time of the whole process for one request,
//! and the size of the page. `cargo bench -p quipu-dashboard -- 10000` runs just that size.

#![allow(clippy::expect_used, reason = "a benchmark that cannot go on stops and says where")]

extern crate quipu_dashboard as dashboard;

use dashboard::Dashboard;
use embed::BundledEmbedder;
use engine::credentials::Credentials;
use engine::{Engine, Parts, SystemClock};
use model::OwnerId;
use server::{BrowserSessions, Endpoints, HttpConfig, HttpServer, OwnerToken};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use testkit::TempStore;
use testkit::bench::{StoreFiller, median_us, print_table, process_cpu_time};

const SIZES: [usize; 2] = [1_000, 100_000];
/// Number of measured requests per page.
const TIMES: usize = 9;
const TOKEN: &str = "a-token-for-benchmarks-0123456789";

/// Pages, each with its most expensive query.
const PAGES: &[&str] = &[
    "/",
    "/memories",
    "/memories?query=which+words+are+in+the+longest+memory&explain=1",
    "/memories/77",
    "/review",
    "/profile",
    "/tables",
    "/graph",
    "/v1/graph?limit=1000&memories=1000",
    "/sessions",
    "/handoffs",
    "/references",
    "/agents",
    "/agents/one?agent=bench",
    "/activity",
    "/sees?agent=bench&query=which+words",
    "/settings",
];

fn main() {
    let requested: Vec<usize> =
        std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if requested.is_empty() { SIZES.to_vec() } else { requested };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut rows: Vec<Vec<String>> = PAGES.iter().map(|page| vec![format!("`{page}`")]).collect();
    for size in &sizes {
        let store = runtime.block_on(filled_store(*size));
        let address = runtime.block_on(serve(&store));
        for (page, row) in PAGES.iter().zip(&mut rows) {
            let (spent, bytes) = measure(address, page);
            row.push(format!("{:.1}", median_us(spent) / 1_000.0));
            row.push(format!("{:.0}", bytes as f64 / 1_000.0));
        }
    }
    let mut head = vec!["page".to_owned()];
    sizes
        .iter()
        .for_each(|size| head.extend([format!("{size} memories, ms of CPU"), "KB".to_owned()]));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let note = "CPU time of the whole process for one request, the median of nine after a first \
        one; size of the page itself, without the 50 KB of styles and scripts shared by all pages.";
    print_table("Pages of the dashboard", note, &head, &rows);
}

async fn filled_store(size: usize) -> TempStore {
    let store = TempStore::new().await;
    StoreFiller::new().fill(&*store, size).await;
    store
}

async fn serve(store: &TempStore) -> SocketAddr {
    let engine = Arc::new(Engine::new(Parts {
        store: Arc::new(store.reopen()),
        embedder: Arc::new(BundledEmbedder::new()),
        clock: Arc::new(SystemClock),
        snapshots: None,
    }));
    let token = OwnerToken::new(TOKEN).expect("a token");
    let credentials =
        Arc::new(Credentials::new(Arc::new(store.reopen()), Arc::clone(engine.core())));
    let dashboard = Dashboard {
        owner: OwnerId::me(),
        provider: None,
        engine,
        credentials: Arc::clone(&credentials),
        sessions: BrowserSessions::new(token.clone()),
        oauth: None,
        backups: store.home().join("backups"),
        dialects: Vec::new(),
        jobs: dashboard::Jobs::local(Arc::new(engine::SystemClock)),
        demo: None,
    };
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let config = HttpConfig { owner: OwnerId::me(), token, credentials, public_url: None };
    let bound = server::bind(address).await.expect("a free port");
    let listening: HttpServer = bound
        .into_server(config, dashboard::add_dashboard(Endpoints::new(), &dashboard))
        .await
        .expect("paths");
    let address = listening.address();
    tokio::spawn(listening.serve(std::future::pending()));
    address
}

/// Measures the CPU time of each request after the first, and the size of the response.
fn measure(address: SocketAddr, page: &str) -> (Vec<Duration>, usize) {
    let mut bytes = get(address, page);
    let one = |_| {
        let before = process_cpu_time();
        bytes = get(address, page);
        process_cpu_time().saturating_sub(before)
    };
    ((0..TIMES).map(one).collect(), bytes)
}

fn get(address: SocketAddr, page: &str) -> usize {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = format!(
        "GET {page} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{page}: {}", String::from_utf8_lossy(&answer));
    answer.len()
}

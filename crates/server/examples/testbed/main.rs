//! A server for tests: the test dialect over stdio, or over HTTP at a free port beside the conformance fixture.
//!
//! `testbed stdio` serves stdin and stdout. `testbed http` prints its address and serves until stdin closes.
//! The token is in `TESTBED_TOKEN`. Never part of the product.

mod dialect;
mod memory;

use dialect::TestDialect;
use engine::Surroundings;
use model::OwnerId;
use quipu_server::{self as server, Endpoints, HttpConfig, Local, Token};
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => over_stdio().await,
        Some("http") => over_http().await,
        _ => Err("usage: testbed stdio | http".into()),
    }
}

async fn over_stdio() -> Result<(), Box<dyn Error>> {
    let told = |name: &str| std::env::var(name).ok();
    let surroundings =
        Surroundings { project: told("TESTBED_PROJECT"), session: told("TESTBED_SESSION"), cwd: None };
    let local = Local { owner: OwnerId::me(), surroundings };
    let memory = memory::Memory::new().await?;
    server::stdio(memory.engine(), Arc::new(TestDialect::new()), local, CancellationToken::new()).await?;
    Ok(())
}

async fn over_http() -> Result<(), Box<dyn Error>> {
    let memory = memory::Memory::new().await?;
    let endpoints = Endpoints::new().dialect("/mcp", memory.engine(), Arc::new(TestDialect::new()))?;
    let token = Token::new(&std::env::var("TESTBED_TOKEN")?)?;
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let listening = server::http(HttpConfig { address, owner: OwnerId::me(), token }, endpoints).await?;
    println!("{}", listening.address());
    listening.serve(stdin_closed()).await?;
    Ok(())
}

async fn stdin_closed() {
    let mut sink = Vec::new();
    // Whatever the reason, nobody holds us any more.
    _ = tokio::io::stdin().read_to_end(&mut sink).await;
}

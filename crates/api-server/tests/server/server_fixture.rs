//! Fixture: a server with the test dialect, in this process, on a port of its own.

use crate::conformance_fixture;
use crate::dialect::TestDialect;
use crate::raw_http::{RawRequest, RawResponse};
use crate::temporary_engine::TemporaryEngine;
use dialects::Quipu;
use engine::credentials::{CreateKeyOutcome, CreateKeyRequest};
use engine::{Caller, KeyForm};
use model::{AgentName, KeyId, OwnerId, Permission};
use oauth::{AuthorizationServer, Site};
use quipu_server::{Endpoints, HttpConfig, HttpServer, OwnerToken, PublicUrl};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Owner's token of every server in these tests.
pub const TOKEN: &str = "a-token-for-tests-0123456789";

/// A running server that stops when dropped.
pub struct ServerFixture {
    pub address: SocketAddr,
    stop: CancellationToken,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    pub engine: TemporaryEngine,
}

impl ServerFixture {
    /// Starts a server with the test dialect under `/mcp` and the conformance fixture under
    /// `/fixture`.
    pub fn start() -> Self {
        Self::start_with(|endpoints| endpoints)
    }

    /// Starts a server with more endpoints.
    pub fn start_with(add_endpoints: impl FnOnce(Endpoints) -> Endpoints) -> Self {
        Self::build(|endpoints, _, _| add_endpoints(endpoints))
    }

    /// Starts a server with OAuth and the `quipu` dialect under `/mcp/quipu`. Tests give the
    /// owner's consent directly to the returned authorization server.
    pub fn start_with_oauth() -> (Self, Arc<AuthorizationServer>) {
        let mut authorization_server = None;
        let fixture = Self::build(|endpoints, address, memory| {
            let site = Site::new(&PublicUrl::from_address(address).to_string());
            let authorization_server = authorization_server
                .insert(Arc::new(AuthorizationServer::new(memory.clients(), site)));
            let endpoints = endpoints.with_oauth(Arc::clone(authorization_server), memory.engine());
            endpoints.dialect("/mcp/quipu", memory.engine(), Arc::new(Quipu::default())).unwrap()
        });
        (fixture, authorization_server.unwrap())
    }

    fn build(
        add_endpoints: impl FnOnce(Endpoints, SocketAddr, &TemporaryEngine) -> Endpoints,
    ) -> Self {
        let runtime = Runtime::new().unwrap();
        let memory = runtime.block_on(TemporaryEngine::new()).unwrap();
        let endpoints = Endpoints::new()
            .dialect("/mcp", memory.engine(), Arc::new(TestDialect::new()))
            .unwrap();
        let endpoints = endpoints.route("/fixture", conformance_fixture::route());
        let bound = runtime.block_on(quipu_server::bind(any_port())).unwrap();
        let endpoints = add_endpoints(endpoints, bound.address(), &memory);
        let starting = bound.into_server(config(&memory), endpoints);
        let listening = runtime.block_on(starting).unwrap();
        let (address, stop) = (listening.address(), CancellationToken::new());
        let serving = Some(serve(runtime, listening, stop.clone()));
        Self { address, stop, serving, engine: memory }
    }

    /// Creates a key of an owner for an agent.
    pub fn key(&self, owner: &str, agent: &str, scope: Permission) -> CreateKeyOutcome {
        let owner = OwnerId::new(owner).unwrap();
        let input = CreateKeyRequest {
            agent: AgentName::new(agent),
            label: String::new(),
            scope,
            expires_at: None,
            form: KeyForm::Quipu,
        };
        let runtime = Runtime::new().unwrap();
        runtime.block_on(self.engine.create_owner(&owner)).unwrap();
        runtime
            .block_on(self.engine.credentials().create_key(&Caller::person(owner), &input))
            .unwrap()
    }

    /// Revokes a key.
    pub fn revoke(&self, owner: &str, key: KeyId) {
        let owner = Caller::person(OwnerId::new(owner).unwrap());
        let runtime = Runtime::new().unwrap();
        runtime.block_on(self.engine.credentials().revoke_key(&owner, key)).unwrap();
    }

    /// Requests a stop, as a signal would.
    pub fn request_stop(&self) {
        self.stop.cancel();
    }

    /// Stops the server and waits for its end.
    pub fn stop(mut self) -> std::io::Result<()> {
        self.stop.cancel();
        self.serving.take().unwrap().join().unwrap()
    }

    /// Sends a request with the owner's token.
    pub fn ask(&self, ask: RawRequest) -> RawResponse {
        ask.header("Authorization", &format!("Bearer {TOKEN}")).send(self.address)
    }

    /// Sends one message of the protocol revision 2025-11-25.
    pub fn rpc(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let ask = RawRequest::message(&message).header("MCP-Protocol-Version", "2025-11-25");
        self.ask(ask).json()
    }

    /// Calls a tool.
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.rpc("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Returns the counters of the test dialect.
    pub fn tally(&self) -> Value {
        self.call("tally", json!({}))["result"]["structuredContent"].clone()
    }

    /// Waits until a counter is one. The timeout of the test runner is the only limit.
    pub fn wait_for(&self, count: &str) {
        while self.tally()[count] != 1 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

impl Drop for ServerFixture {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            _ = serving.join();
        }
    }
}

pub fn any_port() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

pub fn config(memory: &TemporaryEngine) -> HttpConfig {
    let (owner, token) = (OwnerId::me(), OwnerToken::new(TOKEN).unwrap());
    HttpConfig { owner, token, credentials: memory.credentials(), public_url: None }
}

fn serve(
    runtime: Runtime,
    listening: HttpServer,
    stop: CancellationToken,
) -> JoinHandle<std::io::Result<()>> {
    std::thread::spawn(move || runtime.block_on(listening.serve(stop.cancelled_owned())))
}

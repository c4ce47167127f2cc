//! A server with the test dialect, in this process, at a port of its own.

use crate::dialect::TestDialect;
use crate::fixture;
use crate::memory::Memory;
use crate::wire::{Answer, Ask};
use dialects::Quipu;
use engine::credentials::{CreateKey, KeyCreated};
use engine::{Caller, KeyForm};
use model::{AgentName, KeyId, OwnerId, Permission};
use oauth::{Desk, Site};
use quipu_server::{Endpoints, HttpConfig, Listening, PublicUrl, Token};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// What opens the door of every server here.
pub const TOKEN: &str = "a-token-for-tests-0123456789";

/// A running server; stops when dropped.
pub struct Bed {
    pub address: SocketAddr,
    stop: CancellationToken,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    pub memory: Memory,
}

impl Bed {
    /// Starts one that speaks the test dialect under `/mcp`, with the conformance fixture under
    /// `/fixture`.
    pub fn start() -> Self {
        Self::start_with(|endpoints| endpoints)
    }

    /// Starts one with more endpoints.
    pub fn start_with(more: impl FnOnce(Endpoints) -> Endpoints) -> Self {
        Self::build(|endpoints, _, _| more(endpoints))
    }

    /// Starts one that programs come to over OAuth; a dialect with a memory is spoken under
    /// `/mcp/quipu`. What the owner says is said to the desk itself.
    pub fn start_remote() -> (Self, Arc<Desk>) {
        let mut desk = None;
        let bed = Self::build(|endpoints, address, memory| {
            let site = Site::new(&PublicUrl::of(address).to_string());
            let made = desk.insert(Arc::new(Desk::new(memory.clients(), site)));
            let endpoints = endpoints.remote(Arc::clone(made), memory.engine());
            endpoints.dialect("/mcp/quipu", memory.engine(), Arc::new(Quipu::default())).unwrap()
        });
        (bed, desk.unwrap())
    }

    fn build(more: impl FnOnce(Endpoints, SocketAddr, &Memory) -> Endpoints) -> Self {
        let runtime = Runtime::new().unwrap();
        let memory = runtime.block_on(Memory::new()).unwrap();
        let endpoints = Endpoints::new()
            .dialect("/mcp", memory.engine(), Arc::new(TestDialect::new()))
            .unwrap();
        let endpoints = endpoints.route("/fixture", fixture::route());
        let bound = runtime.block_on(quipu_server::bind(any_port())).unwrap();
        let endpoints = more(endpoints, bound.address(), &memory);
        let listening = bound.serving(config(&memory), endpoints).unwrap();
        let (address, stop) = (listening.address(), CancellationToken::new());
        let serving = Some(serve(runtime, listening, stop.clone()));
        Self { address, stop, serving, memory }
    }

    /// A key of an owner for an agent, as the owner makes it.
    pub fn key(&self, owner: &str, agent: &str, scope: Permission) -> KeyCreated {
        let owner = OwnerId::new(owner).unwrap();
        let input = CreateKey {
            agent: AgentName::new(agent),
            label: String::new(),
            scope,
            expires_at: None,
            form: KeyForm::Quipu,
        };
        let runtime = Runtime::new().unwrap();
        runtime.block_on(self.memory.make_owner(&owner)).unwrap();
        runtime
            .block_on(self.memory.credentials().create_key(&Caller::person(owner), &input))
            .unwrap()
    }

    /// Takes a key back.
    pub fn revoke(&self, owner: &str, key: KeyId) {
        let owner = Caller::person(OwnerId::new(owner).unwrap());
        let runtime = Runtime::new().unwrap();
        runtime.block_on(self.memory.credentials().revoke_key(&owner, key)).unwrap();
    }

    /// Tells it to stop, as a signal would.
    pub fn tell_to_stop(&self) {
        self.stop.cancel();
    }

    /// Stops it and waits for its end.
    pub fn stop(mut self) -> std::io::Result<()> {
        self.stop.cancel();
        self.serving.take().unwrap().join().unwrap()
    }

    /// Asks with the token and nothing unusual.
    pub fn ask(&self, ask: Ask) -> Answer {
        ask.header("Authorization", &format!("Bearer {TOKEN}")).send(self.address)
    }

    /// One message of the protocol's revision of 2025-11-25.
    pub fn rpc(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let ask = Ask::message(&message).header("MCP-Protocol-Version", "2025-11-25");
        self.ask(ask).json()
    }

    /// One call of a tool.
    pub fn call(&self, tool: &str, arguments: Value) -> Value {
        self.rpc("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// What the test dialect counted.
    pub fn tally(&self) -> Value {
        self.call("tally", json!({}))["result"]["structuredContent"].clone()
    }

    /// Until a count is one; the test runner's own limit is the only clock.
    pub fn wait_for(&self, count: &str) {
        while self.tally()[count] != 1 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

impl Drop for Bed {
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

pub fn config(memory: &Memory) -> HttpConfig {
    let (owner, token) = (OwnerId::me(), Token::new(TOKEN).unwrap());
    HttpConfig { owner, token, credentials: memory.credentials(), public: None }
}

fn serve(
    runtime: Runtime,
    listening: Listening,
    stop: CancellationToken,
) -> JoinHandle<std::io::Result<()>> {
    std::thread::spawn(move || runtime.block_on(listening.serve(stop.cancelled_owned())))
}

//! A memory with a window, served in this process at a port of its own.

use crate::wire::{Answer, Ask};
use dashboard::Window;
use embed::Bundled;
use engine::{Caller, Credentials, Engine, Parts, Remember, SystemClock};
use model::{AgentName, Dialect, MemoryId, Moment, OwnerId};
use serde_json::Value;
use server::{Endpoints, HttpConfig, Token, Visits};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use store::Control;
use store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;
use tokio::runtime::{Handle, Runtime};
use tokio_util::sync::CancellationToken;

/// What stands for the owner in every test.
pub const TOKEN: &str = "qp_a-token-for-tests-0123456789";

/// A running window; stops when dropped.
pub struct Bed {
    pub address: SocketAddr,
    pub engine: Arc<Engine>,
    pub visits: Visits,
    runtime: Handle,
    stop: CancellationToken,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    pub home: TempDir,
}

impl Bed {
    /// Over an empty memory.
    pub fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let home = tempfile::tempdir().unwrap();
        let (engine, credentials) = runtime.block_on(engine(&home));
        let token = Token::new(TOKEN).unwrap();
        let visits = Visits::new(token.clone());
        let window = Window {
            engine: Arc::clone(&engine),
            credentials: Arc::clone(&credentials),
            visits: visits.clone(),
            backups: home.path().join("backups"),
        };
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = HttpConfig { owner: OwnerId::me(), token, credentials, public: None };
        let endpoints = dashboard::add(Endpoints::new(), &window);
        let listening = runtime.block_on(server::bind(address)).unwrap().serving(config, endpoints).unwrap();
        let (address, stop) = (listening.address(), CancellationToken::new());
        let (handle, ends) = (runtime.handle().clone(), stop.clone());
        let serving = std::thread::spawn(move || runtime.block_on(listening.serve(ends.cancelled_owned())));
        Self { address, engine, visits, runtime: handle, stop, serving: Some(serving), home }
    }

    /// Asks with the owner's token.
    pub fn ask(&self, ask: Ask) -> Answer {
        ask.header("Authorization", &format!("Bearer {TOKEN}")).send(self.address)
    }

    /// Asks with the owner's token, and expects that it is done.
    #[track_caller]
    pub fn done(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(Ask::json(method, path, body));
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        answer.json()
    }

    /// Reads with the owner's token.
    #[track_caller]
    pub fn read(&self, path: &str) -> Value {
        let answer = self.ask(Ask::new("GET", path));
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// A link that opens the window once.
    pub fn link(&self) -> String {
        format!("http://{}{}?link={}", self.address, dashboard::LOGIN, self.visits.invite().unwrap())
    }

    /// Does something with the engine.
    pub fn with<T>(&self, work: impl AsyncFnOnce(&Engine) -> T) -> T {
        self.runtime.block_on(work(&self.engine))
    }

    /// An agent remembers something.
    pub fn told_by(&self, agent: &str, remember: &Remember) -> MemoryId {
        let caller = Caller::agent(OwnerId::me(), AgentName::new(agent), Dialect::Quipu).using("remember");
        self.with(async |engine| engine.remember(&caller, remember).await).unwrap().id.unwrap()
    }
}

async fn engine(home: &TempDir) -> (Arc<Engine>, Arc<Credentials>) {
    let store = SqliteStore::open(home.path(), Options::default()).unwrap();
    store.create_owner(&OwnerId::me(), Moment(0)).await.unwrap();
    let embedder = Arc::new(Bundled::new());
    let control = Arc::new(store.clone());
    let parts = Parts { store: Arc::new(store), embedder, clock: Arc::new(SystemClock), snapshots: None };
    let engine = Arc::new(Engine::new(parts));
    let credentials = Arc::new(Credentials::new(control, Arc::clone(&engine)));
    (engine, credentials)
}

impl Drop for Bed {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            _ = serving.join();
        }
    }
}

//! Fixture: a memory with a dashboard, served in this process on a port of its own.

use crate::raw_http::{RawRequest, RawResponse};
use dashboard::{Dashboard, ProviderLogin};
use dialects::{
    Agentic, CodeMemory, CodeMemorySettings, DialectApi, Epitome, Librarian, Quipu,
    WorkspaceAllowlist,
};
use embed::BundledEmbedder;
use engine::credentials::Credentials;
use engine::people::People;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::{Caller, Engine, Parts, SystemClock};
use model::{AgentName, Dialect, MemoryId, Moment, OwnerId};
use oauth::{AuthorizationServer, Site};
use oidc::{ProviderSettings, SignIn};
use parking_lot::Mutex;
use serde_json::Value;
use server::{
    BrowserSessions, Endpoints, HttpConfig, OwnerPassword, OwnerToken, PasswordStore, PublicUrl,
    ServedDialect,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use store::{Change, CommittedBatch, Control, OwnerValues, Store};
use store_sqlite::{Options, SqliteStore};
use tempfile::TempDir;
use testkit::fake_provider::{CLIENT_ID, CLIENT_SECRET, FakeProvider};
use tokio::runtime::{Handle, Runtime};
use tokio_util::sync::CancellationToken;

/// Owner's token in every test.
pub const TOKEN: &str = "qp_a-token-for-tests-0123456789";

/// A running dashboard that stops when dropped.
pub struct DashboardFixture {
    pub address: SocketAddr,
    pub engine: Arc<Engine>,
    pub sessions: BrowserSessions,
    pub store: SqliteStore,
    runtime: Handle,
    stop: CancellationToken,
    serving: Option<JoinHandle<std::io::Result<()>>>,
    pub home: TempDir,
}

impl DashboardFixture {
    /// Starts a dashboard over an empty memory.
    pub fn start() -> Self {
        Self::build(tempfile::tempdir().unwrap(), |_, _| None, None)
    }

    /// Starts a dashboard at which people sign in through a provider.
    pub fn start_with_provider(provider: &FakeProvider, creates_owners: bool) -> Self {
        let values = OwnerValues::local(OwnerId::me());
        Self::build(
            tempfile::tempdir().unwrap(),
            |address, values| {
                let settings = ProviderSettings::new(provider.issuer(), CLIENT_ID).unwrap();
                let client_secret = Some(CLIENT_SECRET.to_owned());
                let settings = ProviderSettings { client_secret, ..settings };
                let back = format!("{address}{}", dashboard::SIGN_IN_RETURN);
                let sign_in = SignIn::new(settings, &back, values.clone());
                Some(ProviderLogin { sign_in, creates_owners })
            },
            Some(values),
        )
    }

    fn build(
        home: TempDir,
        provider: impl FnOnce(&PublicUrl, &OwnerValues) -> Option<ProviderLogin>,
        values: Option<OwnerValues>,
    ) -> Self {
        let values = values.unwrap_or_else(|| OwnerValues::local(OwnerId::me()));
        let runtime = Runtime::new().unwrap();
        let (engine, store) = runtime.block_on(engine(&home));
        let credentials = Credentials::new(Arc::new(store.clone()), Arc::clone(engine.core()));
        let credentials = Arc::new(credentials.with_clients(Arc::new(store.clone())));
        let token = OwnerToken::new(TOKEN).unwrap();
        let bound = runtime.block_on(server::bind(SocketAddr::from(([127, 0, 0, 1], 0)))).unwrap();
        let address = PublicUrl::from_address(bound.address());
        let sessions = BrowserSessions::new(token.clone())
            .for_address(&address)
            .with_values(values.clone())
            .with_password(OwnerPassword::new(Arc::new(MemoryPasswordStore::default())));
        let site = Site::new(&address.to_string());
        let authorization_server =
            Arc::new(AuthorizationServer::new(Arc::new(store.clone()), site));
        let dashboard = Dashboard {
            owner: OwnerId::me(),
            provider: provider(&address, &values),
            engine: Arc::clone(&engine),
            credentials: Arc::clone(&credentials),
            sessions: sessions.clone(),
            oauth: Some(Arc::clone(&authorization_server)),
            backups: home.path().join("backups"),
            dialects: served_dialects(),
            jobs: dashboard::Jobs::local(Arc::new(engine::SystemClock)),
            demo: Some(Arc::new(|| Box::pin(demo_file()))),
        };
        let config = HttpConfig { owner: OwnerId::me(), token, credentials, public_url: None };
        let dialect = Arc::new(Quipu::default());
        let endpoints = Endpoints::new().dialect("/mcp", Arc::clone(&engine), dialect).unwrap();
        let endpoints = endpoints.with_oauth(authorization_server, Arc::clone(&engine));
        let listening = bound.into_server(config, dashboard::add_dashboard(endpoints, &dashboard));
        let listening = runtime.block_on(listening).unwrap();
        let (address, stop) = (listening.address(), CancellationToken::new());
        let (handle, ends) = (runtime.handle().clone(), stop.clone());
        let serving =
            std::thread::spawn(move || runtime.block_on(listening.serve(ends.cancelled_owned())));
        Self {
            address,
            engine,
            sessions,
            store,
            runtime: handle,
            stop,
            serving: Some(serving),
            home,
        }
    }

    /// Sends a request with the owner's token.
    pub fn ask(&self, ask: RawRequest) -> RawResponse {
        ask.header("Authorization", &format!("Bearer {TOKEN}")).send(self.address)
    }

    /// Sends a request with the owner's token and expects success.
    #[track_caller]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.ask(RawRequest::json(method, path, body));
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        answer.json()
    }

    /// Sends a GET request with the owner's token and expects success.
    #[track_caller]
    pub fn read(&self, path: &str) -> Value {
        let answer = self.ask(RawRequest::new("GET", path));
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Creates a one-time login link.
    pub fn link(&self) -> String {
        let creating = self.sessions.create_link(self.engine.now());
        let link = self.runtime.block_on(creating).unwrap();
        format!("http://{}{}?link={link}", self.address, dashboard::LOGIN)
    }

    /// Logs in with a link, as a browser does.
    pub fn log_in(&self) -> BrowserLogin {
        let link = self.link();
        let path = link.split_once(&self.address.to_string()).unwrap().1;
        self.follow_login(&RawRequest::new("GET", path).send(self.address))
    }

    /// Follows the response of a login at the plain address to the dashboard.
    #[track_caller]
    pub fn follow_login(&self, led: &RawResponse) -> BrowserLogin {
        let cookie = led.header("set-cookie").unwrap_or_default();
        assert!(led.status == 200 && !cookie.contains("quipu_session"), "{led:?}");
        let go = meta(&led.body, "go").replace("&amp;", "&");
        let (host, path) = go.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let entry = RawRequest::new("GET", &format!("/{path}")).header("Host", host);
        let opened = entry.send(self.address);
        assert_eq!(opened.status, 200, "{opened:?}");
        BrowserLogin {
            host: host.to_owned(),
            set_cookie: opened.header("set-cookie").unwrap().to_owned(),
            form_token: meta(&opened.body, "form-token").to_owned(),
            next: meta(&opened.body, "go").to_owned(),
        }
    }

    /// Runs something with the people of the server.
    pub fn with_people<T>(&self, work: impl AsyncFnOnce(People<'_>) -> T) -> T {
        let store = Arc::new(self.store.clone());
        let credentials = Credentials::new(store, Arc::clone(self.engine.core()));
        self.runtime.block_on(work(credentials.people()))
    }

    /// Runs something with the engine.
    pub fn with_engine<T>(&self, work: impl AsyncFnOnce(&Engine) -> T) -> T {
        self.runtime.block_on(work(&self.engine))
    }

    /// Writes directly to the store, bypassing the engine.
    pub fn write(&self, changes: Vec<Change>) -> CommittedBatch {
        let batch = store_conformance::builders::batch(changes);
        self.runtime.block_on(self.store.write(&OwnerId::me(), batch)).unwrap()
    }

    /// Recalls as an agent and returns the number of hits.
    pub fn recall_as(&self, agent: &str, recall: &RecallRequest) -> usize {
        let caller =
            Caller::agent(OwnerId::me(), AgentName::new(agent), Dialect::Quipu).with_tool("recall");
        self.with_engine(async |engine| engine.memories().recall(&caller, recall).await)
            .unwrap()
            .hits
            .len()
    }

    /// Remembers something as an agent.
    pub fn remember_as(&self, agent: &str, remember: &RememberRequest) -> MemoryId {
        let caller = Caller::agent(OwnerId::me(), AgentName::new(agent), Dialect::Quipu)
            .with_tool("remember");
        self.with_engine(async |engine| engine.memories().remember(&caller, remember).await)
            .unwrap()
            .id
            .unwrap()
    }
}

/// A browser in which the owner has logged in.
pub struct BrowserLogin {
    /// Host name of the dashboard, with its port.
    pub host: String,
    pub set_cookie: String,
    pub form_token: String,
    /// Page that the login leads to.
    pub next: String,
}

impl BrowserLogin {
    /// Adds what the browser sends with every request to the dashboard.
    pub fn send(&self, ask: RawRequest, to: SocketAddr) -> RawResponse {
        ask.header("Host", &self.host).header("Cookie", self.cookie()).send(to)
    }

    pub fn cookie(&self) -> &str {
        self.set_cookie.split(';').next().unwrap()
    }
}

/// Returns a value that a page hands to its script.
#[track_caller]
pub fn meta<'p>(page: &'p str, name: &str) -> &'p str {
    let before = format!(r#"name="{name}" content=""#);
    let after = page.split(&before).nth(1).unwrap_or_else(|| panic!("no {name} in {page}"));
    after.split('"').next().unwrap()
}

/// Returns an export of a small memory, as a demo.
async fn demo_file() -> Result<Vec<u8>, String> {
    let home = tempfile::tempdir().unwrap();
    let (engine, _store) = engine(&home).await;
    let person = Caller::person(OwnerId::me()).with_tool("remember");
    let remember = RememberRequest {
        tags: vec![dashboard::DEMO_TAG.to_owned()],
        ..RememberRequest::text("Clay comes on Tuesdays.")
    };
    engine.memories().remember(&person, &remember).await.unwrap();
    let mut file = Vec::new();
    interchange::export_jsonl(&engine, &person, &mut file, |_| {}).await.unwrap();
    Ok(file)
}

/// Returns all dialects; previews show each of them.
fn served_dialects() -> Vec<ServedDialect> {
    let all: [(&str, Arc<dyn DialectApi>); 5] = [
        ("/mcp", Arc::new(Quipu::default())),
        ("/mcp/epitome", Arc::new(Epitome::default())),
        ("/mcp/librarian", Arc::new(Librarian::default())),
        ("/mcp/agentic", Arc::new(Agentic::new(WorkspaceAllowlist::default()))),
        ("/mcp/codememory", Arc::new(CodeMemory::new(CodeMemorySettings::default()))),
    ];
    all.map(|(path, api)| ServedDialect::new(path.to_owned(), api).unwrap()).into()
}

async fn engine(home: &TempDir) -> (Arc<Engine>, SqliteStore) {
    let store = SqliteStore::open(home.path(), Options::default()).unwrap();
    store.create_owner(&OwnerId::me(), Moment(0)).await.unwrap();
    let embedder = Arc::new(BundledEmbedder::new());
    let shared_store = Arc::new(store.clone());
    let parts =
        Parts { store: shared_store, embedder, clock: Arc::new(SystemClock), snapshots: None };
    (Arc::new(Engine::new(parts)), store)
}

/// Password storage in memory.
#[derive(Default)]
struct MemoryPasswordStore(Mutex<Option<String>>);

#[async_trait::async_trait]
impl PasswordStore for MemoryPasswordStore {
    async fn read(&self) -> std::io::Result<Option<String>> {
        Ok(self.0.lock().clone())
    }

    async fn write(&self, hash: &str) -> std::io::Result<()> {
        *self.0.lock() = Some(hash.to_owned());
        Ok(())
    }
}

impl Drop for DashboardFixture {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            _ = serving.join();
        }
    }
}

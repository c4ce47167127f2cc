//! The benchmark fixture: a filled home directory, the engine, and the two dialects to call.

use crate::echo::EchoDialect;
use crate::server_runtime::ServerRuntime;
use dialects::{DialectApi, Quipu};
use embed::BundledEmbedder;
use engine::credentials::{CreateKeyRequest, Credentials};
use engine::grants::SetGrantRequest;
use engine::remember::RememberRequest;
use engine::{Caller, Engine, KeyForm, Parts, SystemClock};
use model::{AgentName, OwnerId, Permission};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Control;
use testkit::TempStore;
use testkit::bench::{MEMORY_WORDS, StoreFiller, Xorshift, text};

/// About what a new user has after a week.
const SECOND_OWNERS_MEMORIES: usize = 300;

pub struct RoundtripFixture {
    home: TempStore,
    pub engine: Arc<Engine>,
    quipu: Arc<Quipu>,
    echo: Arc<EchoDialect>,
}

impl RoundtripFixture {
    /// Creates a home directory with `size` memories, in the layout of the program.
    pub async fn filled(size: usize) -> Self {
        let home = TempStore::new().await;
        StoreFiller::new().fill(&*home, size).await;
        let engine = Engine::new(Parts {
            store: Arc::new((*home).clone()),
            embedder: Arc::new(BundledEmbedder::new()),
            clock: Arc::new(SystemClock),
            snapshots: Some(Arc::new(home.snapshot_files())),
        });
        let fixture = Self {
            home,
            engine: Arc::new(engine),
            quipu: Arc::new(Quipu::default()),
            echo: Arc::new(EchoDialect::new()),
        };
        // A home directory in use has a snapshot, which a recall and a clean shutdown leave behind.
        let arguments = serde_json::json!({"query": "data"});
        call_tool(fixture.quipu(), Arc::clone(&fixture.engine), "recall", arguments).await;
        fixture.engine.flush().await;
        fixture
    }

    /// Returns the credentials of all owners.
    pub fn credentials(&self) -> Arc<Credentials> {
        Arc::new(Credentials::new(Arc::new((*self.home).clone()), Arc::clone(self.engine.core())))
    }

    /// Creates another owner with a few memories and returns a key of it.
    pub async fn second_owner(&self, owner: &OwnerId) -> String {
        self.home.create_owner(owner, self.engine.now()).await.expect("an owner");
        let caller = Caller::person(owner.clone());
        let mut rng = Xorshift::new(9);
        for _ in 0..SECOND_OWNERS_MEMORIES {
            let input = RememberRequest::text(text(&mut rng, MEMORY_WORDS));
            self.engine.memories().remember(&caller, &input).await.expect("remembered");
        }
        let (agent, label) = (AgentName::new("quiet"), "bench".to_owned());
        let (scope, expires_at) = (Permission::Write, None);
        let grant = SetGrantRequest {
            agent: agent.clone(),
            resource: "*".to_owned(),
            permission: Permission::Write,
        };
        self.engine.admin().set_grants(&caller, &[grant]).await.expect("granted");
        let input = CreateKeyRequest { agent, label, scope, expires_at, form: KeyForm::Quipu };
        let created = self.credentials().create_key(&caller, &input).await.expect("a key");
        created.secret.reveal().to_owned()
    }

    pub fn path(&self) -> &Path {
        self.home.home()
    }

    /// Returns the path of the snapshot of the view.
    pub fn snapshot(&self) -> PathBuf {
        self.home.owner_dir(&OwnerId::me()).join("view.snapshot")
    }

    pub fn quipu(&self) -> Arc<dyn DialectApi> {
        Arc::clone(&self.quipu) as Arc<dyn DialectApi>
    }

    pub fn echo(&self) -> Arc<dyn DialectApi> {
        Arc::clone(&self.echo) as Arc<dyn DialectApi>
    }

    /// Calls a tool directly, on a runtime like that of a transport.
    pub fn call(
        &self,
        runtime: &ServerRuntime,
        dialect: &Arc<dyn DialectApi>,
        tool: &'static str,
        arguments: Value,
    ) -> Value {
        runtime.run(call_tool(Arc::clone(dialect), Arc::clone(&self.engine), tool, arguments))
    }
}

async fn call_tool(
    dialect: Arc<dyn DialectApi>,
    engine: Arc<Engine>,
    tool: &'static str,
    arguments: Value,
) -> Value {
    let caller = Caller::agent(OwnerId::me(), AgentName::new("bench"), model::Dialect::Quipu)
        .with_tool(tool);
    let arguments = arguments.as_object().expect("an object").clone();
    dialect.call(&engine, &caller, tool, arguments).await.expect("the call is answered")
}

//! The benchmark fixture: a filled home directory, the engine, and the two dialects to call.

use crate::echo::Echo;
use crate::stage::Stage;
use dialects::{Dialect, Quipu};
use embed::Bundled;
use engine::credentials::{CreateKey, Credentials};
use engine::grants::SetGrant;
use engine::remember::Remember;
use engine::{Caller, Engine, KeyForm, Parts, SystemClock};
use model::{AgentName, OwnerId, Permission};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use store::Control;
use testkit::TempStore;
use testkit::bench::{Dice, Filled, WORDS, text};

/// About what a new user has after a week.
const SECOND_OWNERS_MEMORIES: usize = 300;

pub struct House {
    home: TempStore,
    pub engine: Arc<Engine>,
    quipu: Arc<Quipu>,
    echo: Arc<Echo>,
}

impl House {
    /// Creates a home directory with `size` memories, in the layout of the program.
    pub async fn filled(size: usize) -> Self {
        let home = TempStore::new().await;
        Filled::new().fill(&*home, size).await;
        let snapshot_store = (*home).clone();
        let engine = Engine::new(Parts {
            store: Arc::new((*home).clone()),
            embedder: Arc::new(Bundled::new()),
            clock: Arc::new(SystemClock),
            snapshots: Some(Arc::new(move |owner: &OwnerId| {
                snapshot_store.owner_dir(owner).join("view.snapshot")
            })),
        });
        let fixture = Self {
            home,
            engine: Arc::new(engine),
            quipu: Arc::new(Quipu::default()),
            echo: Arc::new(Echo::new()),
        };
        // A home directory in use has a snapshot, which a recall and a clean shutdown leave behind.
        let arguments = serde_json::json!({"query": "data"});
        called(fixture.quipu(), Arc::clone(&fixture.engine), "recall", arguments).await;
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
        let mut rng = Dice::new(9);
        for _ in 0..SECOND_OWNERS_MEMORIES {
            let input = Remember::text(text(&mut rng, WORDS));
            self.engine.memories().remember(&caller, &input).await.expect("remembered");
        }
        let (agent, label) = (AgentName::new("quiet"), "bench".to_owned());
        let (scope, expires_at) = (Permission::Write, None);
        let grant = SetGrant {
            agent: agent.clone(),
            resource: "*".to_owned(),
            permission: Permission::Write,
        };
        self.engine.admin().set_grants(&caller, &[grant]).await.expect("granted");
        let input = CreateKey { agent, label, scope, expires_at, form: KeyForm::Quipu };
        let created = self.credentials().create_key(&caller, &input).await.expect("a key");
        created.secret.reveal().to_owned()
    }

    pub fn path(&self) -> &Path {
        self.home.home()
    }

    pub fn quipu(&self) -> Arc<dyn Dialect> {
        Arc::clone(&self.quipu) as Arc<dyn Dialect>
    }

    pub fn echo(&self) -> Arc<dyn Dialect> {
        Arc::clone(&self.echo) as Arc<dyn Dialect>
    }

    /// Calls a tool directly, on a runtime like that of a transport.
    pub fn call(
        &self,
        runtime: &Stage,
        dialect: &Arc<dyn Dialect>,
        tool: &'static str,
        arguments: Value,
    ) -> Value {
        runtime.run(called(Arc::clone(dialect), Arc::clone(&self.engine), tool, arguments))
    }
}

async fn called(
    dialect: Arc<dyn Dialect>,
    engine: Arc<Engine>,
    tool: &'static str,
    arguments: Value,
) -> Value {
    let caller = Caller::agent(OwnerId::me(), AgentName::new("bench"), model::Dialect::Quipu);
    let arguments = arguments.as_object().expect("an object").clone();
    dialect.call(&engine, &caller, tool, arguments).await.expect("the call is answered")
}

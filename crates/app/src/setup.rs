//! Home directory, configuration and terminal of a run, and opening the memory with its store,
//! embedder and clock. Pending writes of the engine are flushed before a command ends, also when it
//! fails.

use crate::background::BackgroundTasks;
use crate::client_env::detect_client_env;
use crate::config::{Config, StatementMode};
use crate::embedder::ConfiguredEmbedder;
use crate::exit::Problem;
use crate::files;
use crate::home_dir::{BACKUPS_DIR, HomeDir};
use crate::job_lease::JobLeases;
use crate::leftovers;
use crate::lost_files::memory_problem;
use crate::physical_memory;
use crate::store_choice::{AnyStore, open_postgres};
use crate::terminal::{OutputFormat, Terminal};
use crate::turn_delivery::TurnDelivery;
use client_hooks::TurnSpool;
use dialects::{DialectApi, Quipu};
use engine::credentials::Credentials;
use engine::{Caller, Clock, Engine, Parts, Ranking, SystemClock};
use model::{JsonMap, OwnerId};
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use store::{Control, JobFiles, OwnerValues, ViewSnapshots};
use store_postgres::PostgresStore;
use store_sqlite::{Options, SqliteStore};

/// The dialect that commands call tools of. Lazy, because generating its schemas takes
/// milliseconds that most commands need not spend.
static DIALECT: LazyLock<Quipu> = LazyLock::new(Quipu::default);

/// Everything known before a memory is opened.
#[derive(Debug)]
pub struct Setup {
    pub home: HomeDir,
    pub config: Config,
    pub terminal: Terminal,
}

/// The global options of the command line.
#[derive(Debug)]
pub struct SetupOptions<'a> {
    pub home: Option<&'a Path>,
    pub owner: Option<&'a str>,
    /// Address of the store, where the command names one.
    pub store: Option<&'a str>,
    pub format: OutputFormat,
}

/// An open memory, and the caller that commands act as.
pub struct OpenMemory {
    pub engine: Arc<Engine>,
    pub store: Arc<dyn AnyStore>,
    /// Values that expire, of this owner: shared by the servers of a database, else in memory.
    pub values: OwnerValues,
    /// The database that servers share, where the store is one.
    pub database: Option<Arc<PostgresStore>>,
    /// The snapshots of search views: files, or rows of the database.
    pub snapshots: Arc<dyn ViewSnapshots>,
    pub embedder: ConfiguredEmbedder,
    /// The owner in person, at the command line.
    pub caller: Caller,
    epitome_keys: bool,
    transcript_days: u32,
    statements: StatementMode,
}

impl Setup {
    /// Finds the home directory and reads the configuration in it.
    ///
    /// # Errors
    /// Fails when no home directory can be determined, or the configuration is invalid.
    pub fn new(options: &SetupOptions<'_>) -> Result<Self, Problem> {
        let home = HomeDir::find(options.home, |name| std::env::var_os(name))?;
        let mut config = Config::load(&home.config_file(), env_var)?;
        if let Some(owner) = options.owner {
            config.owner = OwnerId::new(owner).map_err(|error| {
                Problem::usage(
                    error.to_string(),
                    "`--owner` selects another owner's memory; leave it out for your own.",
                )
            })?;
        }
        if let Some(store) = options.store {
            config.set_store(store, "--store")?;
        }
        Ok(Self { home, config, terminal: Terminal::new(options.format, env_var) })
    }

    /// Opens the memory, runs `work` on it and flushes the engine, also when `work` failed.
    ///
    /// # Errors
    /// Fails when the memory cannot be opened, or `work` fails.
    pub async fn with_memory<T>(
        &self,
        work: impl AsyncFnOnce(&OpenMemory) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let opened = self.open().await?;
        let result = work(&opened).await;
        // Usage counts and read events are written behind; without this a short-lived process would
        // lose them.
        opened.engine.flush().await;
        result
    }

    /// Returns the configured embedder. Its own files are in the home directory, whichever memory
    /// it embeds for.
    ///
    /// # Errors
    /// Fails when its settings are invalid.
    pub fn embedder(&self) -> Result<ConfiguredEmbedder, Problem> {
        ConfiguredEmbedder::from_config(&self.config.embedder, self.home.path())
    }

    /// Returns the file of the memory, or the address of its database without a password.
    pub fn memory_location(&self) -> String {
        let shown = self.config.store.as_deref().map(store_postgres::check_address);
        match shown {
            Some(shown) => shown.unwrap_or_else(|error| error.to_string()),
            None => self.home.memory_db(&self.config.owner).display().to_string(),
        }
    }

    /// Opens the memory, creating it on first use. The search view is loaded by the first recall.
    async fn open(&self) -> Result<OpenMemory, Problem> {
        self.home.create()?;
        leftovers::remove(&self.home, &self.config.owner);
        let (embedder, clock) = (self.embedder()?, Arc::new(SystemClock));
        let opened = match &self.config.store {
            Some(url) => self.open_shared(url, embedder, clock).await?,
            None => open_at(self.home.path(), &self.config, embedder, clock).await?,
        };
        let mut caller = Caller::person(self.config.owner.clone());
        caller.environment = detect_client_env(&self.home, env_var);
        Ok(OpenMemory { caller, ..opened })
    }
}

impl Setup {
    /// Opens the memory in a database. Snapshots of its search views are there too: a file of them
    /// would outlive what another server erases.
    async fn open_shared(
        &self,
        url: &str,
        embedder: ConfiguredEmbedder,
        clock: Arc<dyn Clock>,
    ) -> Result<OpenMemory, Problem> {
        let owner = &self.config.owner;
        files::create_private_dir(&self.home.owner_dir(owner))?;
        let store = Arc::new(open_postgres(&self.home, &self.config, url).await?);
        store.create_owner(owner, clock.now()).await?;
        let (ranking, snapshots) = (Ranking::default(), store.clone());
        let engine = EngineSetup { embedder, clock, ranking, snapshots };
        let values = OwnerValues::new(store.clone(), owner.clone());
        let database = Some(Arc::clone(&store));
        Ok(OpenMemory { values, database, ..engine.open(store, &self.config) })
    }
}

/// Opens the configured owner's memory in a directory.
///
/// # Errors
/// Fails when the directory or the store in it cannot be used.
pub async fn open_at(
    home: &Path,
    config: &Config,
    embedder: ConfiguredEmbedder,
    clock: Arc<dyn Clock>,
) -> Result<OpenMemory, Problem> {
    open_with_ranking(home, config, embedder, clock, Ranking::default()).await
}

/// Opens the memory with another ranking, to measure it.
///
/// # Errors
/// Fails when the directory or the store in it cannot be used.
pub async fn open_with_ranking(
    home: &Path,
    config: &Config,
    embedder: ConfiguredEmbedder,
    clock: Arc<dyn Clock>,
    ranking: Ranking,
) -> Result<OpenMemory, Problem> {
    let owner = &config.owner;
    let options = Options { busy_timeout: config.busy_timeout, ..Options::default() };
    let store = SqliteStore::open(home, options)?;
    let present = if store.owners().await?.contains(owner) {
        // Checked here, and not only when the memory is opened: that a memory is lost concerns
        // every command, also one that does not read it.
        store.check_present(owner)
    } else {
        store.create_owner(owner, clock.now()).await
    };
    present.map_err(|error| memory_problem(&home.join(BACKUPS_DIR), owner, error))?;
    let snapshots = Arc::new(store.snapshot_files());
    let engine = EngineSetup { embedder, clock, ranking, snapshots };
    Ok(engine.open(Arc::new(store), config))
}

/// The parts of an engine besides its store.
struct EngineSetup {
    embedder: ConfiguredEmbedder,
    clock: Arc<dyn Clock>,
    ranking: Ranking,
    snapshots: Arc<dyn ViewSnapshots>,
}

impl EngineSetup {
    fn open(self, store: Arc<dyn AnyStore>, config: &Config) -> OpenMemory {
        let Self { embedder, clock, ranking, snapshots } = self;
        let parts = Parts {
            store: store.clone(),
            embedder: Arc::clone(&embedder.embedder),
            clock,
            snapshots: Some(Arc::clone(&snapshots)),
        };
        let quarter = physical_memory::quarter;
        let view_memory = config.view_memory.map_or_else(quarter, |mib| mib << 20);
        let options =
            engine::Options { ranking, on_secret: config.secrets, view_memory: Some(view_memory) };
        let engine = Arc::new(Engine::with_options(parts, options));
        let (caller, epitome_keys) = (Caller::person(config.owner.clone()), config.epitome_keys);
        let (transcript_days, statements) = (config.hooks.transcript_days, config.hooks.statements);
        OpenMemory {
            engine,
            store,
            values: OwnerValues::local(config.owner.clone()),
            database: None,
            snapshots,
            embedder,
            caller,
            epitome_keys,
            transcript_days,
            statements,
        }
    }
}

impl OpenMemory {
    /// Calls a tool of Quipu's own dialect as the owner: scripts get what agents get.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn call_tool(&self, tool: &str, arguments: JsonMap) -> Result<Value, Problem> {
        self.call_tool_as(self.caller.clone(), tool, arguments).await
    }

    /// Calls a tool as another caller.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn call_tool_as(
        &self,
        caller: Caller,
        tool: &str,
        arguments: JsonMap,
    ) -> Result<Value, Problem> {
        let (caller, original) = (caller.with_tool(tool), arguments.clone());
        let answer = DIALECT.call(&self.engine, &caller, tool, arguments).await;
        if let Err(failure) = &answer {
            // A use case logs its success itself; failures, also of the arguments, are logged here.
            self.engine.note_failed(&caller, &original, failure).await;
        }
        Ok(answer?)
    }

    /// Returns the same memory with a caller outside of any project.
    pub fn outside_projects(&self) -> Self {
        let mut caller = self.caller.clone();
        caller.environment.project = None;
        let (engine, store) = (Arc::clone(&self.engine), self.store.clone());
        Self {
            engine,
            store,
            values: self.values.clone(),
            database: self.database.clone(),
            snapshots: Arc::clone(&self.snapshots),
            embedder: self.embedder.clone(),
            caller,
            epitome_keys: self.epitome_keys,
            transcript_days: self.transcript_days,
            statements: self.statements,
        }
    }

    /// Returns the background tasks of a long-running process.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers.
    pub fn background_tasks(&self, home: &HomeDir) -> Result<BackgroundTasks, Problem> {
        let (engine, store) = (Arc::clone(&self.engine), self.store.clone());
        let leases = JobLeases::new(self.values.clone())
            .map_err(|error| Problem::failed(error.to_string(), "Try again."))?;
        Ok(BackgroundTasks {
            leases,
            engine,
            store,
            caller: self.caller_for("upkeep"),
            authorization_server: None,
            job_files: self.database.clone().map(|database| database as Arc<dyn JobFiles>),
            backups_dir: home.backups_dir(),
            turns: (TurnSpool::new(&home.spool_dir(&self.caller.owner)), self.turn_delivery()),
        })
    }

    /// Returns the delivery of captured turns into this memory.
    pub fn turn_delivery(&self) -> TurnDelivery {
        let (transcript_days, statements) = (self.transcript_days, self.statements);
        TurnDelivery { owner: self.caller.owner.clone(), transcript_days, statements }
    }

    /// Returns the credentials of every owner in this home directory.
    pub fn credentials(&self) -> Credentials {
        let credentials = Credentials::new(self.store.clone(), Arc::clone(self.engine.core()));
        credentials.with_clients(self.store.clone()).with_epitome_keys(self.epitome_keys)
    }

    /// Returns the caller for a use case that no tool covers, as the audit log names it.
    pub fn caller_for(&self, command: &str) -> Caller {
        self.caller.clone().with_tool(command)
    }
}

/// Returns an environment variable, if it is set and valid Unicode.
pub fn env_var(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

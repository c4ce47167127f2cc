//! `quipu serve`: MCP over HTTP for clients with the token, a key or OAuth consent, and the
//! dashboard for the owner. It listens on the loopback interface unless configured otherwise.

mod startup_message;

use super::demo;
use super::doctor;
use super::mcp::DialectArg;
use crate::browser::{self, RedirectFile};
use crate::command_output::CommandOutput;
use crate::config::Config;
use crate::exit::Problem;
use crate::password_file::owner_password;
use crate::server_address::AddressFile;
use crate::setup::{OpenMemory, Setup, env_var};
use crate::terminal::{OutputFormat, Terminal};
use crate::{reference_watcher, signals, token};
use clap::{Args, ValueEnum};
use dashboard::{Dashboard, Jobs, ProviderLogin, SIGN_IN_RETURN};
use engine::SystemClock;
use model::ErrorCode;
use oauth::{AuthorizationServer, Site};
use oauth_fetch::DocumentFetcher;
use oidc::SignIn;
use server::{
    BoundListener, BrowserSessions, Endpoints, HttpConfig, HttpError, HttpServer, LoginError,
    MetricsServer, OwnerToken, PublicUrl, Readiness, ServedDialect, UnknownDialect,
};
use startup_message::{StartupMessage, StartupSecrets};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const EXAMPLES: &str = "\
Examples:
  quipu serve
  quipu serve --listen 127.0.0.1:8080
  quipu serve --public-url https://memory.example
  quipu serve --store postgres://quipu@db.example/quipu

The token is generated once and stored in the file `token` in the home directory.
To replace it, delete the file and restart.

With OTEL_EXPORTER_OTLP_ENDPOINT or `traces` set, traces of calls are sent to that \
OpenTelemetry collector; they contain nothing of any memory.";

/// Serve the dashboard and MCP over HTTP
///
/// Opens the dashboard in your browser and prints a single-use link to it; over SSH, without a
/// display or without a terminal no browser is opened. Only this machine can
/// connect, unless --listen or --public-url opens it to others, which requires a password. Claude
/// Code, Codex and Cursor on this machine can use `quipu mcp`, which needs no server.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ServeArgs {
    /// Address to listen on [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
    /// Public URL, if a reverse proxy is in front of it
    #[arg(long, value_name = "URL", value_parser = PublicUrl::new)]
    public_url: Option<PublicUrl>,
    /// Address for metrics, health and readiness, without a credential
    ///
    /// Serves /metrics in the format of Prometheus, /healthz and /readyz. They tell nothing of any
    /// memory, but should not be reachable for strangers.
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_METRICS", hide_env_values = true)]
    metrics: Option<SocketAddr>,
    /// Address of a PostgreSQL database that several servers share
    ///
    /// Without it, the memory is in files in the home directory. Keep the password out of it: it
    /// comes from PGPASSWORD or from the file that `store_password_file` names.
    #[arg(long, value_name = "URL")]
    pub(super) store: Option<String>,
    /// Do not open the dashboard in the browser
    #[arg(long)]
    no_open: bool,
}

impl ServeArgs {
    /// Serves until the process receives a termination signal.
    ///
    /// # Errors
    /// Fails when the memory cannot be opened or the address cannot be bound.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let stop = signals::shutdown_token()?;
        let served = setup.with_memory(async |memory| {
            let token = token::load_or_create_token(&setup.home.token_file())?;
            let bound = server::bind(self.listen.unwrap_or(setup.config.listen))
                .await
                .map_err(bind_problem)?;
            let site = ServerUrl::new(
                &bound,
                self.public_url.clone().or_else(|| setup.config.public_url.clone()),
            );
            let sessions = BrowserSessions::new(parse_token(&token)?)
                .for_address(&site.effective)
                .with_values(memory.values.clone())
                .with_password(owner_password(setup, memory));
            let provider = site.provider_login(memory, setup)?;
            let sessions = if provider.is_some() { sessions.with_sign_in() } else { sessions };
            let dashboard = Dashboard { provider, ..site.dashboard(memory, setup, &sessions) };
            let listening =
                start_listening(bound, &site, memory, &setup.config, &token, &dashboard).await?;
            let secrets = if setup.terminal.interactive {
                let link = sessions.create_link(memory.engine.now()).await;
                let failed = |error: LoginError| Problem::failed(error.to_string(), "Try again.");
                Some(StartupSecrets { token, link: link.map_err(failed)? })
            } else {
                None
            };
            if let Some(address) = self.metrics {
                serve_metrics(address, readiness(memory), stop.clone()).await?;
            }
            doctor::warn_about_access(setup);
            let address = listening.address();
            let _address_file = AddressFile::write(setup, address)?;
            let message = StartupMessage { address, site: &site.effective, secrets, setup };
            // The socket is bound by now: a script that reads the message can connect at once.
            Terminal::print(&message.render())?;
            let opened = self.opens_browser(setup).then(|| open_dashboard(&message)).flatten();
            opened.iter().for_each(|file| drop(tokio::spawn(file.removal())));
            memory
                .background_tasks(&setup.home)?
                .with_authorization_server(dashboard.oauth.clone())
                .start(stop.clone());
            reference_watcher::start(memory, &setup.home, stop.clone());
            listening.serve(stop.cancelled_owned()).await.map_err(|error| {
                Problem::failed(format!("the server stopped: {error}"), "Start it again.")
            })
        });
        served.await?;
        Ok(CommandOutput::empty(setup.terminal))
    }
}

/// Serves metrics on an address of their own until the process ends.
async fn serve_metrics(
    address: SocketAddr,
    readiness: Readiness,
    stop: CancellationToken,
) -> Result<(), Problem> {
    let bound = MetricsServer::bind(address).await.map_err(bind_problem)?;
    tracing::info!(address = %bound.address(), "serving metrics");
    tokio::spawn(async move {
        if let Err(error) = bound.serve(readiness, stop.cancelled_owned()).await {
            tracing::error!(%error, "metrics are not served any more");
        }
    });
    Ok(())
}

impl ServeArgs {
    /// Returns true where a person sits in front of a browser.
    fn opens_browser(&self, setup: &Setup) -> bool {
        let terminal = setup.terminal;
        !self.no_open
            && terminal.interactive
            && terminal.format == OutputFormat::Text
            && browser::absent_browser(env_var).is_none()
    }
}

/// Opens the dashboard with the single-use link, and returns the file that leads there.
fn open_dashboard(message: &StartupMessage<'_>) -> Option<RedirectFile> {
    let directory = browser::redirect_directory(message.setup.home.path());
    RedirectFile::open(&message.dashboard_url(), &directory)
}

/// The URL of the server, as clients and browsers see it.
struct ServerUrl {
    /// Configured public URL.
    public: Option<PublicUrl>,
    /// Effective URL: the public one, or the address it listens on.
    effective: PublicUrl,
}

impl ServerUrl {
    fn new(bound: &BoundListener, public: Option<PublicUrl>) -> Self {
        let effective = public.clone().unwrap_or_else(|| PublicUrl::from_address(bound.address()));
        Self { public, effective }
    }

    /// Creates the login through an identity provider, if one is configured.
    fn provider_login(
        &self,
        memory: &OpenMemory,
        setup: &Setup,
    ) -> Result<Option<ProviderLogin>, Problem> {
        let Some(settings) = setup.config.oidc.provider()? else { return Ok(None) };
        let back = format!("{}{SIGN_IN_RETURN}", self.effective);
        let sign_in = SignIn::new(settings, &back, memory.values.clone());
        let creates_owners = setup.config.oidc.create_owners;
        Ok(Some(ProviderLogin { sign_in, creates_owners }))
    }

    /// Creates the dashboard, with the OAuth authorization server if it is offered.
    fn dashboard(
        &self,
        memory: &OpenMemory,
        setup: &Setup,
        sessions: &BrowserSessions,
    ) -> Dashboard {
        // OAuth clients accept plain http on the loopback interface only.
        let offered = self.effective.is_https() || self.effective.is_local();
        let oauth = || {
            let site = Site::new(&self.effective.to_string());
            let oauth = AuthorizationServer::new(memory.store.clone(), site)
                .with_values(memory.values.clone());
            let fetched = setup.config.client_documents;
            Arc::new(if fetched {
                oauth.with_documents(Arc::new(DocumentFetcher::new()))
            } else {
                oauth
            })
        };
        Dashboard {
            owner: memory.caller.owner.clone(),
            provider: None,
            engine: Arc::clone(&memory.engine),
            credentials: Arc::new(memory.credentials()),
            sessions: sessions.clone(),
            oauth: offered.then(oauth),
            backups: setup.home.backups_dir(),
            dialects: served_dialects(&setup.config),
            jobs: jobs(memory),
            demo: Some(Arc::new(|| Box::pin(demo_story()))),
        }
    }
}

/// Returns the jobs of the dashboard. Servers over one database share their states and files.
fn jobs(memory: &OpenMemory) -> Jobs {
    let clock = Arc::new(SystemClock);
    match &memory.database {
        Some(database) => Jobs::new(memory.values.clone(), database.clone(), clock),
        None => Jobs::local(clock),
    }
}

/// Returns the demo story as a file for the dashboard to import.
async fn demo_story() -> Result<Vec<u8>, String> {
    demo::export_story(dashboard::DEMO_TAG).await.map_err(|problem| problem.message().to_owned())
}

fn parse_token(token: &str) -> Result<OwnerToken, Problem> {
    OwnerToken::new(token).map_err(|error| {
        Problem::failed(error.to_string(), "Delete the file `token` to get a new one.")
    })
}

fn bind_problem(error: HttpError) -> Problem {
    let advice = match error {
        HttpError::NoPassword(_) => {
            "Set one with `quipu password set`, set `oidc_issuer`, or serve only this machine: \
             --listen 127.0.0.1:7717"
        }
        _ => "Choose another address with --listen, such as 127.0.0.1:7718.",
    };
    Problem::usage(error.to_string(), advice)
}

async fn start_listening(
    bound: BoundListener,
    site: &ServerUrl,
    memory: &OpenMemory,
    config: &Config,
    token: &str,
    dashboard: &Dashboard,
) -> Result<HttpServer, Problem> {
    let owner = memory.caller.owner.clone();
    let endpoints = dialect_endpoints(memory, config)?.with_readiness(readiness(memory));
    let endpoints = endpoints.with_proxies(config.proxies.clone());
    let endpoints = match &dashboard.oauth {
        Some(oauth) => endpoints.with_oauth(Arc::clone(oauth), Arc::clone(&memory.engine)),
        None => endpoints,
    };
    let (credentials, public) = (Arc::clone(&dashboard.credentials), site.public.clone());
    let http = HttpConfig { owner, token: parse_token(token)?, credentials, public_url: public };
    let starting = bound.into_server(http, dashboard::add_dashboard(endpoints, dashboard));
    starting.await.map_err(bind_problem)
}

/// Returns the check that tells whether the store answers, and its schema is that of this program.
fn readiness(memory: &OpenMemory) -> Readiness {
    let (store, owner) = (memory.store.clone(), memory.caller.owner.clone());
    let database = memory.database.clone();
    Readiness::with_check(move || {
        let (store, owner, database) = (store.clone(), owner.clone(), database.clone());
        async move {
            match database {
                Some(database) => database.is_ready().await,
                None => store.seq(&owner).await.is_ok(),
            }
        }
    })
}

/// Returns the served dialects with their paths.
fn served_dialects(config: &Config) -> Vec<ServedDialect> {
    let served = |argument: &DialectArg| {
        ServedDialect::new(argument.http_path(), argument.to_dialect(config)).ok()
    };
    DialectArg::value_variants().iter().filter_map(served).collect()
}

/// Creates an endpoint for every dialect, and for Epitome's older REST interface if it is enabled.
fn dialect_endpoints(memory: &OpenMemory, config: &Config) -> Result<Endpoints, Problem> {
    let (engine, first) = (&memory.engine, no_endpoints(memory));
    let unknown = |error: UnknownDialect| {
        Problem::new(ErrorCode::Internal, error.to_string(), "Report this as a bug.")
    };
    let endpoints =
        DialectArg::value_variants().iter().try_fold(first, |endpoints, argument| {
            endpoints
                .dialect(&argument.http_path(), Arc::clone(engine), argument.to_dialect(config))
                .map_err(unknown)
        })?;
    if config.epitome_legacy_rest {
        return endpoints
            .with_legacy_rest(Arc::clone(engine), DialectArg::Epitome.to_dialect(config))
            .map_err(unknown);
    }
    Ok(endpoints.with_legacy_rest_disabled())
}

/// Creates endpoints without a dialect. Servers over one database count the calls of agents
/// together.
fn no_endpoints(memory: &OpenMemory) -> Endpoints {
    match &memory.database {
        Some(_) => Endpoints::with_shared_rates(memory.values.clone()),
        None => Endpoints::new(),
    }
}

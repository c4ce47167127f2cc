//! `quipu serve`: MCP over HTTP for clients with the token, a key or OAuth consent, and the
//! dashboard for the owner. It listens on the loopback interface unless configured otherwise.

mod welcome;

use super::mcp::Spoken;
use crate::answer::Answer;
use crate::config::Config;
use crate::exit::Problem;
use crate::password::PasswordFile;
use crate::screen::Screen;
use crate::setup::{Opened, Setup};
use crate::{shelf, signals, token};
use clap::{Args, ValueEnum};
use dashboard::{Window, Works};
use engine::Engine;
use model::ErrorCode;
use oauth::{Desk, Site};
use oauth_fetch::Fetch;
use server::{
    Bound, Endpoints, HttpConfig, HttpError, Listening, Password, PublicUrl, Token, UnknownDialect,
    Visits,
};
use std::net::SocketAddr;
use std::sync::Arc;
use store::Store;
use welcome::Welcome;

const EXAMPLES: &str = "\
Examples:
  quipu serve
  quipu serve --listen 127.0.0.1:8080
  quipu serve --public-url https://memory.example

The token is generated once and stored in the file `token` in the home directory.
To replace it, delete the file and restart.";

/// Serve the dashboard, and MCP over HTTP
///
/// Prints a single-use link to the dashboard, the address, the access token, and how to connect
/// each client. Only this machine can connect unless --listen or --public-url is set; a password is
/// required then. Claude Code, Codex and Cursor on this machine can use `quipu mcp`, which needs no
/// server.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Serve {
    /// Address to listen on [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
    /// Public URL, if a reverse proxy is in front of it
    #[arg(long, value_name = "URL", value_parser = PublicUrl::new)]
    public_url: Option<PublicUrl>,
}

impl Serve {
    /// Serves until the process receives a termination signal.
    ///
    /// # Errors
    /// When the memory cannot be opened or the address cannot be bound.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let stop = signals::stop()?;
        let served = setup.with_memory(async |memory| {
            let token = token::token_in(&setup.home.token())?;
            let bound =
                server::bind(self.listen.unwrap_or(setup.config.listen)).await.map_err(refused)?;
            let site =
                Door::of(&bound, self.public_url.or_else(|| setup.config.public_url.clone()));
            let password = PasswordFile(setup.home.password(&setup.config.owner));
            let visits = Visits::new(checked(&token)?).over(&site.site);
            let visits = visits.with_password(Password::on(Arc::new(password)));
            let dashboard = site.window(memory, setup, &visits);
            let listening = listen(bound, &site, memory, &setup.config, &token, &dashboard)?;
            let link = visits
                .invite()
                .map_err(|error| Problem::failed(error.to_string(), "Try again."))?;
            let address = listening.address();
            let message = Welcome { address, site: &site.site, token: &token, link: &link, setup };
            // The socket is bound by now: a script that reads the message can connect at once.
            Screen::print(&message.text())?;
            memory.upkeep(&setup.home).with_desk(dashboard.remote.clone()).start(stop.clone());
            shelf::start(memory, &setup.home, stop.clone());
            listening.serve(stop.cancelled_owned()).await.map_err(|error| {
                Problem::failed(format!("the server stopped: {error}"), "Start it again.")
            })
        });
        served.await?;
        Ok(Answer::nothing(setup.screen))
    }
}

/// The URL of the server, as clients and browsers see it.
struct Door {
    /// Configured public URL.
    public: Option<PublicUrl>,
    /// Effective URL: the public one, or the address it listens on.
    site: PublicUrl,
}

impl Door {
    fn of(bound: &Bound, public: Option<PublicUrl>) -> Self {
        let site = public.clone().unwrap_or_else(|| PublicUrl::of(bound.address()));
        Self { public, site }
    }

    /// Creates the dashboard, with the OAuth authorization server if it is offered.
    fn window(&self, memory: &Opened, setup: &Setup, visits: &Visits) -> Window {
        // OAuth clients accept plain http on the loopback interface only.
        let offered = self.site.is_https() || self.site.is_local();
        let oauth = || {
            let site = Site::new(&self.site.to_string());
            let oauth = Desk::new(Arc::new(memory.store.clone()), site);
            let fetched = setup.config.client_documents;
            Arc::new(if fetched { oauth.with_documents(Arc::new(Fetch::new())) } else { oauth })
        };
        Window {
            engine: Arc::clone(&memory.engine),
            credentials: Arc::new(memory.credentials()),
            visits: visits.clone(),
            remote: offered.then(oauth),
            backups: setup.home.backups(),
            dialects: served_dialects(&setup.config),
            works: Works::default(),
        }
    }
}

fn checked(token: &str) -> Result<Token, Problem> {
    Token::new(token).map_err(|error| {
        Problem::failed(error.to_string(), "Delete the file `token` to get a new one.")
    })
}

fn refused(error: HttpError) -> Problem {
    let advice = match error {
        HttpError::NoPassword(_) => {
            "Set one with `quipu password set`, or serve only this machine: --listen 127.0.0.1:7717"
        }
        _ => "Choose another address with --listen, such as 127.0.0.1:7718.",
    };
    Problem::usage(error.to_string(), advice)
}

fn listen(
    bound: Bound,
    site: &Door,
    memory: &Opened,
    config: &Config,
    token: &str,
    dashboard: &Window,
) -> Result<Listening, Problem> {
    let owner = memory.caller.owner.clone();
    let (store, watched) = (memory.store.clone(), owner.clone());
    let endpoints = spoken(&memory.engine, config)?.healthy_while(move || {
        let (store, owner) = (store.clone(), watched.clone());
        async move { store.seq(&owner).await.is_ok() }
    });
    let endpoints = match &dashboard.remote {
        Some(oauth) => endpoints.remote(Arc::clone(oauth), Arc::clone(&memory.engine)),
        None => endpoints,
    };
    let (credentials, public) = (Arc::clone(&dashboard.credentials), site.public.clone());
    let http = HttpConfig { owner, token: checked(token)?, credentials, public };
    bound.serving(http, dashboard::add(endpoints, dashboard)).map_err(refused)
}

/// Returns the served dialects with their paths.
fn served_dialects(config: &Config) -> Vec<(model::Dialect, String)> {
    let named = |spoken: &Spoken| {
        let name = spoken.dialect(config).name();
        model::Dialect::parse(name).map(|dialect| (dialect, spoken.path()))
    };
    Spoken::value_variants().iter().filter_map(named).collect()
}

/// Creates an endpoint for every dialect, and for Epitome's older REST interface if it is enabled.
fn spoken(engine: &Arc<Engine>, config: &Config) -> Result<Endpoints, Problem> {
    let unknown = |error: UnknownDialect| {
        Problem::new(ErrorCode::Internal, error.to_string(), "Report this as a bug.")
    };
    let endpoints =
        Spoken::value_variants().iter().try_fold(Endpoints::new(), |endpoints, spoken| {
            endpoints
                .dialect(&spoken.path(), Arc::clone(engine), spoken.dialect(config))
                .map_err(unknown)
        })?;
    if config.epitome_legacy_rest {
        return endpoints
            .legacy(Arc::clone(engine), Spoken::Epitome.dialect(config))
            .map_err(unknown);
    }
    Ok(endpoints.without_legacy())
}

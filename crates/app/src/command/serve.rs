//! `quipu serve`: MCP over HTTP, for whoever holds the token, a key or the owner's consent, and the
//! dashboard for its owner. On this machine alone, unless the owner says otherwise.

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

The token is made once, and kept in the file `token` of the home directory.
Delete the file and start again for a new one.";

/// Serve the dashboard, and the memory over HTTP for clients that do not start programs
///
/// Prints a link that opens the dashboard once, where it listens, the token that clients must show,
/// and how to connect them. Only this machine can reach it, unless `--listen` or `--public-url`
/// says otherwise; then a password must be set. For Claude Code, Codex or Cursor on this machine,
/// `quipu mcp` needs no server.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
    /// The address that others know it by, when a proxy stands in between
    #[arg(long, value_name = "URL", value_parser = PublicUrl::new)]
    public_url: Option<PublicUrl>,
}

impl Serve {
    /// Serves until the process is asked to end.
    ///
    /// # Errors
    /// When the memory cannot be opened or the address cannot be had.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let stop = signals::stop()?;
        let served = setup.with_memory(async |memory| {
            let token = token::token_in(&setup.home.token())?;
            let bound =
                server::bind(self.listen.unwrap_or(setup.config.listen)).await.map_err(refused)?;
            let door =
                Door::of(&bound, self.public_url.or_else(|| setup.config.public_url.clone()));
            let password = PasswordFile(setup.home.password(&setup.config.owner));
            let visits = Visits::new(checked(&token)?).over(&door.site);
            let visits = visits.with_password(Password::on(Arc::new(password)));
            let window = door.window(memory, setup, &visits);
            let listening = listen(bound, &door, memory, &setup.config, &token, &window)?;
            let link = visits
                .invite()
                .map_err(|error| Problem::failed(error.to_string(), "Try again."))?;
            let address = listening.address();
            let welcome = Welcome { address, site: &door.site, token: &token, link: &link, setup };
            Screen::print(&welcome.text())?;
            memory.upkeep(&setup.home).with_desk(window.remote.clone()).start(stop.clone());
            shelf::start(memory, &setup.home, stop.clone());
            listening.serve(stop.cancelled_owned()).await.map_err(|error| {
                Problem::failed(format!("serving broke off: {error}"), "Start it again.")
            })
        });
        served.await?;
        Ok(Answer::nothing(setup.screen))
    }
}

/// By which address it is known, to whom it may matter.
struct Door {
    /// What the owner said.
    public: Option<PublicUrl>,
    /// What holds: that, or where it listens.
    site: PublicUrl,
}

impl Door {
    fn of(bound: &Bound, public: Option<PublicUrl>) -> Self {
        let site = public.clone().unwrap_or_else(|| PublicUrl::of(bound.address()));
        Self { public, site }
    }

    /// The window, with the desk that programs come to over OAuth. Their clients want https from
    /// other machines.
    fn window(&self, memory: &Opened, setup: &Setup, visits: &Visits) -> Window {
        let offered = self.site.is_https() || self.site.is_local();
        let desk = || {
            let desk = Desk::new(Arc::new(memory.store.clone()), Site::new(&self.site.to_string()));
            let fetched = setup.config.client_documents;
            Arc::new(if fetched { desk.with_documents(Arc::new(Fetch::new())) } else { desk })
        };
        Window {
            engine: Arc::clone(&memory.engine),
            credentials: Arc::new(memory.credentials()),
            visits: visits.clone(),
            remote: offered.then(desk),
            backups: setup.home.backups(),
            dialects: served_dialects(&setup.config),
            works: Works::default(),
        }
    }
}

fn checked(token: &str) -> Result<Token, Problem> {
    Token::new(token).map_err(|error| {
        Problem::failed(error.to_string(), "Delete the file `token` to have a new one made.")
    })
}

fn refused(error: HttpError) -> Problem {
    let advice = match error {
        HttpError::NoPassword(_) => {
            "Set one with `quipu password set`, or serve this machine alone: --listen 127.0.0.1:7717"
        }
        _ => "`--listen` takes another address, such as 127.0.0.1:7718.",
    };
    Problem::usage(error.to_string(), advice)
}

fn listen(
    bound: Bound,
    door: &Door,
    memory: &Opened,
    config: &Config,
    token: &str,
    window: &Window,
) -> Result<Listening, Problem> {
    let owner = memory.caller.owner.clone();
    let (store, watched) = (memory.store.clone(), owner.clone());
    let endpoints = spoken(&memory.engine, config)?.healthy_while(move || {
        let (store, owner) = (store.clone(), watched.clone());
        async move { store.seq(&owner).await.is_ok() }
    });
    let endpoints = match &window.remote {
        Some(desk) => endpoints.remote(Arc::clone(desk), Arc::clone(&memory.engine)),
        None => endpoints,
    };
    let (credentials, public) = (Arc::clone(&window.credentials), door.public.clone());
    let http = HttpConfig { owner, token: checked(token)?, credentials, public };
    bound.serving(http, dashboard::add(endpoints, window)).map_err(refused)
}

/// The dialects that are served, each with its path.
fn served_dialects(config: &Config) -> Vec<(model::Dialect, String)> {
    let named = |spoken: &Spoken| {
        let name = spoken.dialect(config).name();
        model::Dialect::parse(name).map(|dialect| (dialect, spoken.path()))
    };
    Spoken::value_variants().iter().filter_map(named).collect()
}

/// Every dialect under its path, and Epitome's older way in where the owner wants it.
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

//! `quipu serve`: MCP over HTTP on this machine, for whoever holds the token, and the dashboard for its owner.

mod welcome;

use super::mcp::Spoken;
use crate::answer::Answer;
use crate::config::Config;
use crate::exit::Problem;
use crate::screen::Screen;
use crate::setup::{Opened, Setup};
use crate::{shelf, signals, token};
use clap::{Args, ValueEnum};
use dashboard::Window;
use engine::Engine;
use model::ErrorCode;
use server::{Endpoints, HttpConfig, HttpError, Listening, Token, UnknownDialect, Visits};
use std::net::SocketAddr;
use std::sync::Arc;
use store::Store;
use welcome::Welcome;

const EXAMPLES: &str = "\
Examples:
  quipu serve
  quipu serve --listen 127.0.0.1:8080

The token is made once, and kept in the file `token` of the home directory.
Delete the file and start again for a new one.";

/// Serve the dashboard, and the memory over HTTP for clients that do not start programs
///
/// Prints a link that opens the dashboard once, where it listens, the token that clients must show, and how to
/// connect them. Only this machine can reach
/// it. For Claude Code, Codex or Cursor on this machine, `quipu mcp` needs no server.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen [default: 127.0.0.1:7717]
    #[arg(long, value_name = "ADDRESS", env = "QUIPU_LISTEN", hide_env_values = true)]
    listen: Option<SocketAddr>,
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
            let address = self.listen.unwrap_or(setup.config.listen);
            let visits = Visits::new(checked(&token)?);
            let window = Window {
                engine: Arc::clone(&memory.engine),
                credentials: Arc::new(memory.credentials()),
                visits: visits.clone(),
                backups: setup.home.backups(),
            };
            let listening = listen(memory, &setup.config, address, &token, &window).await?;
            let link = visits.invite().map_err(|error| Problem::failed(error.to_string(), "Try again."))?;
            let welcome = Welcome { address: listening.address(), token: &token, link: &link, setup };
            Screen::print(&welcome.text())?;
            memory.upkeep().start(stop.clone());
            shelf::start(memory, &setup.home, stop.clone());
            listening
                .serve(stop.cancelled_owned())
                .await
                .map_err(|error| Problem::failed(format!("serving broke off: {error}"), "Start it again."))
        });
        served.await?;
        Ok(Answer::nothing(setup.screen))
    }
}

fn checked(token: &str) -> Result<Token, Problem> {
    Token::new(token).map_err(|error| {
        Problem::failed(error.to_string(), "Delete the file `token` to have a new one made.")
    })
}

async fn listen(
    memory: &Opened,
    config: &Config,
    address: SocketAddr,
    token: &str,
    window: &Window,
) -> Result<Listening, Problem> {
    let owner = memory.caller.owner.clone();
    let (store, watched) = (memory.store.clone(), owner.clone());
    let endpoints = spoken(&memory.engine, config)?.healthy_while(move || {
        let (store, owner) = (store.clone(), watched.clone());
        async move { store.seq(&owner).await.is_ok() }
    });
    let credentials = Arc::clone(&window.credentials);
    let http = HttpConfig { owner, token: checked(token)?, credentials, public: None };
    let refused = |error: HttpError| {
        Problem::usage(error.to_string(), "`--listen` takes another address, such as 127.0.0.1:7718.")
    };
    let bound = server::bind(address).await.map_err(refused)?;
    bound.serving(http, dashboard::add(endpoints, window)).map_err(refused)
}

/// Every dialect under its path, and Epitome's older way in where the owner wants it.
fn spoken(engine: &Arc<Engine>, config: &Config) -> Result<Endpoints, Problem> {
    let unknown =
        |error: UnknownDialect| Problem::new(ErrorCode::Internal, error.to_string(), "Report this as a bug.");
    let endpoints = Spoken::value_variants().iter().try_fold(Endpoints::new(), |endpoints, spoken| {
        endpoints.dialect(&spoken.path(), Arc::clone(engine), spoken.dialect(config)).map_err(unknown)
    })?;
    if config.epitome_legacy_rest {
        return endpoints.legacy(Arc::clone(engine), Spoken::Epitome.dialect(config)).map_err(unknown);
    }
    Ok(endpoints.without_legacy())
}

//! The owner's dashboard: its pages, and the REST API under `/v1` for the pages and for scripts.
//!
//! Every page and every operation calls the same use cases of the engine that agents call; there is
//! no other access to the data here. Pages are rendered in the server and change things only
//! through `/v1`. Authorization is the server's: every request that arrives here has passed it.
//! Knows no store and no tool contract.

mod api;
mod assets;
mod authorize;
mod events;
mod jobs;
mod login;
mod pages;
mod question_words;
mod request_context;
mod v1;

use engine::credentials::Credentials;

use engine::{Engine, ToolClass};
use futures_util::future::BoxFuture;
use model::{Dialect, OwnerId};
use server::{BrowserSessions, Endpoints, ServedDialect};
use std::path::PathBuf;
use std::sync::Arc;

pub use jobs::Jobs;
pub use login::{ProviderLogin, SIGN_IN_RETURN};

/// Everything the dashboard needs to serve requests.
#[derive(Clone)]
pub struct Dashboard {
    /// Owner of the server, whom the token and the password stand for.
    pub owner: OwnerId,
    pub engine: Arc<Engine>,
    /// Lookup and administration of the agents' keys.
    pub credentials: Arc<Credentials>,
    /// Browser sessions of the owner.
    pub sessions: BrowserSessions,
    /// Sign-in at an identity provider, where one is configured.
    pub provider: Option<ProviderLogin>,
    /// OAuth authorization server, where OAuth is offered.
    pub oauth: Option<Arc<oauth::AuthorizationServer>>,
    /// Directory for backups.
    pub backups: PathBuf,
    /// Served dialects.
    pub dialects: Vec<ServedDialect>,
    /// Long-running jobs.
    pub jobs: Jobs,
    /// Sample memory that an empty one can be filled with, where there is one.
    pub demo: Option<DemoSource>,
}

/// Creates a sample memory as a file that can be imported, or says in a sentence why not.
pub type DemoSource = Arc<dyn Fn() -> BoxFuture<'static, Result<Vec<u8>, String>> + Send + Sync>;

/// Tag of the memories of a sample memory, by which the pages know that they show one.
pub const DEMO_TAG: &str = "demo";

/// Path of the login page; a login link opens it with `?link=` and its secret.
pub const LOGIN: &str = login::PATH;

/// Page where an agent is granted more; the agent's name is appended.
const GRANT_PAGE: &str = "/agents/one?agent=";

/// Returns an operation of the audit log in words: one of the dashboard has a name for programs.
#[must_use]
pub fn operation_in_words(dialect: Dialect, tool: &str) -> String {
    pages::words::operation(dialect, tool)
}

/// Returns a note of the audit log in words.
#[must_use]
pub fn note_in_words(note: &str) -> String {
    pages::words::note(note)
}

/// Adds the dashboard to the endpoints: the pages, `/v1`, and the assets.
#[must_use]
pub fn add_dashboard(endpoints: Endpoints, dashboard: &Dashboard) -> Endpoints {
    let endpoints = endpoints
        .with_browser_access(dashboard.sessions.clone(), LOGIN, GRANT_PAGE)
        .with_missing_page(pages::missing_page);
    let endpoints = login::add(assets::add(endpoints), dashboard);
    let endpoints =
        if dashboard.oauth.is_some() { authorize::add(endpoints, dashboard) } else { endpoints };
    let endpoints = v1::READING
        .iter()
        .fold(endpoints, |all, path| all.with_path_class(path, ToolClass::Read))
        .with_path_class(pages::SQL_CONSOLE, ToolClass::Sql);
    let (api, description) = v1::api().into_routes(dashboard);
    let routes = api.into_iter().chain(pages::routes(dashboard));
    let endpoints =
        routes.fold(endpoints, |endpoints, (path, route)| endpoints.route(&path, route));
    endpoints.route("/v1/openapi.json", description)
}

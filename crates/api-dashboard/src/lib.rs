//! The owner's window: the pages of the dashboard, and REST under `/v1` for the pages and for
//! scripts.
//!
//! Every page and every operation calls the use cases of the engine that agents call too; there is
//! no other way to the data here. Pages are rendered in the server and change things only through
//! `/v1`. Who may come in is the server's to say: whatever arrives here has passed its gate. Knows
//! no store and no tool contract.

mod api;
mod assets;
mod authorize;
mod desk;
mod events;
mod login;
mod pages;
mod v1;
mod work;

use engine::credentials::Credentials;

use engine::Engine;
use model::Dialect;
use server::{Endpoints, Visits};
use std::path::PathBuf;
use std::sync::Arc;

pub use work::Works;

/// What the window looks at.
#[derive(Clone)]
pub struct Window {
    /// The memory.
    pub engine: Arc<Engine>,
    /// The keys that let agents in.
    pub credentials: Arc<Credentials>,
    /// The visits under way.
    pub visits: Visits,
    /// The desk that programs come to over OAuth, where it is offered.
    pub remote: Option<Arc<oauth::Desk>>,
    /// The directory that backups are written to.
    pub backups: PathBuf,
    /// The dialects that are served, each with its path.
    pub dialects: Vec<(Dialect, String)>,
    /// The long work under way.
    pub works: Works,
}

/// The path of the page that begins a visit; a link opens it with `?link=` and its secret.
pub const LOGIN: &str = login::PATH;

/// The page where an agent is granted more; its name is put behind.
const GRANTING: &str = "/agents/one?agent=";

/// Adds the window to what is served: the pages, `/v1`, and what a browser needs to show them.
#[must_use]
pub fn add(endpoints: Endpoints, window: &Window) -> Endpoints {
    let endpoints = endpoints.visited(window.visits.clone(), LOGIN, GRANTING);
    let endpoints = login::add(assets::add(endpoints), window);
    let endpoints = if window.remote.is_some() { authorize::add(endpoints) } else { endpoints };
    let (api, description) = v1::api().into_routes(window);
    let routes = api.into_iter().chain(pages::routes(window));
    let endpoints =
        routes.fold(endpoints, |endpoints, (path, route)| endpoints.route(&path, route));
    endpoints.route("/v1/openapi.json", description)
}

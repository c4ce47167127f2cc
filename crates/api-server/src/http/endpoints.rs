//! What is served under which path, and which of the paths answer before anybody has said who they
//! are.

use super::oauth::Remote;
use super::spoken::Spoken;
use super::visits::Visits;
use super::{HttpError, health, legacy, refusal, switch};
use crate::handler::UnknownDialect;
use crate::turnstile::Turnstile;
use axum::Router;
use axum::routing::{MethodRouter, get};
use dialects::Dialect;
use engine::Engine;
use health::Health;
use oauth::Desk;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The paths and what answers under them. A part of a path in braces stands for any text:
/// `/memories/{id}`.
#[derive(Default)]
pub struct Endpoints {
    routes: BTreeMap<String, MethodRouter>,
    open: BTreeSet<String>,
    spoken: BTreeMap<String, Spoken>,
    window: Option<Window>,
    remote: Option<Remote>,
    health: Health,
    calls: CancellationToken,
    turnstile: Arc<Turnstile>,
}

/// How a person comes in with a browser.
#[derive(Clone)]
pub(super) struct Window {
    /// The visits under way.
    pub visits: Visits,
    /// The page that begins one; where to go then is put behind as `next`.
    pub login: String,
    /// The page where an agent is granted more; its name is put behind.
    pub granting: String,
}

/// What is served, ready to be put behind the gate.
pub(super) struct Served {
    /// The paths with what answers.
    pub router: Router,
    /// The paths that answer without a credential.
    pub open: BTreeSet<String>,
    /// The paths where a dialect is spoken, which an access token opens and a challenge names.
    pub spoken: BTreeMap<String, Spoken>,
    /// OAuth, where it is offered.
    pub remote: Option<Remote>,
    /// How a person comes in.
    pub window: Option<Window>,
    /// What cancels the calls under way.
    pub calls: CancellationToken,
}

impl Endpoints {
    /// Nothing yet but the health path.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Speaks a dialect under a path, without sessions: every request stands for itself, so that a
    /// restart loses nothing.
    ///
    /// # Errors
    /// When provenance has no name for the dialect.
    pub fn dialect(
        mut self,
        path: &str,
        engine: Arc<Engine>,
        dialect: Arc<dyn Dialect>,
    ) -> Result<Self, UnknownDialect> {
        let spoken = Spoken::new(engine, dialect, Arc::clone(&self.turnstile), self.calls.clone())?;
        self.spoken.insert(path.to_owned(), spoken);
        Ok(self)
    }

    /// Speaks a dialect also over the plain requests of its older document, `GET /mcp/tools` and
    /// `POST /mcp/call/:tool`.
    ///
    /// # Errors
    /// When provenance has no name for the dialect.
    pub fn legacy(
        mut self,
        engine: Arc<Engine>,
        dialect: Arc<dyn Dialect>,
    ) -> Result<Self, UnknownDialect> {
        let spoken = model::Dialect::parse(dialect.name()).ok_or(UnknownDialect(dialect.name()))?;
        let (turnstile, ended) = (Arc::clone(&self.turnstile), self.calls.clone());
        let routes = legacy::answered(Arc::clone(&engine), dialect, spoken, turnstile, ended);
        let switched = |(path, route)| (path, switch::before(route, Arc::clone(&engine), spoken));
        self.routes.extend(routes.map(switched));
        Ok(self)
    }

    /// Tells whoever still sends those plain requests that they are turned off.
    #[must_use]
    pub fn without_legacy(mut self) -> Self {
        self.routes.extend(legacy::turned_off());
        self
    }

    /// Serves anything else under a path, behind the same gate.
    #[must_use]
    pub fn route(mut self, path: &str, route: MethodRouter) -> Self {
        self.routes.insert(path.to_owned(), route);
        self
    }

    /// Serves something that anybody on this machine may see: no credential is asked for, all else
    /// is.
    #[must_use]
    pub fn open_route(mut self, path: &str, route: MethodRouter) -> Self {
        self.open.insert(path.to_owned());
        self.route(path, route)
    }

    /// Lets the owner in by these visits; a browser that shows none is sent to the `login` page. An
    /// agent that lacks a grant is told the `granting` page, with its name put behind.
    #[must_use]
    pub fn visited(mut self, visits: Visits, login: &str, granting: &str) -> Self {
        self.window =
            Some(Window { visits, login: login.to_owned(), granting: granting.to_owned() });
        self
    }

    /// Whether a password lets the owner in.
    pub(super) fn wants_a_password(&self) -> bool {
        self.window.as_ref().is_some_and(|window| window.visits.wants_a_password())
    }

    /// Lets programs in over OAuth under the paths of every dialect: what they need to find their
    /// way, to register and to exchange is served here; where the owner is asked is the window's to
    /// serve.
    #[must_use]
    pub fn remote(mut self, desk: Arc<Desk>, engine: Arc<Engine>) -> Self {
        self.remote = Some(Remote::new(desk, engine, Arc::clone(&self.turnstile)));
        self
    }

    /// Asks `check` whenever somebody asks for our health. Anybody may ask, so it should cost
    /// nothing.
    #[must_use]
    pub fn healthy_while<F>(mut self, check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        self.health = Health::checked_by(check);
        self
    }

    /// The router with what the gate must know of it.
    pub(super) fn into_served(mut self) -> Result<Served, HttpError> {
        if let Some(remote) = &self.remote {
            let routes = remote.routes(self.spoken.keys());
            self = routes.into_iter().fold(self, |all, (path, route)| all.open_route(&path, route));
        }
        let health = self.health;
        if let Some(path) =
            self.routes.keys().chain(self.spoken.keys()).find(|path| !is_plain(path))
        {
            return Err(HttpError::BadPath(path.clone()));
        }
        let router = Router::new().route(health::PATH, get(move || health.tell()));
        let router = self
            .routes
            .into_iter()
            .fold(router, |router, (path, route)| router.route(&path, route));
        let router = router.fallback(refusal::no_such_path);
        let Self { open, spoken, window, remote, calls, .. } = self;
        Ok(Served { router, open, spoken, remote, window, calls })
    }
}

/// Whether a path with parts in braces stands for this one. What is written in another way stands
/// for nothing.
pub(super) fn stands_for(template: &str, path: &str) -> bool {
    let (mut parts, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (parts.next(), found.next()) {
            (None, None) => return true,
            (Some(part), Some(found)) if part == found => {}
            (Some(part), Some(found)) if part.starts_with('{') && !found.is_empty() => {}
            _ => return false,
        }
    }
}

/// Whether the router takes it as it is written, and it is not taken already.
fn is_plain(path: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let part = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => !name.is_empty() && plain(name),
        None => plain(part),
    };
    path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(part)) && path != health::PATH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_in_braces_stands_for_one_part_and_nothing_else() {
        assert!(stands_for("/login", "/login") && stands_for("/assets/{file}", "/assets/app.js"));
        for other in ["/assets", "/assets/", "/assets/a/b", "/login/", "/Login", "//login", "/", ""]
        {
            assert!(
                !stands_for("/assets/{file}", other) && !stands_for("/login", other),
                "{other}"
            );
        }
    }

    #[test]
    fn a_path_is_plain_words_and_names_in_braces() {
        for plain in ["/", "/mcp", "/memories/{id}", "/v1/tables/{table}/rows/{row}", "/app.css"] {
            assert!(is_plain(plain), "{plain}");
        }
        for strange in ["", "mcp", "/{}", "/a{b}", "/{a", "/a b", "/{*rest}", "/:id", health::PATH]
        {
            assert!(!is_plain(strange), "{strange}");
        }
    }
}

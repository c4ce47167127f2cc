//! What is served under which path.

use super::{HttpError, health, refusal};
use crate::handler::{Handler, UnknownDialect};
use crate::identity::Door;
use axum::Router;
use axum::routing::{MethodRouter, get, post_service};
use dialects::Dialect;
use engine::Engine;
use health::Health;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The paths and what answers under them; exact paths, nothing below them.
#[derive(Default)]
pub struct Endpoints {
    routes: BTreeMap<String, MethodRouter>,
    health: Health,
    calls: CancellationToken,
}

impl Endpoints {
    /// Nothing yet but the health path.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Speaks a dialect under a path, without sessions: every request stands for itself, so that a restart
    /// loses nothing.
    ///
    /// # Errors
    /// When provenance has no name for the dialect.
    pub fn dialect(
        mut self,
        path: &str,
        engine: Arc<Engine>,
        dialect: Arc<dyn Dialect>,
    ) -> Result<Self, UnknownDialect> {
        let handler = Arc::new(Handler::new(engine, dialect, Door::Http)?);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(super::body::BYTES_MAX)
            .with_cancellation_token(self.calls.clone());
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(Arc::clone(&handler)), sessions, config);
        self.routes.insert(path.to_owned(), post_service(service));
        Ok(self)
    }

    /// Serves anything else under a path, behind the same gate.
    #[must_use]
    pub fn route(mut self, path: &str, route: MethodRouter) -> Self {
        self.routes.insert(path.to_owned(), route);
        self
    }

    /// Asks `check` whenever somebody asks for our health. Anybody may ask, so it should cost nothing.
    #[must_use]
    pub fn healthy_while<F>(mut self, check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        self.health = Health::checked_by(check);
        self
    }

    /// The router, and what cancels the calls under way in it.
    pub(super) fn into_router(self) -> Result<(Router, CancellationToken), HttpError> {
        let health = self.health;
        let mut router = Router::new().route(health::PATH, get(move || health.tell()));
        for (path, route) in self.routes {
            if !is_plain(&path) {
                return Err(HttpError::BadPath(path));
            }
            router = router.route(&path, route);
        }
        Ok((router.fallback(refusal::no_such_path), self.calls))
    }
}

/// Whether the router takes it as it is written, and it is not taken already.
fn is_plain(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
    path.starts_with('/') && path.chars().all(plain) && path != health::PATH
}

//! The paths that are served, what answers under each, and which of them need no credential.

use super::browser_sessions::BrowserSessions;
use super::dashboard_host::DashboardHost;
use super::dialect_endpoint::DialectEndpoint;
use super::oauth::OAuthEndpoints;
use super::proxy_network::ProxyNetwork;
use super::{HttpError, dialect_switch, health, legacy, refusal};
use crate::admission::Admission;
use crate::handler::UnknownDialect;
use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use dialects::DialectApi;
use engine::{Engine, ToolClass};
use health::Readiness;
use oauth::AuthorizationServer;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::OwnerValues;
use tokio_util::sync::CancellationToken;

/// Builder of the served paths. A path segment in braces matches any text: `/memories/{id}`.
#[derive(Default)]
pub struct Endpoints {
    routes: BTreeMap<String, MethodRouter>,
    open_paths: BTreeSet<String>,
    path_classes: BTreeMap<String, ToolClass>,
    dialects: BTreeMap<String, DialectEndpoint>,
    browser: Option<BrowserAccess>,
    oauth: Option<OAuthEndpoints>,
    proxies: Vec<ProxyNetwork>,
    readiness: Readiness,
    calls: CancellationToken,
    admission: Arc<Admission>,
    missing_page: Option<fn() -> Response>,
}

/// Access for a person with a browser.
#[derive(Clone)]
pub(super) struct BrowserAccess {
    pub sessions: BrowserSessions,
    /// Login page; the page to open afterwards is appended as `next`.
    pub login_page: String,
    /// Page where an agent is granted more; the agent's name is appended.
    pub grant_page: String,
}

/// Finished endpoints, ready to be put behind the authorizer.
pub(super) struct BuiltEndpoints {
    pub router: Router,
    /// Paths that need no credential.
    pub open_paths: BTreeSet<String>,
    /// Rate-limit classes of paths, where they do not follow from the method.
    pub path_classes: BTreeMap<String, ToolClass>,
    /// Paths of the dialects, which accept access tokens and answer 401 with a challenge.
    pub dialects: BTreeMap<String, DialectEndpoint>,
    pub oauth: Option<OAuthEndpoints>,
    pub browser: Option<BrowserAccess>,
    /// Networks of proxies, besides this machine.
    pub proxies: Vec<ProxyNetwork>,
    /// Cancels the calls in progress.
    pub calls: CancellationToken,
    pub admission: Arc<Admission>,
}

impl Endpoints {
    /// Creates endpoints with nothing but the paths of health and readiness.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates endpoints whose servers count the calls of agents together, in values that they
    /// share.
    #[must_use]
    pub fn with_shared_rates(values: OwnerValues) -> Self {
        Self { admission: Arc::new(Admission::with_shared_rates(values)), ..Self::default() }
    }

    /// Serves a dialect under a path, without sessions: every request is complete by itself, so
    /// that a restart loses nothing.
    ///
    /// # Errors
    /// Fails when the dialect has no name in provenance.
    pub fn dialect(
        mut self,
        path: &str,
        engine: Arc<Engine>,
        dialect: Arc<dyn DialectApi>,
    ) -> Result<Self, UnknownDialect> {
        let endpoint =
            DialectEndpoint::new(engine, dialect, Arc::clone(&self.admission), self.calls.clone())?;
        self.dialects.insert(path.to_owned(), endpoint);
        Ok(self)
    }

    /// Serves a dialect also over the plain requests of its older contract, `GET /mcp/tools` and
    /// `POST /mcp/call/:tool`.
    ///
    /// # Errors
    /// Fails when the dialect has no name in provenance.
    pub fn with_legacy_rest(
        mut self,
        engine: Arc<Engine>,
        dialect: Arc<dyn DialectApi>,
    ) -> Result<Self, UnknownDialect> {
        let dialect_name =
            model::Dialect::parse(dialect.name()).ok_or(UnknownDialect(dialect.name()))?;
        let (admission, ended) = (Arc::clone(&self.admission), self.calls.clone());
        let routes =
            legacy::enabled_routes(Arc::clone(&engine), dialect, dialect_name, admission, ended);
        let switched = |(path, route)| {
            (path, dialect_switch::wrap_route(route, Arc::clone(&engine), dialect_name))
        };
        self.routes.extend(routes.map(switched));
        Ok(self)
    }

    /// Answers the plain requests of the older contract with the information that they are turned
    /// off.
    #[must_use]
    pub fn with_legacy_rest_disabled(mut self) -> Self {
        self.routes.extend(legacy::disabled_routes());
        self
    }

    /// Serves anything else under a path, with a credential required.
    #[must_use]
    pub fn route(mut self, path: &str, route: MethodRouter) -> Self {
        self.routes.insert(path.to_owned(), route);
        self
    }

    /// Serves a path without requiring a credential. All other checks apply.
    #[must_use]
    pub fn open_route(mut self, path: &str, route: MethodRouter) -> Self {
        self.open_paths.insert(path.to_owned());
        self.route(path, route)
    }

    /// Sets the rate-limit class of the requests to a path. By default GET counts as a read and
    /// everything else as a write.
    #[must_use]
    pub fn with_path_class(mut self, path: &str, class: ToolClass) -> Self {
        self.path_classes.insert(path.to_owned(), class);
        self
    }

    /// Accepts the owner's browser sessions. A browser without one is redirected to the `login`
    /// page. A refusal for a missing grant names the `granting` page, with the agent appended.
    #[must_use]
    pub fn with_browser_access(
        mut self,
        sessions: BrowserSessions,
        login: &str,
        granting: &str,
    ) -> Self {
        self.browser = Some(BrowserAccess {
            sessions,
            login_page: login.to_owned(),
            grant_page: granting.to_owned(),
        });
        self
    }

    /// Returns the host name of the dashboard, where it has one of its own.
    pub(super) fn dashboard_host(&self) -> Option<&DashboardHost> {
        self.browser.as_ref().and_then(|browser| browser.sessions.dashboard_host())
    }

    /// Returns true when a person on another machine can log in.
    pub(super) async fn can_log_in(&self) -> bool {
        match &self.browser {
            Some(browser) => browser.sessions.can_log_in().await,
            None => false,
        }
    }

    /// Accepts OAuth access tokens under the paths of every dialect, and serves discovery,
    /// registration and token exchange. The consent page belongs to the dashboard.
    #[must_use]
    pub fn with_oauth(mut self, server: Arc<AuthorizationServer>, engine: Arc<Engine>) -> Self {
        self.oauth = Some(OAuthEndpoints::new(server, engine));
        self
    }

    /// Answers a browser that asks for an unknown path with a page. Programs get the usual JSON.
    #[must_use]
    pub fn with_missing_page(mut self, page: fn() -> Response) -> Self {
        self.missing_page = Some(page);
        self
    }

    /// Sets the check behind the path that tells whether the server is ready.
    #[must_use]
    pub fn with_readiness(mut self, readiness: Readiness) -> Self {
        self.readiness = readiness;
        self
    }

    /// Believes the proxies in these networks about the address of a client, where the server has a
    /// public URL. A proxy on this machine is believed anyway.
    #[must_use]
    pub fn with_proxies(mut self, proxies: Vec<ProxyNetwork>) -> Self {
        self.proxies = proxies;
        self
    }

    /// Builds the router and what the authorizer needs to know about it.
    pub(super) fn build(mut self) -> Result<BuiltEndpoints, HttpError> {
        if let Some(remote) = &self.oauth {
            let routes = remote.routes(self.dialects.keys());
            self = routes.into_iter().fold(self, |all, (path, route)| all.open_route(&path, route));
        }
        let readiness = self.readiness;
        // Checked before `Router::route`, which panics on a path it cannot parse.
        if let Some(path) =
            self.routes.keys().chain(self.dialects.keys()).find(|path| !is_valid_path(path))
        {
            return Err(HttpError::BadPath(path.clone()));
        }
        let router = Router::new()
            .route(health::PATH, get(health::respond_healthy))
            .route(health::READY_PATH, get(move || readiness.respond()));
        let router = self
            .routes
            .into_iter()
            .fold(router, |router, (path, route)| router.route(&path, route));
        let missing_page = self.missing_page;
        let router = router.fallback(move |request: Request| async move {
            match missing_page.filter(|_| refusal::accepts_html(request.headers())) {
                Some(page) => page(),
                None => refusal::no_such_path(request).await,
            }
        });
        let Self {
            open_paths,
            path_classes,
            dialects,
            browser,
            oauth,
            proxies,
            calls,
            admission,
            ..
        } = self;
        Ok(BuiltEndpoints {
            router,
            open_paths,
            path_classes,
            dialects,
            oauth,
            browser,
            proxies,
            calls,
            admission,
        })
    }
}

/// Returns true when a path matches a template with segments in braces. Compared literally: an
/// encoded or otherwise unusual spelling of a path matches nothing, so it is never open.
pub(super) fn path_matches(template: &str, path: &str) -> bool {
    let (mut parts, mut actual) = (template.split('/'), path.split('/'));
    loop {
        match (parts.next(), actual.next()) {
            (None, None) => return true,
            (Some(part), Some(actual)) if part == actual => {}
            (Some(part), Some(actual)) if part.starts_with('{') && !actual.is_empty() => {}
            _ => return false,
        }
    }
}

/// Returns true for a path that the router accepts as written and that is not reserved.
fn is_valid_path(path: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let part = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => !name.is_empty() && plain(name),
        None => plain(part),
    };
    path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(part))
        && !health::is_state_path(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_in_braces_matches_exactly_one_segment() {
        assert!(
            path_matches("/login", "/login") && path_matches("/assets/{file}", "/assets/app.js")
        );
        for other in ["/assets", "/assets/", "/assets/a/b", "/login/", "/Login", "//login", "/", ""]
        {
            assert!(
                !path_matches("/assets/{file}", other) && !path_matches("/login", other),
                "{other}"
            );
        }
    }

    #[test]
    fn a_path_is_plain_words_and_names_in_braces() {
        for plain in ["/", "/mcp", "/memories/{id}", "/v1/tables/{table}/rows/{row}", "/app.css"] {
            assert!(is_valid_path(plain), "{plain}");
        }
        for strange in ["", "mcp", "/{}", "/a{b}", "/{a", "/a b", "/{*rest}", "/:id", health::PATH]
        {
            assert!(!is_valid_path(strange), "{strange}");
        }
    }
}

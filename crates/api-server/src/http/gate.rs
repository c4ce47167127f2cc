//! Authorizes requests. In this order: the site that a request is meant for and comes from, the
//! credential, the number of requests in progress. Only the health path and the open paths need no
//! credential; all others need the owner's token, the credential of an agent, or a browser session,
//! which must repeat its form token to change anything. An authorized request carries its principal
//! and no credential any more.

use super::credential::{self, Shown};
use super::endpoints::{Served, Window, stands_for};
use super::oauth::{Remote, Sent};
use super::refusal::Refusal;
use super::site::Names;
use super::token::Token;
use super::{HttpConfig, body, health};
use crate::identity::Principal;
use axum::body::Body;
use axum::http::header::{ACCEPT, COOKIE};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, request::Parts};
use axum::response::{IntoResponse, Redirect, Response};
use engine::Reach;
use engine::credentials::{Credential, Credentials};
use model::{AgentName, ErrorCode, Failure, Permission};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Maximum number of requests in progress; further ones get 429.
// Bounds memory: each request holds up to a mebibyte of body.
const REQUESTS_AT_ONCE: usize = 256;

/// Header in which a client may repeat its agent name. It cannot choose another one.
pub(crate) const AGENT_ID: HeaderName = HeaderName::from_static("x-agent-id");

/// Header with the form token that a browser session must send when it changes something.
const FORM_TOKEN: &str = "x-form-token";

/// Authorizes requests for one server.
pub(super) struct Gate {
    owner: Principal,
    token: Token,
    credentials: Arc<Credentials>,
    names: Names,
    open: BTreeSet<String>,
    protected: BTreeSet<String>,
    remote: Option<Remote>,
    window: Option<Window>,
    places: Semaphore,
}

impl Gate {
    /// Creates the authorizer of these endpoints.
    pub fn before(endpoints: &Served, config: HttpConfig, names: Names) -> Self {
        let HttpConfig { owner, token, credentials, .. } = config;
        let owner = Principal { owner, agent: None, reach: Reach::OwnersToken, credential: None };
        let protected = endpoints.spoken.keys().cloned().collect();
        let (open, remote, browser) =
            (endpoints.open.clone(), endpoints.remote.clone(), endpoints.window.clone());
        let permits = Semaphore::new(REQUESTS_AT_ONCE);
        Self {
            owner,
            token,
            credentials,
            names,
            open,
            protected,
            remote,
            window: browser,
            places: permits,
        }
    }

    /// Authorizes a request and takes a permit for it. The health path takes none, so that it
    /// answers under load too.
    pub async fn admit(&self, request: &mut Parts) -> Result<Option<SemaphorePermit<'_>>, Refusal> {
        // Before the credential: a foreign page must not even learn whether a session exists.
        self.names.check(request)?;
        if request.uri.path() == health::PATH {
            return Ok(None);
        }
        if !self.is_open(request) {
            self.identify(request).await?;
        }
        let permit = self.places.try_acquire().map_err(|_| Refusal::too_many(REQUESTS_AT_ONCE))?;
        Ok(Some(permit))
    }

    /// Returns the response to a request that was refused, once the rest of it has arrived: the
    /// login page for a browser without a credential, the refusal for everybody else.
    pub async fn turn_away(
        &self,
        refusal: Refusal,
        request: &Parts,
        body: Body,
    ) -> Result<Response, Refusal> {
        let refusal =
            if body::went_by(body).await { refusal } else { refusal.ending_the_connection() };
        let login = self.login_for(request).filter(|_| refusal.is_for_want_of_a_credential());
        login.ok_or(refusal)
    }

    /// Identifies the principal of a request, and removes the credential from it.
    async fn identify(&self, request: &mut Parts) -> Result<(), Refusal> {
        let presented = credential::take(request);
        let principal = match presented {
            Shown::Nothing => Some(self.visited(request)?),
            Shown::Unusable => None,
            Shown::Header(secret) if self.token.is(&secret) => Some(self.owner.clone()),
            Shown::Header(secret) => self.holder_of(&secret, request.uri.path()).await?,
            // Access tokens are not accepted in a path: addresses end up in logs.
            Shown::Path(secret) => self.credentials.identify(&secret).await?.map(Principal::from),
        };
        let principal = principal.ok_or_else(|| self.no_token(request, Some("invalid_token")))?;
        if let Some(agent) = &principal.agent {
            repeats(&request.headers, agent)?;
        }
        // The session secret has served its purpose; nothing behind this point may see it.
        request.headers.remove(COOKIE);
        request.extensions.insert(principal);
        Ok(())
    }

    async fn holder_of(&self, secret: &str, path: &str) -> Result<Option<Principal>, Refusal> {
        match (self.credentials.identify(secret).await?, &self.remote) {
            (Some(identity), _) => Ok(Some(identity.into())),
            (None, Some(remote)) => remote.holder_of(secret, path).await,
            (None, None) => Ok(None),
        }
    }

    /// Returns true when the path needs no credential. Checked against the dialects first, because
    /// most requests go there.
    fn is_open(&self, request: &Parts) -> bool {
        let path = request.uri.path();
        !self.protected.contains(path) && self.open.iter().any(|open| stands_for(open, path))
    }

    /// Returns the owner when the request belongs to a browser session. A request that changes
    /// something must come from one of our pages, which alone know the form token.
    fn visited(&self, request: &mut Parts) -> Result<Principal, Refusal> {
        let session =
            self.window.as_ref().and_then(|browser| browser.visits.shown_in(&request.headers));
        let session = session.ok_or_else(|| self.no_token(request, None))?;
        let presented = request.headers.get(FORM_TOKEN).map(HeaderValue::as_bytes);
        if !request.method.is_safe()
            && !presented.is_some_and(|presented| session.is_repeated_by(presented))
        {
            return Err(Refusal::no_form_token());
        }
        request.extensions.insert(session);
        Ok(self.owner.clone())
    }

    /// Refusal for a missing or invalid credential. Where OAuth is available, the challenge says
    /// how to use it.
    fn no_token(&self, request: &Parts, error: Option<&str>) -> Refusal {
        let sent = Sent::of(request);
        let remote = self.remote.as_ref().filter(|_| self.protected.contains(&sent.path));
        let challenge = match (remote, error) {
            (Some(remote), error) => remote.challenge(&sent, error, Permission::Write),
            (None, Some(error)) => format!("Bearer error=\"{error}\""),
            (None, None) => "Bearer".to_owned(),
        };
        Refusal::no_token(challenge)
    }

    /// Returns the target of a request that was made with an access token. When its call lacks a
    /// scope, the challenge is built from it, and the client asks the owner for more.
    pub fn sent_by_token(&self, request: &Parts) -> Option<(&Remote, Sent)> {
        let by = request.extensions.get::<Principal>()?.credential?;
        let remote = self.remote.as_ref().filter(|_| matches!(by, Credential::Token(_)))?;
        Some((remote, Sent::of(request)))
    }

    /// Returns the page where the owner grants more to the agent of this request.
    pub fn granting_page(&self, request: &Parts) -> Option<String> {
        let agent = request.extensions.get::<Principal>()?.agent.as_ref()?;
        let browser = self.window.as_ref()?;
        let name: String = form_urlencoded::byte_serialize(agent.as_str().as_bytes()).collect();
        Some(format!("{}{}{name}", self.names.origin_of(request), browser.granting))
    }

    /// Redirects a browser that asks for a page without a credential to the login page.
    fn login_for(&self, request: &Parts) -> Option<Response> {
        // Only a page load is redirected; scripts and MCP clients need the 401 and its challenge.
        let accepts = request.headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok());
        let browser = self.window.as_ref().filter(|_| request.method == Method::GET)?;
        let wanted = request.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let next: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
        let login = if wanted == "/" {
            browser.login.clone()
        } else {
            format!("{}?next={next}", browser.login)
        };
        accepts?.contains("text/html").then(|| Redirect::to(&login).into_response())
    }
}

/// Checks that an `X-Agent-ID` header agrees with the agent of the credential.
pub(crate) fn repeats(headers: &HeaderMap, agent: &AgentName) -> Result<(), Failure> {
    let names = headers.get_all(AGENT_ID).iter();
    let is_agent =
        |name: &HeaderValue| name.to_str().is_ok_and(|name| name.trim() == agent.as_str());
    if names.into_iter().all(is_agent) {
        return Ok(());
    }
    let message = format!("X-Agent-ID does not match the credential, which belongs to {agent}");
    Err(Failure::new(ErrorCode::Forbidden, message))
}

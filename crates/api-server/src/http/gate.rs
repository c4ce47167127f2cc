//! The one way in. In this order: the site a request is meant for and comes from, the credential,
//! how many are under way, the body. Only the health path and the open ones answer without a
//! credential: the owner's token, the credential of an agent, or the session of a visit, which must
//! repeat its form token to change anything. What it lets in carries its principal and no
//! credential any more. An access token whose call lacked a scope is told so on the way out.

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

/// How many requests are under way at once; further ones are told to wait.
const REQUESTS_AT_ONCE: usize = 256;

/// Where a client may repeat who it is, and nothing else.
pub(crate) const AGENT_ID: HeaderName = HeaderName::from_static("x-agent-id");

/// What a request of a visit must repeat when it changes something.
const FORM_TOKEN: &str = "x-form-token";

/// Knows who may come in.
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
    /// A gate before what is served.
    pub fn before(served: &Served, config: HttpConfig, names: Names) -> Self {
        let HttpConfig { owner, token, credentials, .. } = config;
        let owner = Principal { owner, agent: None, reach: Reach::OwnersToken, credential: None };
        let protected = served.spoken.keys().cloned().collect();
        let (open, remote, window) =
            (served.open.clone(), served.remote.clone(), served.window.clone());
        let places = Semaphore::new(REQUESTS_AT_ONCE);
        Self { owner, token, credentials, names, open, protected, remote, window, places }
    }

    /// Lets a request in that is meant for us, from somebody we know, while there is a place.
    /// Health takes none.
    pub async fn admit(&self, request: &mut Parts) -> Result<Option<SemaphorePermit<'_>>, Refusal> {
        self.names.check(request)?;
        if request.uri.path() == health::PATH {
            return Ok(None);
        }
        if !self.is_open(request) {
            self.identify(request).await?;
        }
        let place = self.places.try_acquire().map_err(|_| Refusal::too_many(REQUESTS_AT_ONCE))?;
        Ok(Some(place))
    }

    /// What a request gets that is not let in, once the rest of it has come: a browser without a
    /// credential the way to one, everybody else the refusal.
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

    /// Finds out whom the credential stands for, and takes it out of the request.
    async fn identify(&self, request: &mut Parts) -> Result<(), Refusal> {
        let shown = credential::take(request);
        let principal = match shown {
            Shown::Nothing => Some(self.visited(request)?),
            Shown::Unusable => None,
            Shown::Header(secret) if self.token.is(&secret) => Some(self.owner.clone()),
            Shown::Header(secret) => self.holder_of(&secret, request.uri.path()).await?,
            // An access token in an address would be in somebody's log.
            Shown::Path(secret) => self.credentials.identify(&secret).await?.map(Principal::from),
        };
        let principal = principal.ok_or_else(|| self.no_token(request, Some("invalid_token")))?;
        if let Some(agent) = &principal.agent {
            repeats(&request.headers, agent)?;
        }
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

    /// Whether the path answers anybody. Those of dialects never do, and most requests go there.
    fn is_open(&self, request: &Parts) -> bool {
        let path = request.uri.path();
        !self.protected.contains(path) && self.open.iter().any(|open| stands_for(open, path))
    }

    /// The owner, when the request belongs to a visit. One that changes something must come from a
    /// page of ours, which alone knows the form token.
    fn visited(&self, request: &mut Parts) -> Result<Principal, Refusal> {
        let visit =
            self.window.as_ref().and_then(|window| window.visits.shown_in(&request.headers));
        let visit = visit.ok_or_else(|| self.no_token(request, None))?;
        let shown = request.headers.get(FORM_TOKEN).map(HeaderValue::as_bytes);
        if !request.method.is_safe() && !shown.is_some_and(|shown| visit.is_repeated_by(shown)) {
            return Err(Refusal::no_form_token());
        }
        request.extensions.insert(visit);
        Ok(self.owner.clone())
    }

    /// The refusal of a request without a good credential. Where OAuth opens the path it says how.
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

    /// Where the request of an access token was sent to. If its call lacks a scope, it is told so
    /// in these words, and its program asks the owner for more.
    pub fn sent_by_token(&self, request: &Parts) -> Option<(&Remote, Sent)> {
        let by = request.extensions.get::<Principal>()?.credential?;
        let remote = self.remote.as_ref().filter(|_| matches!(by, Credential::Token(_)))?;
        Some((remote, Sent::of(request)))
    }

    /// Where the owner grants more to whoever sent this request.
    pub fn granting_page(&self, request: &Parts) -> Option<String> {
        let agent = request.extensions.get::<Principal>()?.agent.as_ref()?;
        let window = self.window.as_ref()?;
        let name: String = form_urlencoded::byte_serialize(agent.as_str().as_bytes()).collect();
        Some(format!("{}{}{name}", self.names.origin_of(request), window.granting))
    }

    /// Where a browser is sent that asks for a page and shows no credential of its own.
    fn login_for(&self, request: &Parts) -> Option<Response> {
        let accepts = request.headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok());
        let window = self.window.as_ref().filter(|_| request.method == Method::GET)?;
        let wanted = request.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let next: String = form_urlencoded::byte_serialize(wanted.as_bytes()).collect();
        let login = if wanted == "/" {
            window.login.clone()
        } else {
            format!("{}?next={next}", window.login)
        };
        accepts?.contains("text/html").then(|| Redirect::to(&login).into_response())
    }
}

/// A credential says who somebody is; a header may only say the same.
pub(crate) fn repeats(headers: &HeaderMap, agent: &AgentName) -> Result<(), Failure> {
    let said = headers.get_all(AGENT_ID).iter();
    if said.into_iter().all(|name| name.to_str().is_ok_and(|name| name.trim() == agent.as_str())) {
        return Ok(());
    }
    let message =
        format!("X-Agent-ID says otherwise than the credential, which stands for {agent}");
    Err(Failure::new(ErrorCode::Forbidden, message))
}

//! The one way in. In this order: the site a request is meant for and comes from, the credential, how many are
//! under way, the body. Only the health path and the open ones answer without a credential: the owner's token, the
//! credential of an agent, or the session of a visit, which must repeat its form token to change anything. What it
//! lets in carries its principal and no credential any more.

use super::credential::{self, Shown};
use super::endpoints::{Served, Window, stands_for};
use super::refusal::{self, Refusal};
use super::token::Token;
use super::{body, health, site};
use crate::identity::Principal;
use crate::turnstile::RetryAfter;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, COOKIE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, request::Parts};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use engine::{Credentials, Reach};
use model::{AgentName, ErrorCode, Failure, OwnerId};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::Semaphore;

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
    open: BTreeSet<String>,
    window: Option<Window>,
    places: Semaphore,
}

impl Gate {
    /// The router behind a gate, with all its paths and those it does not have. The router is a service of its own,
    /// so that it finds a path as the gate left it.
    pub fn before(owner: OwnerId, token: Token, credentials: Arc<Credentials>, served: Served) -> Router {
        let owner = Principal { owner, agent: None, reach: Reach::OwnersToken };
        let Served { router, open, window, .. } = served;
        let places = Semaphore::new(REQUESTS_AT_ONCE);
        let gate = Self { owner, token, credentials, open, window, places };
        Router::new().fallback_service(router).layer(from_fn_with_state(Arc::new(gate), pass))
    }

    /// Finds out whom the credential stands for, and takes it out of the request.
    async fn identify(&self, request: &mut Parts) -> Result<(), Refusal> {
        let principal = match credential::take(request) {
            Shown::Nothing => Some(self.visited(request)?),
            Shown::Unusable => None,
            Shown::Header(secret) if self.token.is(&secret) => Some(self.owner.clone()),
            Shown::Header(secret) | Shown::Path(secret) => self.holder_of(&secret).await?,
        };
        let principal = principal.ok_or_else(|| Refusal::no_token(r#"Bearer error="invalid_token""#))?;
        if let Some(agent) = &principal.agent {
            repeats(&request.headers, agent)?;
        }
        request.headers.remove(COOKIE);
        request.extensions.insert(principal);
        Ok(())
    }

    async fn holder_of(&self, secret: &str) -> Result<Option<Principal>, Refusal> {
        let identity = self.credentials.identify(secret).await?;
        Ok(identity.map(|identity| Principal {
            owner: identity.owner,
            agent: Some(identity.agent),
            reach: Reach::Credential(identity.scope),
        }))
    }

    /// Whether the path answers anybody.
    fn is_open(&self, request: &Parts) -> bool {
        self.open.iter().any(|open| stands_for(open, request.uri.path()))
    }

    /// The owner, when the request belongs to a visit. One that changes something must come from a page of ours,
    /// which alone knows the form token.
    fn visited(&self, request: &mut Parts) -> Result<Principal, Refusal> {
        let visit = self.window.as_ref().and_then(|window| window.visits.shown_in(&request.headers));
        let visit = visit.ok_or_else(|| Refusal::no_token("Bearer"))?;
        let shown = request.headers.get(FORM_TOKEN).map(HeaderValue::as_bytes);
        if !request.method.is_safe() && !shown.is_some_and(|shown| visit.is_repeated_by(shown)) {
            return Err(Refusal::no_form_token());
        }
        request.extensions.insert(visit);
        Ok(self.owner.clone())
    }

    /// Where a browser is sent that asks for a page and shows no credential of its own.
    fn login_for(&self, request: &Parts) -> Option<Response> {
        let accepts = request.headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok());
        let window = self.window.as_ref().filter(|_| request.method == Method::GET)?;
        accepts?.contains("text/html").then(|| Redirect::to(&window.login).into_response())
    }
}

/// A credential says who somebody is; a header may only say the same.
pub(crate) fn repeats(headers: &HeaderMap, agent: &AgentName) -> Result<(), Failure> {
    let said = headers.get_all(AGENT_ID).iter();
    if said.into_iter().all(|name| name.to_str().is_ok_and(|name| name.trim() == agent.as_str())) {
        return Ok(());
    }
    let message = format!("X-Agent-ID says otherwise than the credential, which stands for {agent}");
    Err(Failure::new(ErrorCode::Forbidden, message))
}

async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let mut response = through(&gate, request, next).await.unwrap_or_else(IntoResponse::into_response);
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn through(gate: &Gate, request: Request, next: Next) -> Result<Response, Refusal> {
    let (mut parts, body) = request.into_parts();
    site::check(&parts)?;
    if parts.uri.path() == health::PATH {
        return Ok(next.run(Request::from_parts(parts, body)).await);
    }
    if !gate.is_open(&parts)
        && let Err(refusal) = gate.identify(&mut parts).await
    {
        return gate.login_for(&parts).ok_or(refusal);
    }
    let _place = gate.places.try_acquire().map_err(|_| Refusal::too_many(REQUESTS_AT_ONCE))?;
    let retry_after = RetryAfter::default();
    parts.extensions.insert(retry_after.clone());
    let json_came = is_json(&parts.headers);
    let request = body::read(Request::from_parts(parts, body)).await?;
    let mut answer = refusal::in_one_form(next.run(request).await, json_came).await;
    if let Some(seconds) = retry_after.seconds() {
        answer.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    Ok(answer)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

//! The one way in. In this order: the site a request is meant for and comes from, the credential, how many are
//! under way, the body. Only the health path answers without a credential. What it lets in carries its principal and
//! no credential any more.

use super::credential::{self, Shown};
use super::refusal::{self, Refusal};
use super::token::Token;
use super::{body, health, site};
use crate::identity::Principal;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue, request::Parts};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use engine::{Credentials, Reach};
use model::{AgentName, ErrorCode, Failure, OwnerId};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How many requests are under way at once; further ones are told to wait.
const REQUESTS_AT_ONCE: usize = 256;

/// Where a client may repeat who it is, and nothing else.
pub(crate) const AGENT_ID: HeaderName = HeaderName::from_static("x-agent-id");

/// Knows who may come in.
pub(super) struct Gate {
    owner: Principal,
    token: Token,
    credentials: Arc<Credentials>,
    places: Semaphore,
}

impl Gate {
    pub fn new(owner: OwnerId, token: Token, credentials: Arc<Credentials>) -> Self {
        let owner = Principal { owner, agent: None, reach: Reach::OwnersToken };
        Self { owner, token, credentials, places: Semaphore::new(REQUESTS_AT_ONCE) }
    }

    /// The router behind this gate, with all its paths and those it does not have. The router is a service of its
    /// own, so that it finds a path as the gate left it.
    pub fn before(self, router: Router) -> Router {
        Router::new().fallback_service(router).layer(from_fn_with_state(Arc::new(self), pass))
    }

    /// Finds out whom the credential stands for, and takes it out of the request.
    async fn identify(&self, request: &mut Parts) -> Result<(), Refusal> {
        let principal = match credential::take(request) {
            Shown::Nothing => return Err(Refusal::no_token("Bearer")),
            Shown::Unusable => None,
            Shown::Header(secret) if self.token.is(&secret) => Some(self.owner.clone()),
            Shown::Header(secret) | Shown::Path(secret) => self.holder_of(&secret).await?,
        };
        let principal = principal.ok_or_else(|| Refusal::no_token(r#"Bearer error="invalid_token""#))?;
        if let Some(agent) = &principal.agent {
            repeats(&request.headers, agent)?;
        }
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
    gate.identify(&mut parts).await?;
    let _place = gate.places.try_acquire().map_err(|_| Refusal::too_many(REQUESTS_AT_ONCE))?;
    let json_came = is_json(&parts.headers);
    let request = body::read(Request::from_parts(parts, body)).await?;
    Ok(refusal::in_one_form(next.run(request).await, json_came).await)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

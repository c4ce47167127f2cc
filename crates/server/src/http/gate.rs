//! The one way in. In this order: the site a request is meant for and comes from, the token, how many are
//! under way, the body. Only the health path answers without a token. What it lets in carries its principal and
//! no credential any more.

use super::refusal::{self, Refusal};
use super::token::Token;
use super::{body, health, site};
use crate::identity::Principal;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, request::Parts};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use model::OwnerId;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How many requests are under way at once; further ones are told to wait.
const REQUESTS_AT_ONCE: usize = 256;

/// Knows who may come in.
pub(super) struct Gate {
    principal: Principal,
    token: Token,
    places: Semaphore,
}

impl Gate {
    pub fn new(owner: OwnerId, token: Token) -> Self {
        Self { principal: Principal { owner }, token, places: Semaphore::new(REQUESTS_AT_ONCE) }
    }

    /// The router behind this gate, with all its paths and those it does not have.
    pub fn before(self, router: Router) -> Router {
        router.layer(from_fn_with_state(Arc::new(self), pass))
    }

    /// Finds out whom the credential stands for, and takes it out of the request.
    fn identify(&self, request: &mut Parts) -> Result<(), Refusal> {
        if !self.token.is_shown_in(&request.headers) {
            let tried = request.headers.contains_key(AUTHORIZATION);
            return Err(Refusal::no_token(if tried { r#"Bearer error="invalid_token""# } else { "Bearer" }));
        }
        request.headers.remove(AUTHORIZATION);
        request.extensions.insert(self.principal.clone());
        Ok(())
    }
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
    gate.identify(&mut parts)?;
    let _place = gate.places.try_acquire().map_err(|_| Refusal::too_many(REQUESTS_AT_ONCE))?;
    let json_came = is_json(&parts.headers);
    let request = body::read(Request::from_parts(parts, body)).await?;
    Ok(refusal::in_one_form(next.run(request).await, json_came).await)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

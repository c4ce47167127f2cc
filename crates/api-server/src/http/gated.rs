//! Everything behind its gate, as the service of a connection: a request goes through the gate,
//! then to the dialect that is spoken under its path or else to the router, and its answer back. As
//! a layer around the router, the gate would cost every request a second router.

use super::endpoints::Served;
use super::gate::Gate;
use super::refusal::{self, Refusal};
use super::site::Names;
use super::spoken::Spoken;
use super::{HttpConfig, body, legacy};
use crate::way_back::WayBack;
use axum::Router;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, Request};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::service::Service;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use tower_service::Service as _;

/// The gate, and behind it the dialects by their paths and the router with all other paths and
/// those that are not there.
#[derive(Clone)]
pub(super) struct Gated {
    gate: Arc<Gate>,
    spoken: Arc<BTreeMap<String, Spoken>>,
    router: Router,
}

impl Gated {
    pub fn new(config: HttpConfig, names: Names, served: Served) -> Self {
        let gate = Arc::new(Gate::before(&served, config, names));
        Self { gate, spoken: Arc::new(served.spoken), router: served.router }
    }

    /// What a request gets, with what every answer carries.
    async fn pass(self, request: Request<Body>) -> Response {
        let is_legacy = legacy::is_at(request.uri().path());
        let refused = |refusal: Refusal| {
            if is_legacy { refusal.enveloped() } else { refusal.into_response() }
        };
        let mut response = self.through(request).await.unwrap_or_else(refused);
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }

    async fn through(mut self, request: Request<Body>) -> Result<Response, Refusal> {
        let gate = Arc::clone(&self.gate);
        let (mut parts, body) = request.into_parts();
        let _place = match gate.admit(&mut parts).await {
            Ok(place) => place,
            Err(refusal) => return gate.turn_away(refusal, &parts, body).await,
        };
        let way_back = WayBack::with_page(gate.granting_page(&parts));
        parts.extensions.insert(way_back.clone());
        let (json_came, by_token) = (is_json(&parts.headers), gate.sent_by_token(&parts));
        let request = body::read(Request::from_parts(parts, body)).await?;
        let mut answer = refusal::in_one_form(self.answer(request).await, json_came).await;
        if let (Some((remote, sent)), Some(missing)) = (by_token, way_back.scope()) {
            return Err(Refusal::no_scope(remote.challenge(
                &sent,
                Some("insufficient_scope"),
                missing,
            )));
        }
        if let Some(seconds) = way_back.seconds() {
            answer.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        Ok(answer)
    }

    /// What answers behind the gate.
    async fn answer(&mut self, request: Request<Body>) -> Response {
        match self.spoken.get(request.uri().path()) {
            Some(spoken) => spoken.answer(request).await,
            None => self.router.call(request).await.unwrap_or_else(|never| match never {}),
        }
    }
}

impl fmt::Debug for Gated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gated").finish_non_exhaustive()
    }
}

impl Service<Request<Incoming>> for Gated {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let passing = self.clone().pass(request.map(Body::new));
        Box::pin(async move { Ok(passing.await) })
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

//! OAuth over HTTP: discovery, registration, code exchange, revocation, and the principal of an
//! access token. The consent page belongs to the dashboard; the rules of OAuth are in the `oauth`
//! crate.

mod refused;
mod request;

use super::refusal::Refusal;
use crate::identity::Principal;
use crate::turnstile::Turnstile;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use engine::credentials::{Credential, Identity};
use engine::{Engine, ToolClass};
use model::{ErrorCode, Failure, Permission, TokenInfo};
use oauth::metadata::{REGISTER, RESOURCE_DOCUMENT, REVOKE, SERVER_DOCUMENT, TOKEN};
use oauth::{Desk, Exchange, OAuthError, Refresh, Registered, Tokens};
use refused::Refused;
use request::{Fields, json};
use serde_json::{Value, json};
use std::sync::Arc;

/// OAuth endpoints of this server.
#[derive(Clone)]
pub(super) struct Remote {
    desk: Arc<Desk>,
    engine: Arc<Engine>,
    turnstile: Arc<Turnstile>,
}

/// Host and path that a request was sent to.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub host: String,
    /// Path without any secret that was in it.
    pub path: String,
}

impl Sent {
    pub fn of(request: &Parts) -> Self {
        Self { host: host_of(&request.headers).to_owned(), path: request.uri.path().to_owned() }
    }
}

impl Remote {
    pub fn new(server: Arc<Desk>, engine: Arc<Engine>, admission: Arc<Turnstile>) -> Self {
        Self { desk: server, engine, turnstile: admission }
    }

    /// Returns the routes that need no credential: one metadata document for each protected path,
    /// one for the server, and the three endpoints that clients post to.
    pub fn routes<'p>(
        &self,
        protected: impl Iterator<Item = &'p String>,
    ) -> Vec<(String, MethodRouter)> {
        let document = |path: &String| {
            let (server, endpoint) = (Arc::clone(&self.desk), path.clone());
            let document =
                move |host: &str| server.site().known_as(host).resource_document(&endpoint);
            (format!("{RESOURCE_DOCUMENT}{path}"), told_by(document))
        };
        let mut routes: Vec<_> = protected.map(document).collect();
        let server = Arc::clone(&self.desk);
        routes
            .push((SERVER_DOCUMENT.to_owned(), told_by(move |host| server.server_document(host))));
        routes.push((REGISTER.to_owned(), post(register).with_state(self.clone())));
        routes.push((TOKEN.to_owned(), post(token).with_state(self.clone())));
        routes.push((REVOKE.to_owned(), post(revoke).with_state(self.clone())));
        routes
    }

    /// Returns the principal of an access token; `None` when it was issued for another path.
    pub async fn holder_of(&self, secret: &str, path: &str) -> Result<Option<Principal>, Refusal> {
        let token = self.desk.identify(secret, self.engine.now()).await.map_err(broken)?;
        let covers_path =
            |token: &TokenInfo| self.desk.site().covers(&token.consent.resource, path);
        Ok(token.filter(covers_path).map(|TokenInfo { family, consent, .. }| {
            let credential = Credential::Token(family);
            let (owner, agent, scope) = (consent.owner, consent.agent, consent.scope);
            Principal::from(Identity { owner, agent, scope, credential })
        }))
    }

    /// Returns the `WWW-Authenticate` challenge for a missing, invalid or insufficient token.
    pub fn challenge(&self, to: &Sent, error: Option<&str>, scope: Permission) -> String {
        self.desk.site().known_as(&to.host).challenge(&to.path, error, scope)
    }

    // Registration and exchange come from anybody, so they share one bucket for all callers.
    fn knock(&self, class: ToolClass) -> Result<(), Refused> {
        self.turnstile
            .knock(class, self.engine.now())
            .map_err(|rejected| Refused::TooOften(rejected.seconds()))
    }
}

/// Maps an internal OAuth error to a refusal that does not reveal it.
fn broken(error: OAuthError) -> Refusal {
    tracing::error!(?error, "an access token could not be looked up");
    Failure::new(ErrorCode::Internal, "the access token could not be checked").into()
}

/// Route of a metadata document. It names the server by the host that the client used, because
/// clients compare the two.
fn told_by(document: impl Fn(&str) -> Value + Clone + Send + Sync + 'static) -> MethodRouter {
    get(move |request: Request| async move { Json(document(host_of(request.headers()))) })
}

fn host_of(headers: &HeaderMap) -> &str {
    headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

async fn register(State(remote): State<Remote>, request: Request) -> Result<Response, Refused> {
    remote.knock(ToolClass::Registration)?;
    let client = json(request).await?;
    let registered: Registered = remote.desk.register(client, remote.engine.now()).await?;
    Ok((StatusCode::CREATED, Json(registered)).into_response())
}

async fn token(State(remote): State<Remote>, request: Request) -> Result<Json<Tokens>, Refused> {
    remote.knock(ToolClass::Exchange)?;
    let mut fields = Fields::of(request).await?;
    let now = remote.engine.now();
    let tokens = match fields.required("grant_type")?.as_str() {
        "authorization_code" => {
            let input = Exchange {
                client_id: fields.required("client_id")?,
                code: fields.required("code")?,
                code_verifier: fields.required("code_verifier")?,
                redirect_uri: fields.take("redirect_uri"),
                resource: fields.take("resource"),
            };
            remote.desk.exchange(&input, now).await
        }
        "refresh_token" => {
            let input = Refresh {
                client_id: fields.required("client_id")?,
                refresh_token: fields.required("refresh_token")?,
                resource: fields.take("resource"),
            };
            remote.desk.refresh(&input, now).await
        }
        _ => Err(OAuthError::UnsupportedGrantType),
    };
    Ok(Json(tokens?))
}

async fn revoke(State(remote): State<Remote>, request: Request) -> Result<Json<Value>, Refused> {
    remote.knock(ToolClass::Exchange)?;
    let mut fields = Fields::of(request).await?;
    let (client, token) = (fields.required("client_id")?, fields.required("token")?);
    remote.desk.revoke(&client, &token, remote.engine.now()).await?;
    Ok(Json(json!({})))
}

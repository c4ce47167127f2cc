//! OAuth over HTTP: discovery, registration, code exchange, revocation, and the principal of an
//! access token. The consent page belongs to the dashboard; the rules of OAuth are in the `oauth`
//! crate.

mod rejection;
mod request;

use super::client_address::ClientAddress;
use super::refusal::HttpRefusal;
use super::stranger_rates::{self, StrangerError};
use crate::identity::Principal;
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
use oauth::{
    AuthorizationServer, CodeExchange, OAuthError, RegistrationResponse, TokenRefresh,
    TokenResponse,
};
use rejection::OAuthRejection;
use request::{FormFields, read_json};
use serde_json::{Value, json};
use std::sync::Arc;

/// OAuth endpoints of this server.
#[derive(Clone)]
pub(super) struct OAuthEndpoints {
    authorization_server: Arc<AuthorizationServer>,
    engine: Arc<Engine>,
}

/// Host and path that a request was sent to.
#[derive(Debug, Clone)]
pub(super) struct RequestTarget {
    pub host: String,
    /// Path without any secret that was in it.
    pub path: String,
}

impl RequestTarget {
    pub fn from_parts(request: &Parts) -> Self {
        Self { host: host_of(&request.headers).to_owned(), path: request.uri.path().to_owned() }
    }
}

impl OAuthEndpoints {
    pub fn new(server: Arc<AuthorizationServer>, engine: Arc<Engine>) -> Self {
        Self { authorization_server: server, engine }
    }

    /// Returns the routes that need no credential: one metadata document for each protected path,
    /// one for the server, and the three endpoints that clients post to.
    pub fn routes<'p>(
        &self,
        protected: impl Iterator<Item = &'p String>,
    ) -> Vec<(String, MethodRouter)> {
        let document = |path: &String| {
            let (server, endpoint) = (Arc::clone(&self.authorization_server), path.clone());
            let document =
                move |host: &str| server.site().for_host(host).resource_document(&endpoint);
            (format!("{RESOURCE_DOCUMENT}{path}"), document_route(document))
        };
        let mut routes: Vec<_> = protected.map(document).collect();
        let server = Arc::clone(&self.authorization_server);
        routes.push((
            SERVER_DOCUMENT.to_owned(),
            document_route(move |host| server.server_document(host)),
        ));
        routes.push((REGISTER.to_owned(), post(register).with_state(self.clone())));
        routes.push((TOKEN.to_owned(), post(token).with_state(self.clone())));
        routes.push((REVOKE.to_owned(), post(revoke).with_state(self.clone())));
        routes
    }

    /// Returns the principal of an access token; `None` when it was issued for another path.
    pub async fn principal_for_token(
        &self,
        secret: &str,
        path: &str,
    ) -> Result<Option<Principal>, HttpRefusal> {
        let token = self
            .authorization_server
            .identify(secret, self.engine.now())
            .await
            .map_err(lookup_failure)?;
        let covers_path = |token: &TokenInfo| {
            self.authorization_server.site().covers(&token.consent.resource, path)
        };
        Ok(token.filter(covers_path).map(|TokenInfo { family, consent, .. }| {
            let credential = Credential::Token(family);
            let (owner, agent, scope) = (consent.owner, consent.agent, consent.scope);
            Principal::from(Identity { owner, agent, scope, credential })
        }))
    }

    /// Returns the `WWW-Authenticate` challenge for a missing, invalid or insufficient token.
    pub fn challenge(&self, to: &RequestTarget, error: Option<&str>, scope: Permission) -> String {
        self.authorization_server.site().for_host(&to.host).www_authenticate(&to.path, error, scope)
    }

    async fn check_rate(
        &self,
        from: ClientAddress,
        class: ToolClass,
    ) -> Result<(), OAuthRejection> {
        let (values, now) = (self.authorization_server.values(), self.engine.now());
        let counted = stranger_rates::count(values, &from.to_string(), class, now).await;
        counted.map_err(|error| match error {
            StrangerError::TooMany(seconds) => OAuthRejection::TooMany(seconds),
            StrangerError::Store(error) => OAuthRejection::Protocol(error.into()),
        })
    }

    /// Counts a failed exchange. Only failures count, so that no amount of them keeps a client with
    /// a valid code or token from what it is entitled to, from whatever address they come.
    async fn count_failure<T>(
        &self,
        from: ClientAddress,
        answer: Result<T, OAuthRejection>,
    ) -> Result<T, OAuthRejection> {
        if answer.is_err() {
            self.check_rate(from, ToolClass::Exchange).await?;
        }
        answer
    }
}

/// Maps an internal OAuth error to a refusal that does not reveal it.
fn lookup_failure(error: OAuthError) -> HttpRefusal {
    tracing::error!(?error, "an access token could not be looked up");
    Failure::new(ErrorCode::Internal, "the access token could not be checked").into()
}

/// Route of a metadata document. It names the server by the host that the client used, because
/// clients compare the two.
fn document_route(
    document: impl Fn(&str) -> Value + Clone + Send + Sync + 'static,
) -> MethodRouter {
    get(move |request: Request| async move { Json(document(host_of(request.headers()))) })
}

fn host_of(headers: &HeaderMap) -> &str {
    headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

async fn register(
    State(remote): State<OAuthEndpoints>,
    request: Request,
) -> Result<Response, OAuthRejection> {
    let from = ClientAddress::of_request(request.extensions());
    remote.check_rate(from, ToolClass::Registration).await?;
    let client = read_json(request).await?;
    let registered: RegistrationResponse =
        remote.authorization_server.register(client, remote.engine.now()).await?;
    Ok((StatusCode::CREATED, Json(registered)).into_response())
}

async fn token(
    State(remote): State<OAuthEndpoints>,
    request: Request,
) -> Result<Json<TokenResponse>, OAuthRejection> {
    let from = ClientAddress::of_request(request.extensions());
    remote.count_failure(from, exchange(&remote, request).await).await.map(Json)
}

async fn exchange(
    remote: &OAuthEndpoints,
    request: Request,
) -> Result<TokenResponse, OAuthRejection> {
    let mut fields = FormFields::from_request(request).await?;
    let now = remote.engine.now();
    let tokens = match fields.required("grant_type")?.as_str() {
        "authorization_code" => {
            let input = CodeExchange {
                client_id: fields.required("client_id")?,
                code: fields.required("code")?,
                code_verifier: fields.required("code_verifier")?,
                redirect_uri: fields.take("redirect_uri"),
                resource: fields.take("resource"),
            };
            remote.authorization_server.exchange(&input, now).await
        }
        "refresh_token" => {
            let input = TokenRefresh {
                client_id: fields.required("client_id")?,
                refresh_token: fields.required("refresh_token")?,
                resource: fields.take("resource"),
            };
            remote.authorization_server.refresh(&input, now).await
        }
        _ => Err(OAuthError::UnsupportedGrantType),
    };
    Ok(tokens?)
}

async fn revoke(
    State(remote): State<OAuthEndpoints>,
    request: Request,
) -> Result<Json<Value>, OAuthRejection> {
    let from = ClientAddress::of_request(request.extensions());
    remote.count_failure(from, revoke_token(&remote, request).await).await?;
    Ok(Json(json!({})))
}

async fn revoke_token(remote: &OAuthEndpoints, request: Request) -> Result<(), OAuthRejection> {
    let mut fields = FormFields::from_request(request).await?;
    let (client, token) = (fields.required("client_id")?, fields.required("token")?);
    Ok(remote.authorization_server.revoke(&client, &token, remote.engine.now()).await?)
}

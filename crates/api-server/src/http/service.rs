//! The service of a connection: a request passes the authorizer, then goes to the dialect under its
//! path or else to the router. The authorizer is not a layer around the router, because that would
//! cost every request a second router.

use super::authorizer::{Authorizer, RequestClass};
use super::client_address::ClientAddress;
use super::connection_activity::ConnectionActivity;
use super::connection_limits::STRANGER_BYTES_MAX;
use super::connection_table::AdmittedConnection;
use super::dialect_endpoint::DialectEndpoint;
use super::endpoints::BuiltEndpoints;
use super::origin_check::ServerNames;
use super::refusal::{self, HttpRefusal};
use super::request_span::RequestSpan;
use super::{HttpConfig, body, legacy};
use crate::connections::{HttpConnection, SESSION_HEADER};
use crate::response_notes::ResponseNotes;
use axum::Router;
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, RETRY_AFTER, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Request};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::service::Service;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use tokio::time::Instant;
use tower_service::Service as _;
use tracing::Instrument;

/// The authorizer, the dialects by path, and the router with all other paths and the 404 fallback.
#[derive(Clone)]
pub(super) struct HttpService {
    authorizer: Arc<Authorizer>,
    dialects: Arc<BTreeMap<String, DialectEndpoint>>,
    router: Router,
    connection: Option<ServedConnection>,
}

/// Connection that a request comes over.
#[derive(Clone)]
struct ServedConnection {
    number: HttpConnection,
    activity: Arc<ConnectionActivity>,
    address: ClientAddress,
}

/// Path of the Epitome dialect, whose refusals have the codes of its documents.
const EPITOME_PATH: &str = "/mcp/epitome";

/// Tells browsers for a year to use https alone. Nothing is said about other names below the same
/// domain, which are not ours.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

impl HttpService {
    pub fn new(config: HttpConfig, names: ServerNames, endpoints: BuiltEndpoints) -> Self {
        let authorizer = Arc::new(Authorizer::new(&endpoints, config, names));
        let (dialects, router) = (Arc::new(endpoints.dialects), endpoints.router);
        Self { authorizer, dialects, router, connection: None }
    }

    /// Returns the service of a new connection.
    pub fn for_connection(&self, admitted: &AdmittedConnection) -> Self {
        let connection = ServedConnection {
            number: HttpConnection::new(),
            activity: Arc::clone(&admitted.activity),
            address: admitted.address,
        };
        Self { connection: Some(connection), ..self.clone() }
    }

    /// Answers a request, and notes its begin and end in the activity of the connection.
    async fn serve(self, request: Request<Body>) -> Response {
        let Some(connection) = self.connection.clone() else {
            return self.respond_traced(request).await;
        };
        connection.activity.note_request(Instant::now());
        let response = self.respond_traced(request).await;
        connection.activity.note_response(Instant::now());
        response
    }

    /// Answers a request inside of a span.
    async fn respond_traced(self, mut request: Request<Body>) -> Response {
        let dialect = self.dialects.contains_key(request.uri().path());
        let span = RequestSpan::start(&mut request, dialect);
        let response = self.respond(request).instrument(span.0.clone()).await;
        span.note_status(response.status());
        response
    }

    /// Answers a request and sets the headers that every response carries.
    async fn respond(self, request: Request<Body>) -> Response {
        let is_legacy = legacy::is_legacy_path(request.uri().path());
        let is_epitome = request.uri().path().starts_with(EPITOME_PATH);
        let refused = |refusal: HttpRefusal| match (is_legacy, is_epitome) {
            (true, _) => refusal.into_legacy_response(),
            (false, true) => refusal.into_epitome_response(),
            (false, false) => refusal.into_response(),
        };
        let is_https = self.authorizer.is_https();
        let mut response = self.authorize_and_answer(request).await.unwrap_or_else(refused);
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if is_https {
            headers.insert(STRICT_TRANSPORT_SECURITY, HSTS);
        }
        // Responses contain memories. Only the dashboard's assets set a header of their own.
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        response
    }

    async fn authorize_and_answer(
        mut self,
        request: Request<Body>,
    ) -> Result<Response, HttpRefusal> {
        let authorizer = Arc::clone(&self.authorizer);
        let (mut parts, body) = request.into_parts();
        let class = match authorizer.authorize(&mut parts).await {
            Ok(class) => class,
            Err(refusal) => return authorizer.reject(refusal, &parts, body).await,
        };
        let notes = ResponseNotes::with_grant_page(authorizer.grant_page(&parts));
        parts.extensions.insert(notes.clone());
        if let Some(connection) = &self.connection {
            connection.note_class(class);
            parts.extensions.insert(connection.number);
            parts.extensions.insert(authorizer.client_address(connection.address, &parts));
        }
        let by_token = authorizer.token_request_target(&parts);
        // Held until the response is complete; dropping it admits the next request.
        let (request, _permit) = match class {
            // Answers under load too.
            RequestClass::Health => {
                (body::read(Request::from_parts(parts, body), STRANGER_BYTES_MAX).await?, None)
            }
            // First the body, then the place: a stranger who sends slowly takes none.
            RequestClass::Stranger => {
                let request =
                    body::read(Request::from_parts(parts, body), STRANGER_BYTES_MAX).await?;
                (request, Some(authorizer.enter(class)?))
            }
            // First the place: the bodies of agents are long, and all in memory.
            RequestClass::Authenticated => {
                let permit = match authorizer.enter(class) {
                    Ok(permit) => permit,
                    Err(refusal) => return authorizer.reject(refusal, &parts, body).await,
                };
                let request = body::read(Request::from_parts(parts, body), body::BYTES_MAX).await?;
                (request, Some(permit))
            }
        };
        let (parts, body) = request.into_parts();
        let _call = authorizer.start_call(&parts).await?;
        let request = Request::from_parts(parts, body);
        let mut answer = refusal::normalize_error_response(self.dispatch(request).await).await;
        if let (Some((oauth, target)), Some(missing)) = (by_token, notes.missing_scope()) {
            // The engine refused the call for its scope. OAuth clients expect that as a 403 with a
            // challenge, where a key gets the refusal as the tool's result.
            return Err(HttpRefusal::no_scope(oauth.challenge(
                &target,
                Some("insufficient_scope"),
                missing,
            )));
        }
        if let Some(id) = notes.new_session().and_then(|id| HeaderValue::from_str(id).ok()) {
            answer.headers_mut().insert(SESSION_HEADER, id);
        }
        if let Some(seconds) = notes.retry_after_seconds() {
            answer.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        Ok(answer)
    }

    /// Dispatches an authorized request by its path.
    async fn dispatch(&mut self, request: Request<Body>) -> Response {
        match self.dialects.get(request.uri().path()) {
            Some(endpoint) => endpoint.answer(request).await,
            None => self.router.call(request).await.unwrap_or_else(|never| match never {}),
        }
    }
}

impl ServedConnection {
    /// Notes that the request in progress is that of an owner or an agent.
    fn note_class(&self, class: RequestClass) {
        if class == RequestClass::Authenticated {
            self.activity.note_credential();
        }
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").finish_non_exhaustive()
    }
}

impl Service<Request<Incoming>> for HttpService {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.serve(request.map(Body::new)).await) })
    }
}

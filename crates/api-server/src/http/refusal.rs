//! Error responses over HTTP, all in one form: a status, and the same JSON that a failed call gets.

use super::credential::{may_hold_secret, redact_path};
use super::legacy::error_envelope;
use crate::admission::AdmissionError;
use crate::incoming::MessageFault;
use crate::reply::failure_json;
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model::{ErrorCode, Failure};
use serde_json::{Value, json};

/// Maximum number of bytes of a plain-text error that are copied into JSON.
const PLAIN_MAX: usize = 4096;

/// An error response in preparation.
#[derive(Debug)]
pub(super) struct HttpRefusal {
    status: StatusCode,
    failure: Failure,
    hint: Option<&'static str>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl HttpRefusal {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Failure::new(code, message).into()
    }

    fn with_hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    fn with_header(mut self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        // The values are numbers and our own addresses and words, so they are valid.
        self.headers.extend(value.try_into().ok().map(|value| (name, value)));
        self
    }

    pub fn foreign_host() -> Self {
        Self::new(ErrorCode::Forbidden, "the Host header does not name this server").with_hint(
            "Use the address that the server printed when it started, or start it with \
             --public-url.",
        )
    }

    pub fn foreign_origin() -> Self {
        Self::new(ErrorCode::Forbidden, "the request was sent by another site").with_hint(
            "Connect with an MCP client; requests from pages of other sites are not accepted.",
        )
    }

    pub fn no_token(challenge: String) -> Self {
        Self::new(ErrorCode::Unauthenticated, "a valid token or key of the owner is required")
            .with_header(WWW_AUTHENTICATE, challenge)
    }

    pub fn no_scope(challenge: String) -> Self {
        let message =
            "the access token lacks a scope; ask the owner for the scope named in the challenge";
        Self::new(ErrorCode::Forbidden, message).with_header(WWW_AUTHENTICATE, challenge)
    }

    pub fn no_form_token() -> Self {
        Self::new(ErrorCode::Forbidden, "the form token is missing or wrong")
            .with_hint("Log in again.")
    }

    pub fn turned_off(dialect: &str) -> Self {
        Self::new(ErrorCode::Forbidden, format!("the owner turned the dialect {dialect} off"))
            .with_hint("The owner can turn it on again on the Settings page of the dashboard.")
    }

    pub fn not_acceptable() -> Self {
        let refusal =
            Self::new(ErrorCode::InvalidArgument, "the client does not accept application/json")
                .with_hint("Send Accept: application/json, or no Accept header.");
        Self { status: StatusCode::NOT_ACCEPTABLE, ..refusal }
    }

    pub fn too_long(bytes_max: usize) -> Self {
        Self::new(ErrorCode::LimitExceeded, format!("the request is longer than {bytes_max} bytes"))
    }

    pub fn too_slow() -> Self {
        let refusal =
            Self::new(ErrorCode::InvalidArgument, "the rest of the request did not arrive in time");
        Self { status: StatusCode::REQUEST_TIMEOUT, ..refusal }.closing_connection()
    }

    pub fn broken_body() -> Self {
        Self::new(ErrorCode::InvalidArgument, "the body of the request is incomplete")
            .closing_connection()
    }

    /// Closes the connection after the response, for a request that did not arrive completely.
    pub fn closing_connection(self) -> Self {
        self.with_header(CONNECTION, "close")
    }

    /// Returns true when a credential could have prevented the refusal.
    pub fn is_missing_credential(&self) -> bool {
        self.failure.code == ErrorCode::Unauthenticated
    }

    /// Returns the code of Epitome's documents for the status.
    fn epitome_code(&self) -> &'static str {
        match self.status {
            StatusCode::UNAUTHORIZED => "UNAUTHORIZED",
            StatusCode::FORBIDDEN => "FORBIDDEN",
            StatusCode::TOO_MANY_REQUESTS => "RATE_LIMITED",
            _ => "BAD_REQUEST",
        }
    }

    /// Builds the response with the codes of Epitome's documents.
    pub fn into_epitome_response(self) -> Response {
        let mut body = self.body();
        body["error"]["code"] = self.epitome_code().into();
        let mut response = (self.status, Json(body)).into_response();
        response.headers_mut().extend(self.headers);
        response
    }

    /// Builds the response in the envelope and with the codes of the legacy REST API.
    pub fn into_legacy_response(self) -> Response {
        let code = self.epitome_code();
        // The envelope's body under the headers of the normal response: `Retry-After`,
        // `WWW-Authenticate` and `Connection` apply there too.
        let body = error_envelope(self.status, code, &self.failure.message);
        let (mut parts, _) = self.into_response().into_parts();
        let (enveloped, body) = body.into_parts();
        parts.headers.extend(enveloped.headers);
        Response::from_parts(parts, body)
    }

    fn body(&self) -> Value {
        let mut body = failure_json(&self.failure);
        // A few statuses have no code of their own.
        body["error"]["status"] = self.status.as_u16().into();
        if let Some(hint) = self.hint {
            body["error"]["hint"] = hint.into();
        }
        body
    }
}

impl From<Failure> for HttpRefusal {
    fn from(failure: Failure) -> Self {
        let status = StatusCode::from_u16(failure.code.http_status())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // Details are for the result of a call, not for a response of the front end.
        let failure = Failure::new(failure.code, failure.message);
        Self { status, failure, hint: None, headers: Vec::new() }
    }
}

impl From<AdmissionError> for HttpRefusal {
    fn from(error: AdmissionError) -> Self {
        let seconds = error.retry_after_seconds;
        Self::from(Failure::from(error)).with_header(RETRY_AFTER, seconds)
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        response.headers_mut().extend(self.headers);
        response
    }
}

/// Answers a path under which nothing is served.
pub(super) async fn no_such_path(request: Request) -> Response {
    let shown = redact_path(request.uri().path());
    // What is still in it after that is a secret in a place where none belongs.
    let message = if may_hold_secret(&shown) {
        "nothing is served under this path".to_owned()
    } else {
        format!("nothing is served under {}", shown.chars().take(100).collect::<String>())
    };
    HttpRefusal::new(ErrorCode::NotFound, message).into_response()
}

/// Returns true when a request comes from a browser that wants to show a page.
pub(super) fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Converts a plain-text error of rmcp or axum into the common JSON form.
pub(super) async fn normalize_error_response(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    let is_plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !(status.is_client_error() || status.is_server_error()) || !is_plain {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, PLAIN_MAX).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut body = failure_json(&failure_from_status(status, &text));
    body["error"]["status"] = status.as_u16().into();
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // The body has a new length; hyper sets the header itself.
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(body.to_string()))
}

/// Builds the response to a body that could not be read as a message.
pub(super) fn unreadable_message(fault: MessageFault) -> Response {
    let MessageFault { id, error } = fault;
    let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// Returns true when a request was declared as JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

fn failure_from_status(status: StatusCode, text: &str) -> Failure {
    let code = match status {
        StatusCode::NOT_FOUND => ErrorCode::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::LimitExceeded,
        status if status.is_server_error() => ErrorCode::Internal,
        _ => ErrorCode::InvalidArgument,
    };
    let reason = status.canonical_reason().unwrap_or("refused");
    Failure::new(code, if text.is_empty() { reason } else { text })
}

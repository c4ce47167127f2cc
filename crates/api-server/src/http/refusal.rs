//! Error responses over HTTP, all in one form: a status, and the same JSON that a failed call gets.

use super::credential::redact_path;
use super::legacy::error_envelope;
use crate::reply::failure_json;
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
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
    challenge: Option<String>,
    closes_connection: bool,
}

impl HttpRefusal {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let status =
            StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let failure = Failure::new(code, message);
        Self { status, failure, hint: None, challenge: None, closes_connection: false }
    }

    pub fn foreign_host() -> Self {
        let hint = "Use the address that the server printed when it started, or start it with \
            --public-url.";
        Self {
            hint: Some(hint),
            ..Self::new(ErrorCode::Forbidden, "the Host header does not name this server")
        }
    }

    pub fn foreign_origin() -> Self {
        let hint =
            "Connect with an MCP client; requests from pages of other sites are not accepted.";
        Self {
            hint: Some(hint),
            ..Self::new(ErrorCode::Forbidden, "the request was sent by another site")
        }
    }

    pub fn no_token(challenge: String) -> Self {
        let message = "a valid token or key of the owner is required";
        Self { challenge: Some(challenge), ..Self::new(ErrorCode::Unauthenticated, message) }
    }

    pub fn no_scope(challenge: String) -> Self {
        let message =
            "the access token lacks a scope; ask the owner for the scope named in the challenge";
        Self { challenge: Some(challenge), ..Self::new(ErrorCode::Forbidden, message) }
    }

    pub fn no_form_token() -> Self {
        let hint = "Reload the page and try again.";
        Self {
            hint: Some(hint),
            ..Self::new(ErrorCode::Forbidden, "the form token is missing or wrong")
        }
    }

    pub fn turned_off(dialect: &str) -> Self {
        let hint = "The owner can turn it on again on the Settings page of the dashboard.";
        let message = format!("the owner turned the dialect {dialect} off");
        Self { hint: Some(hint), ..Self::new(ErrorCode::Forbidden, message) }
    }

    pub fn too_many(at_once: usize) -> Self {
        Self::new(
            ErrorCode::RateLimited,
            format!("{at_once} requests are already in progress; retry in a moment"),
        )
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
        Self { closes_connection: true, ..self }
    }

    /// Returns true when a credential could have prevented the refusal.
    pub fn is_missing_credential(&self) -> bool {
        self.failure.code == ErrorCode::Unauthenticated
    }

    /// Builds the response in the envelope and with the codes of the legacy REST API.
    pub fn into_legacy_response(self) -> Response {
        let code = match self.status {
            StatusCode::UNAUTHORIZED => "UNAUTHORIZED",
            StatusCode::FORBIDDEN => "FORBIDDEN",
            StatusCode::TOO_MANY_REQUESTS => "RATE_LIMITED",
            _ => "BAD_REQUEST",
        };
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
        if let Some(hint) = self.hint {
            body["error"]["hint"] = hint.into();
        }
        body
    }
}

impl From<Failure> for HttpRefusal {
    fn from(failure: Failure) -> Self {
        Self::new(failure.code, failure.message)
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if self.failure.code == ErrorCode::RateLimited {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.closes_connection {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        // A challenge consists of our own addresses and words, so it is a valid header value.
        if let Some(challenge) = self.challenge.and_then(|text| HeaderValue::from_str(&text).ok()) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// Answers a path under which nothing is served.
pub(super) async fn no_such_path(request: Request) -> Response {
    let path: String = redact_path(request.uri().path()).chars().take(100).collect();
    HttpRefusal::new(ErrorCode::NotFound, format!("nothing is served under {path}")).into_response()
}

/// Converts a plain-text error of rmcp or axum into the common JSON form.
///
/// `json_came` says that the request was declared as JSON. rmcp answers JSON that is not a message
/// of the protocol with 415; such a request gets a JSON-RPC parse error instead.
pub(super) async fn normalize_error_response(response: Response, sent_as_json: bool) -> Response {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    let is_plain = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !(status.is_client_error() || status.is_server_error()) || !is_plain {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = to_bytes(body, PLAIN_MAX).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let body = if status == StatusCode::UNSUPPORTED_MEDIA_TYPE && sent_as_json {
        parts.status = StatusCode::BAD_REQUEST;
        parse_error(&text)
    } else {
        failure_json(&failure_from_status(status, &text))
    };
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // The body has a new length; hyper sets the header itself.
    parts.headers.remove(axum::http::header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(body.to_string()))
}

/// Builds the JSON-RPC error for unreadable input.
fn parse_error(text: &str) -> Value {
    let message = format!("Parse error: {text}");
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": message } })
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

//! Error responses in the form that OAuth defines: a code for the program, and a sentence for its
//! developer.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use oauth::OAuthError;
use serde_json::json;

/// Reason an OAuth request is rejected.
#[derive(Debug)]
pub(super) enum OAuthRejection {
    Protocol(OAuthError),
    /// Too many attempts; another is possible after this many seconds.
    TooMany(u32),
    TooLong,
}

impl From<OAuthError> for OAuthRejection {
    fn from(error: OAuthError) -> Self {
        Self::Protocol(error)
    }
}

impl IntoResponse for OAuthRejection {
    fn into_response(self) -> Response {
        match self {
            Self::Protocol(error) => {
                if let OAuthError::ServerError(cause) = &error {
                    tracing::error!(cause, "an OAuth request failed with an internal error");
                }
                let status =
                    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
                error_response(status, error.name(), &error.to_string())
            }
            Self::TooMany(seconds) => {
                let error = OAuthError::TemporarilyUnavailable;
                let mut answer =
                    error_response(StatusCode::TOO_MANY_REQUESTS, error.name(), &error.to_string());
                answer.headers_mut().insert(RETRY_AFTER, seconds.into());
                answer
            }
            Self::TooLong => error_response(
                StatusCode::PAYLOAD_TOO_LARGE,
                "invalid_request",
                "the request is too long",
            ),
        }
    }
}

fn error_response(status: StatusCode, name: &str, description: &str) -> Response {
    let body = json!({ "error": name, "error_description": description });
    (status, Json(body)).into_response()
}

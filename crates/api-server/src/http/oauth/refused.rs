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
pub(super) enum Refused {
    ByDesk(OAuthError),
    /// Too many requests; retry after this many seconds.
    TooOften(u32),
    TooLong,
}

impl From<OAuthError> for Refused {
    fn from(error: OAuthError) -> Self {
        Self::ByDesk(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::ByDesk(error) => {
                if let OAuthError::ServerError(cause) = &error {
                    tracing::error!(cause, "an OAuth request failed with an internal error");
                }
                let status =
                    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
                told(status, error.name(), &error.to_string())
            }
            Self::TooOften(seconds) => {
                let error = OAuthError::TemporarilyUnavailable;
                let mut answer =
                    told(StatusCode::TOO_MANY_REQUESTS, error.name(), &error.to_string());
                answer.headers_mut().insert(RETRY_AFTER, seconds.into());
                answer
            }
            Self::TooLong => {
                told(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request", "the request is too long")
            }
        }
    }
}

fn told(status: StatusCode, name: &str, description: &str) -> Response {
    let body = json!({ "error": name, "error_description": description });
    (status, Json(body)).into_response()
}

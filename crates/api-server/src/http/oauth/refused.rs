//! A no in the form that OAuth gives it: a name for the program, and a sentence for whoever wrote
//! it.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use oauth::OAuthError;
use serde_json::json;

/// Why a program gets no answer.
#[derive(Debug)]
pub(super) enum Refused {
    /// The desk said no.
    ByDesk(OAuthError),
    /// Too many ask; come again after so many seconds.
    TooOften(u32),
    /// The request is longer than any that means something.
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
                    tracing::error!(cause, "OAuth failed inside");
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

fn told(status: StatusCode, name: &str, says: &str) -> Response {
    (status, Json(json!({ "error": name, "error_description": says }))).into_response()
}

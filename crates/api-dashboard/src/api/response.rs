//! Response of an operation: JSON, and an `ETag` where the resource has a version.

use axum::http::StatusCode;
use axum::http::header::{ETAG, HeaderValue};
use axum::response::{IntoResponse, Json, Response};
use model::Failure;
use serde::Serialize;

/// Response body with an optional entity tag.
pub(crate) struct ApiResponse<T> {
    body: T,
    tag: Option<String>,
}

impl<T> ApiResponse<T> {
    /// Creates a response without a version.
    pub fn new(body: T) -> Result<Self, Failure> {
        Ok(Self { body, tag: None })
    }

    /// Creates a response with a version, which an edit repeats as `If-Match`.
    pub fn with_tag(body: T, tag: String) -> Result<Self, Failure> {
        Ok(Self { body, tag: Some(tag) })
    }
}

impl<T: Serialize> IntoResponse for ApiResponse<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.body).into_response();
        // A tag consists of letters, digits and quotation marks, so it is a valid header value.
        if let Some(tag) = self.tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// Builds the response for a failure, with its status.
pub(crate) fn failure_response(failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.code.http_status());
    (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(server::failure_json(failure)))
        .into_response()
}

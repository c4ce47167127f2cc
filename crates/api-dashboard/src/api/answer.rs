//! What an operation answers: JSON, and the version of the thing where it has one.

use axum::http::StatusCode;
use axum::http::header::{ETAG, HeaderValue};
use axum::response::{IntoResponse, Json, Response};
use model::Failure;
use serde::Serialize;

/// The body, with the version of what it shows.
pub(crate) struct Answer<T> {
    body: T,
    tag: Option<String>,
}

impl<T> Answer<T> {
    /// An answer that has no version.
    pub fn of(body: T) -> Result<Self, Failure> {
        Ok(Self { body, tag: None })
    }

    /// An answer of a version; an edit repeats it as `If-Match`.
    pub fn tagged(body: T, tag: String) -> Result<Self, Failure> {
        Ok(Self { body, tag: Some(tag) })
    }
}

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        let mut response = Json(self.body).into_response();
        // A tag is made of digits and quotation marks, which every header takes.
        if let Some(tag) = self.tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// A failure as every surface tells it, under its status.
pub(crate) fn refused(failure: &Failure) -> Response {
    let status = StatusCode::from_u16(failure.code.http_status());
    (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), Json(server::told(failure)))
        .into_response()
}

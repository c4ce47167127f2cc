//! Parses what OAuth clients post, within a limit of its own, because it comes from unauthenticated
//! callers.

use super::OAuthRejection;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use oauth::OAuthError;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Maximum body size in bytes; several times what ten redirect addresses and a name need.
const BYTES_MAX: usize = 32 << 10;
/// Maximum number of form fields.
const FIELDS_MAX: usize = 50;

/// Form fields, each given once.
pub(super) struct FormFields(BTreeMap<String, String>);

impl FormFields {
    /// Parses the form of a request.
    pub async fn from_request(request: Request) -> Result<Self, OAuthRejection> {
        let body = read_body(request, "application/x-www-form-urlencoded").await?;
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(&body) {
            let name = name.into_owned();
            if fields.len() >= FIELDS_MAX || fields.insert(name, value.into_owned()).is_some() {
                let why = "a parameter is given twice, or there are too many parameters";
                return Err(OAuthError::InvalidRequest(why.to_owned()).into());
            }
        }
        Ok(Self(fields))
    }

    /// Removes an optional field; an empty one counts as missing.
    pub fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).filter(|value| !value.is_empty())
    }

    /// Removes a required field.
    pub fn required(&mut self, name: &str) -> Result<String, OAuthError> {
        self.take(name).ok_or_else(|| OAuthError::InvalidRequest(format!("{name} is missing")))
    }
}

/// Parses the JSON body of a request.
pub(super) async fn read_json<T: DeserializeOwned>(request: Request) -> Result<T, OAuthRejection> {
    let body = read_body(request, "application/json").await?;
    let read = serde_json::from_slice(&body);
    read.map_err(|error| {
        OAuthError::InvalidMetadata(format!("the body is not valid JSON: {error}")).into()
    })
}

async fn read_body(request: Request, kind: &str) -> Result<Bytes, OAuthRejection> {
    let sent =
        request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !sent.split(';').next().is_some_and(|sent| sent.trim().eq_ignore_ascii_case(kind)) {
        return Err(OAuthError::InvalidRequest(format!("send the body as {kind}")).into());
    }
    to_bytes(request.into_body(), BYTES_MAX).await.map_err(|_| OAuthRejection::TooLong)
}

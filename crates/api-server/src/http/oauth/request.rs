//! What programs post, read within a limit of its own: it comes from strangers.

use super::Refused;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use oauth::OAuthError;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The longest body; ten redirect addresses and a name fit in several times.
const BYTES_MAX: usize = 32 << 10;
/// The most fields of a form.
const FIELDS_MAX: usize = 50;

/// The fields of a form, each given once.
pub(super) struct Fields(BTreeMap<String, String>);

impl Fields {
    /// Reads the form of a request.
    pub async fn of(request: Request) -> Result<Self, Refused> {
        let body = body(request, "application/x-www-form-urlencoded").await?;
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(&body) {
            let name = name.into_owned();
            if fields.len() >= FIELDS_MAX || fields.insert(name, value.into_owned()).is_some() {
                let why = "a parameter is given twice, or there are too many";
                return Err(OAuthError::InvalidRequest(why.to_owned()).into());
            }
        }
        Ok(Self(fields))
    }

    /// A field that may be missing; an empty one is.
    pub fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).filter(|value| !value.is_empty())
    }

    /// A field that must be there.
    pub fn required(&mut self, name: &str) -> Result<String, OAuthError> {
        self.take(name).ok_or_else(|| OAuthError::InvalidRequest(format!("{name} is missing")))
    }
}

/// Reads the JSON of a request.
pub(super) async fn json<T: DeserializeOwned>(request: Request) -> Result<T, Refused> {
    let body = body(request, "application/json").await?;
    let read = serde_json::from_slice(&body);
    read.map_err(|error| {
        OAuthError::InvalidMetadata(format!("the body cannot be read: {error}")).into()
    })
}

async fn body(request: Request, kind: &str) -> Result<Bytes, Refused> {
    let sent =
        request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !sent.split(';').next().is_some_and(|sent| sent.trim().eq_ignore_ascii_case(kind)) {
        return Err(OAuthError::InvalidRequest(format!("send the body as {kind}")).into());
    }
    to_bytes(request.into_body(), BYTES_MAX).await.map_err(|_| Refused::TooLong)
}

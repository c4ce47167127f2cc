//! The documents of a provider: its metadata and its keys. Both are fetched when they are first
//! needed and kept for an hour. An unknown key fetches the keys again, at most once a minute, so
//! that a provider can change its keys and a stranger cannot make this server flood it.

use crate::provider_client::ProviderClient;
use crate::{ProviderSettings, SignInError};
use jsonwebtoken::jwk::JwkSet;
use model::Moment;
use parking_lot::Mutex;
use serde::Deserialize;
use std::sync::Arc;

/// Time for which documents are kept.
const FRESH_SECONDS: i64 = 3600;
/// Least time between two fetches of the keys.
const KEYS_AGAIN_SECONDS: i64 = 60;

/// Metadata of a provider, as far as it is used.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ProviderMetadata {
    issuer: String,
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl ProviderMetadata {
    /// Returns true when the client's secret goes into the form instead of a header.
    pub fn takes_secret_in_form(&self) -> bool {
        // Without the list, the standard says `client_secret_basic`.
        let methods = self.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
        let has = |name: &str| methods.iter().any(|method| method == name);
        has("client_secret_post") && !has("client_secret_basic")
    }
}

/// A document and the moment at which it was fetched.
type FetchedDocument<T> = Option<(Moment, Arc<T>)>;

/// Documents of one provider. Clones share them.
#[derive(Clone)]
pub(crate) struct ProviderDocuments {
    client: ProviderClient,
    issuer: String,
    metadata: Arc<Mutex<FetchedDocument<ProviderMetadata>>>,
    keys: Arc<Mutex<FetchedDocument<JwkSet>>>,
}

impl ProviderDocuments {
    pub fn new(settings: &ProviderSettings, client: ProviderClient) -> Self {
        let issuer = settings.issuer.clone();
        Self { client, issuer, metadata: Arc::default(), keys: Arc::default() }
    }

    /// Returns the metadata.
    pub async fn metadata(&self, now: Moment) -> Result<Arc<ProviderMetadata>, SignInError> {
        if let Some(known) = younger_than(&self.metadata, FRESH_SECONDS, now) {
            return Ok(known);
        }
        let issuer = self.issuer.trim_end_matches('/');
        let url = format!("{issuer}/.well-known/openid-configuration");
        let metadata: ProviderMetadata = self.client.get(&url).await?;
        if metadata.issuer != self.issuer {
            let problem = format!("its issuer is {}, not {}", metadata.issuer, self.issuer);
            return Err(SignInError::Provider(problem));
        }
        Ok(keep(&self.metadata, metadata, now))
    }

    /// Returns the keys; `again` asks for newer ones, where that is not too soon.
    pub async fn keys(&self, again: bool, now: Moment) -> Result<Arc<JwkSet>, SignInError> {
        let age = if again { KEYS_AGAIN_SECONDS } else { FRESH_SECONDS };
        if let Some(known) = younger_than(&self.keys, age, now) {
            return Ok(known);
        }
        let metadata = self.metadata(now).await?;
        let keys: JwkSet = self.client.get(&metadata.jwks_uri).await?;
        Ok(keep(&self.keys, keys, now))
    }
}

fn younger_than<T>(place: &Mutex<FetchedDocument<T>>, seconds: i64, now: Moment) -> Option<Arc<T>> {
    let known = place.lock();
    let (at, document) = known.as_ref()?;
    // A clock that was set back must not keep a document for ever.
    let is_young = *at <= now && now < at.plus_seconds(seconds);
    is_young.then(|| Arc::clone(document))
}

fn keep<T>(place: &Mutex<FetchedDocument<T>>, document: T, now: Moment) -> Arc<T> {
    let document = Arc::new(document);
    *place.lock() = Some((now, Arc::clone(&document)));
    document
}

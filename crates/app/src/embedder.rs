//! Creates the configured embedder. No request is sent and no bundled model is loaded here; that
//! waits for the first text, so that commands which embed nothing start fast.

use crate::config::{EmbedderConfig, EndpointConfig};
use crate::exit::Problem;
use embed::{BundledEmbedder, Embedder};
use embed_endpoint::{
    DailyBudget, EndpointEmbedder, EndpointSettings, KeySource, PlainHttp, Spending,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg_attr(feature = "local-models", path = "embedder/local.rs")]
#[cfg_attr(not(feature = "local-models"), path = "embedder/no_local.rs")]
mod local;

/// The configured embedder, with access to the spending of an endpoint.
#[derive(Clone)]
pub struct ConfiguredEmbedder {
    pub embedder: Arc<dyn Embedder>,
    endpoint: Option<Arc<EndpointEmbedder>>,
}

impl ConfiguredEmbedder {
    /// Creates the embedder; relative paths in the settings are resolved against the home
    /// directory.
    ///
    /// # Errors
    /// Fails when the settings are invalid.
    pub fn from_config(config: &EmbedderConfig, home: &Path) -> Result<Self, Problem> {
        match config {
            EmbedderConfig::Bundled {} => {
                Ok(Self { embedder: Arc::new(BundledEmbedder::new()), endpoint: None })
            }
            EmbedderConfig::Endpoint(config) => {
                let endpoint = EndpointEmbedder::new(endpoint_settings(config, home)?)
                    .map_err(|error| invalid_embedder(&error))?;
                let endpoint = Arc::new(endpoint);
                Ok(Self {
                    embedder: Arc::clone(&endpoint) as Arc<dyn Embedder>,
                    endpoint: Some(endpoint),
                })
            }
            EmbedderConfig::Local(config) => local::open(config, home),
        }
    }

    /// Returns the tokens and texts sent to the endpoint today; `None` for other embedders.
    pub fn spending(&self) -> Option<Spending> {
        self.endpoint.as_ref().map(|endpoint| endpoint.spending())
    }
}

fn endpoint_settings(config: &EndpointConfig, home: &Path) -> Result<EndpointSettings, Problem> {
    let EndpointConfig { tokens_per_day, texts_per_day, .. } = *config;
    Ok(EndpointSettings {
        url: config.url.clone(),
        model: config.model.clone(),
        key: key_source(config, home)?,
        timeout: Duration::from_secs(config.timeout_seconds),
        batch: config.batch,
        window_chars: config.window_chars,
        budget: DailyBudget { tokens_per_day, texts_per_day },
        dimensions: config.dimensions,
        revision: config.revision.clone(),
        query_prefix: config.query_prefix.clone(),
        document_prefix: config.document_prefix.clone(),
        plain_http: if config.allow_plain_http {
            PlainHttp::Allowed
        } else {
            PlainHttp::LoopbackOnly
        },
        usage_file: home.join("embedder.json"),
    })
}

/// Returns the source of the API key; a relative file is resolved against the home directory.
fn key_source(config: &EndpointConfig, home: &Path) -> Result<KeySource, Problem> {
    match (&config.key_env, &config.key_file) {
        (Some(_), Some(_)) => Err(invalid_embedder(&"set key_env or key_file, not both")),
        (Some(name), None) => Ok(KeySource::Variable(name.clone())),
        (None, Some(file)) => Ok(KeySource::File(home.join(file))),
        (None, None) => Ok(KeySource::None),
    }
}

fn invalid_embedder(why: &impl std::fmt::Display) -> Problem {
    Problem::usage(
        format!("the embedder settings are invalid: {why}"),
        "Correct `[embedder]` in config.toml, or remove it to use the bundled model.",
    )
}

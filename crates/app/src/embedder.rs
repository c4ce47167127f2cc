//! The embedder that the configuration asks for, ready to be used. Nobody is asked and no model is
//! loaded here: what is slow waits until a text is there to embed.

use crate::config::{EmbedderConfig, EndpointConfig};
use crate::exit::Problem;
use embed::{Bundled, Embedder};
use embed_endpoint::{Budget, Endpoint, KeySource, PlainHttp, Settings, Spending};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg_attr(feature = "local-models", path = "embedder/local.rs")]
#[cfg_attr(not(feature = "local-models"), path = "embedder/no_local.rs")]
mod local;

/// An embedder, and what can be told of it beside its vectors.
#[derive(Clone)]
pub struct Chosen {
    /// The embedder.
    pub embedder: Arc<dyn Embedder>,
    endpoint: Option<Arc<Endpoint>>,
}

impl Chosen {
    /// The embedder that is wanted; files it needs are found from the home directory.
    ///
    /// # Errors
    /// When the settings cannot be right.
    pub fn by(config: &EmbedderConfig, home: &Path) -> Result<Self, Problem> {
        match config {
            EmbedderConfig::Bundled {} => {
                Ok(Self { embedder: Arc::new(Bundled::new()), endpoint: None })
            }
            EmbedderConfig::Endpoint(told) => {
                let endpoint =
                    Endpoint::new(settings(told, home)?).map_err(|error| refused(&error))?;
                let endpoint = Arc::new(endpoint);
                Ok(Self {
                    embedder: Arc::clone(&endpoint) as Arc<dyn Embedder>,
                    endpoint: Some(endpoint),
                })
            }
            EmbedderConfig::Local(told) => local::open(told, home),
        }
    }

    /// What was asked of an endpoint today; `None` when there is none.
    pub fn spending(&self) -> Option<Spending> {
        self.endpoint.as_ref().map(|endpoint| endpoint.spending())
    }
}

fn settings(told: &EndpointConfig, home: &Path) -> Result<Settings, Problem> {
    let EndpointConfig { tokens_per_day, texts_per_day, .. } = *told;
    Ok(Settings {
        url: told.url.clone(),
        model: told.model.clone(),
        key: key(told, home)?,
        timeout: Duration::from_secs(told.timeout_seconds),
        batch: told.batch,
        window_chars: told.window_chars,
        budget: Budget { tokens_per_day, texts_per_day },
        dimensions: told.dimensions,
        revision: told.revision.clone(),
        query_prefix: told.query_prefix.clone(),
        document_prefix: told.document_prefix.clone(),
        plain_http: if told.allow_plain_http {
            PlainHttp::Allowed
        } else {
            PlainHttp::LoopbackOnly
        },
        ledger: home.join("embedder.json"),
    })
}

/// Where the key is; a file is meant from the home directory, unless its path is whole.
fn key(told: &EndpointConfig, home: &Path) -> Result<KeySource, Problem> {
    match (&told.key_env, &told.key_file) {
        (Some(_), Some(_)) => Err(refused(&"give key_env or key_file, not both")),
        (Some(name), None) => Ok(KeySource::Variable(name.clone())),
        (None, Some(file)) => Ok(KeySource::File(home.join(file))),
        (None, None) => Ok(KeySource::None),
    }
}

fn refused(why: &impl std::fmt::Display) -> Problem {
    Problem::usage(
        format!("the embedder in the configuration is not right: {why}"),
        "Correct `[embedder]` in config.toml, or take it out to use the bundled one.",
    )
}

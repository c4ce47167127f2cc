//! A model in a directory as the embedder. A missing directory, for example on an unmounted disk,
//! must not block the memory: recall then uses words only and reports the reason.

use super::ConfiguredEmbedder;
use crate::config::{LocalConfig, PoolingConfig};
use crate::exit::Problem;
use embed::{EmbedError, Embedder, Embedding};
use embed_local::{LocalEmbedder, LocalSettings, Pooling};
use model::VectorModel;
use std::path::Path;
use std::sync::Arc;

/// Opens the model in a directory, or returns an embedder that reports why it cannot be opened.
#[expect(clippy::unnecessary_wraps, reason = "binaries without local models refuse here")]
pub(super) fn open(config: &LocalConfig, home: &Path) -> Result<ConfiguredEmbedder, Problem> {
    let settings = LocalSettings {
        directory: home.join(&config.directory),
        pooling: config.pooling.map(|pooling| match pooling {
            PoolingConfig::Mean => Pooling::Mean,
            PoolingConfig::Cls => Pooling::Cls,
        }),
        query_prefix: config.query_prefix.clone(),
        document_prefix: config.document_prefix.clone(),
    };
    let embedder: Arc<dyn Embedder> = match LocalEmbedder::open(&settings) {
        Ok(local) => Arc::new(local),
        Err(error) => Arc::new(UnopenedModel::new(&settings, error.to_string())),
    };
    Ok(ConfiguredEmbedder { embedder, endpoint: None })
}

/// Stands in for a model that cannot be opened; every call fails with the reason.
struct UnopenedModel {
    model: VectorModel,
    reason: String,
}

impl UnopenedModel {
    fn new(settings: &LocalSettings, reason: String) -> Self {
        let id = format!("{} (not opened)", settings.directory.display());
        Self { model: VectorModel { id, dimensions: 0 }, reason }
    }
}

impl Embedder for UnopenedModel {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        Err(EmbedError::unavailable(&self.model, self.reason.clone()))
    }
}

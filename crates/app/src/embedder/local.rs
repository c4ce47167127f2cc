//! A model from a directory as the embedder. A directory that is away, on a disk that is not there
//! today, must not keep the memory shut: words alone answer then, and say why.

use super::Chosen;
use crate::config::{LocalConfig, PoolingConfig};
use crate::exit::Problem;
use embed::{EmbedError, Embedder, Embedding};
use embed_local::{Local, Pooling, Settings};
use model::VectorModel;
use std::path::Path;
use std::sync::Arc;

/// The model of a directory, or what stands in for it while it cannot be opened.
#[expect(clippy::unnecessary_wraps, reason = "binaries without local models refuse here")]
pub(super) fn open(told: &LocalConfig, home: &Path) -> Result<Chosen, Problem> {
    let settings = Settings {
        directory: home.join(&told.directory),
        pooling: told.pooling.map(|pooling| match pooling {
            PoolingConfig::Mean => Pooling::Mean,
            PoolingConfig::Cls => Pooling::Cls,
        }),
        query_prefix: told.query_prefix.clone(),
        document_prefix: told.document_prefix.clone(),
    };
    let embedder: Arc<dyn Embedder> = match Local::open(&settings) {
        Ok(local) => Arc::new(local),
        Err(error) => Arc::new(Away::new(&settings, error.to_string())),
    };
    Ok(Chosen { embedder, endpoint: None })
}

/// An embedder that is not there.
struct Away {
    model: VectorModel,
    reason: String,
}

impl Away {
    fn new(settings: &Settings, reason: String) -> Self {
        let id = format!("{} (not opened)", settings.directory.display());
        Self { model: VectorModel { id, dimensions: 0 }, reason }
    }
}

impl Embedder for Away {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, _texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        Err(EmbedError::unavailable(&self.model, self.reason.clone()))
    }
}

//! Replaces `local` in a binary built without local models.

use super::{ConfiguredEmbedder, invalid_embedder};
use crate::config::LocalConfig;
use crate::exit::Problem;
use std::path::Path;

/// Returns an error that explains how to build with local models.
pub(super) fn open(config: &LocalConfig, _home: &Path) -> Result<ConfiguredEmbedder, Problem> {
    Err(invalid_embedder(&format!(
        "this binary was built without local models, so {} cannot be used; build it with \
         --features local-models",
        config.directory.display()
    )))
}

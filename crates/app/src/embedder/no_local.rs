//! Replaces `local` in a binary built without local models.

use super::{Chosen, refused};
use crate::config::LocalConfig;
use crate::exit::Problem;
use std::path::Path;

/// Returns an error that explains how to build with local models.
pub(super) fn open(config: &LocalConfig, _home: &Path) -> Result<Chosen, Problem> {
    Err(refused(&format!(
        "this binary was built without local models, so {} cannot be used; build it with \
         --features local-models",
        config.directory.display()
    )))
}

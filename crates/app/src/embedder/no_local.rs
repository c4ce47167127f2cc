//! A binary without local models says so to whoever configured one.

use super::{Chosen, refused};
use crate::config::LocalConfig;
use crate::exit::Problem;
use std::path::Path;

/// Refuses.
pub(super) fn open(told: &LocalConfig, _home: &Path) -> Result<Chosen, Problem> {
    Err(refused(&format!(
        "this binary was built without local models, so {} cannot be used; build it with --features local-models",
        told.directory.display()
    )))
}

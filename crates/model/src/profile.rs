//! The profile: one JSON document per owner, every version kept.

use crate::{JsonMap, Provenance};

/// The profile as it stood after one change.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileVersion {
    /// 1 for the first.
    pub version: u32,
    /// The whole document.
    pub data: JsonMap,
    /// The dotted paths that changed.
    pub changed: Vec<String>,
    /// Why, as the writer said.
    pub reason: Option<String>,
    /// Who wrote it and from what.
    pub provenance: Provenance,
}

//! The profile: one JSON document per owner, with every version retained.

use crate::{JsonMap, Provenance};

/// State of the profile after one change.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileVersion {
    /// Version number, counted from 1.
    pub version: u32,
    /// Complete document, not a patch.
    pub data: JsonMap,
    /// Dotted paths of the fields that changed.
    pub changed: Vec<String>,
    /// Reason given by the writer.
    pub reason: Option<String>,
    pub provenance: Provenance,
}

//! What can be granted: the places of a memory, by the names that grants use.

use model::Source;
use std::fmt;

/// A place of a memory that a caller wants to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// Memories of one collection; `None` for all memories, wherever they come from.
    Memories(Option<String>),
    /// The profile.
    Profile,
    /// One table; `None` for the catalogue.
    Tables(Option<String>),
    /// Entities and how they relate.
    Graph,
    /// What waits for review.
    Review,
    /// Handoffs.
    Handoffs,
    /// Reference documents.
    References,
    /// What only the owner does: keys, grants, erasing, restoring.
    Administration,
}

impl Resource {
    /// The place that governs what comes from a source.
    #[must_use]
    pub fn of(source: Source<'_>) -> Self {
        match source {
            Source::Profile => Self::Profile,
            Source::Table(table) => Self::Tables(Some(table.to_owned())),
            Source::Collection(collection) => Self::Memories(Some(collection.to_owned())),
        }
    }
}

impl fmt::Display for Resource {
    /// The name in grants and in the audit log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memories(None) => f.write_str("vectors"),
            Self::Memories(Some(collection)) => write!(f, "vectors/{collection}"),
            Self::Profile => f.write_str("profile"),
            Self::Tables(None) => f.write_str("tables"),
            Self::Tables(Some(table)) => write!(f, "tables/{table}"),
            Self::Graph => f.write_str("graph"),
            Self::Review => f.write_str("memory"),
            Self::Handoffs => f.write_str("handoffs"),
            Self::References => f.write_str("references"),
            Self::Administration => f.write_str("administration"),
        }
    }
}

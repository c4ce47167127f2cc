//! Resources that can be granted, by the names that grants use.

use model::Source;
use std::fmt;

/// A part of the memory that a caller wants to access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// Memories of one collection; `None` for all memories of any source.
    Memories(Option<String>),
    Profile,
    /// One table; `None` for the list of tables.
    Tables(Option<String>),
    /// Entities and their relations.
    Graph,
    /// Review items.
    Review,
    Handoffs,
    /// Reference documents.
    References,
    /// Workspaces, with the files that are attached to them.
    Workspaces,
    /// Deletion of what the owner or another agent wrote, without asking the owner.
    Erase,
    /// Operations reserved to the owner: keys, grants, erasing, restoring.
    Administration,
}

impl Resource {
    /// Name of [`Resource::Erase`] in a grant.
    pub const ERASE: &'static str = "erase";

    /// Returns the resource that governs memories of a source.
    #[must_use]
    pub fn for_source(source: Source<'_>) -> Self {
        match source {
            Source::Profile => Self::Profile,
            Source::Table(table) => Self::Tables(Some(table.to_owned())),
            Source::Collection(collection) => Self::Memories(Some(collection.to_owned())),
        }
    }
}

impl fmt::Display for Resource {
    /// Writes the name used in grants and in the audit log.
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
            Self::Workspaces => f.write_str("workspaces"),
            Self::Erase => f.write_str(Self::ERASE),
            Self::Administration => f.write_str("administration"),
        }
    }
}

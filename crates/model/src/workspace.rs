//! Workspaces: several memories queried side by side.

use crate::{OwnerId, WorkspaceId};

/// Role of a context in its workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextRole {
    Primary,
    Secondary,
    Reference,
    Archive,
}

impl ContextRole {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Primary, Self::Secondary, Self::Reference, Self::Archive];

    /// Returns the name stored and used in dialects.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Reference => "reference",
            Self::Archive => "archive",
        }
    }

    /// Returns the role with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Origin of the memories of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextSource {
    /// A memory of this installation.
    Owner(OwnerId),
    /// A file in a directory that the owner allowed.
    File(String),
}

/// One of the memories that a workspace queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceContext {
    /// Number within the workspace, counted from 1.
    pub number: u32,
    pub source: ContextSource,
    pub role: ContextRole,
    /// Display name.
    pub label: String,
}

/// A named set of memories that are queried side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    pub contexts: Vec<WorkspaceContext>,
}

//! Workspaces: several memories queried side by side.

use crate::{OwnerId, WorkspaceId};

/// What a context is to its workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextRole {
    /// The one that is worked with.
    Primary,
    /// One beside it.
    Secondary,
    /// One to look things up in.
    Reference,
    /// An old one.
    Archive,
}

impl ContextRole {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Primary, Self::Secondary, Self::Reference, Self::Archive];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Reference => "reference",
            Self::Archive => "archive",
        }
    }

    /// The role of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// Where a context's memories come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextSource {
    /// A memory of this installation.
    Owner(OwnerId),
    /// A file in a directory that the owner allowed.
    File(String),
}

/// One of the memories of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceContext {
    /// Which one, counted from 1.
    pub number: u32,
    /// Where its memories come from.
    pub source: ContextSource,
    /// What it is to the workspace.
    pub role: ContextRole,
    /// What people call it.
    pub label: String,
}

/// Several memories queried side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Its number.
    pub id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// Its memories.
    pub contexts: Vec<WorkspaceContext>,
}

//! Grants and keys. The guard decides what they permit.

use crate::{AgentName, ContentHash, KeyId, Moment, OwnerId};

/// Permission level of a grant or a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// No access, even where a broader grant would allow it.
    None,
    Read,
    Write,
}

impl Permission {
    /// All permissions, weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Read, Self::Write];

    /// Returns the stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Returns the permission with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.name() == name)
    }
}

/// A consent rule: the permission of an agent on a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub agent: AgentName,
    /// Resource pattern: `memory`, `tables/meals`, `vectors/*`.
    pub resource: String,
    pub permission: Permission,
    pub granted_at: Moment,
}

/// A key to be stored. The secret itself is never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Owner of the memory that the key gives access to.
    pub owner: OwnerId,
    /// Agent that the key authenticates.
    pub agent: AgentName,
    /// Display name.
    pub label: String,
    /// First characters of the secret, to tell keys apart.
    pub prefix: String,
    /// Hash of the secret.
    pub hash: ContentHash,
    /// Maximum permission, whatever is granted to the agent.
    pub scope: Permission,
    pub expires_at: Option<Moment>,
}

/// A stored key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    pub id: KeyId,
    pub key: NewKey,
    pub created_at: Moment,
    pub last_used_at: Option<Moment>,
    pub revoked_at: Option<Moment>,
}

impl KeyInfo {
    /// Returns whether the key is valid at this time.
    #[must_use]
    pub fn is_valid(&self, now: Moment) -> bool {
        self.revoked_at.is_none() && self.key.expires_at.is_none_or(|end| now < end)
    }
}

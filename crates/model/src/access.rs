//! Who was let in: grants and keys. What they allow is decided in the guard, not here.

use crate::{AgentName, ContentHash, KeyId, Moment, OwnerId};

/// How far a grant reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Not at all, even where a wider grant would allow it.
    None,
    /// To read.
    Read,
    /// To read and write.
    Write,
}

impl Permission {
    /// Every permission, weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Read, Self::Write];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// The permission of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.name() == name)
    }
}

/// A consent rule: what an agent may do with a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// For whom.
    pub agent: AgentName,
    /// On what: `memory`, `tables/meals`, `vectors/*`.
    pub resource: String,
    /// How far.
    pub permission: Permission,
    /// Since when.
    pub granted_at: Moment,
}

/// A key that is about to be kept. The secret itself is never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Whose memory it opens.
    pub owner: OwnerId,
    /// The agent it stands for.
    pub agent: AgentName,
    /// What people call it.
    pub label: String,
    /// The first characters, to tell keys apart.
    pub prefix: String,
    /// The hash of the secret.
    pub hash: ContentHash,
    /// How far it reaches at most.
    pub scope: Permission,
    /// Until when it is good.
    pub expires_at: Option<Moment>,
}

/// A key as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its number.
    pub id: KeyId,
    /// What was kept.
    pub key: NewKey,
    /// When it was made.
    pub created_at: Moment,
    /// When it was last used.
    pub last_used_at: Option<Moment>,
    /// When it was taken back.
    pub revoked_at: Option<Moment>,
}

impl KeyInfo {
    /// Whether it opens anything at this moment.
    #[must_use]
    pub fn is_good(&self, now: Moment) -> bool {
        self.revoked_at.is_none() && self.key.expires_at.is_none_or(|end| now < end)
    }
}

//! Programs that ask owners for access over OAuth, and what they were given: tokens that belong
//! together as a family, because each refresh token gives the next one and none is good twice.

use crate::{AgentName, ContentHash, Moment, OwnerId, Permission};

/// The number of a token family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FamilyId(pub i64);

/// A program that registered to ask owners for access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// What it is known by; made by the server.
    pub id: String,
    /// What it calls itself. Nobody has checked it.
    pub name: String,
    /// Where answers may be sent, word for word.
    pub redirects: Vec<String>,
    /// When it registered.
    pub registered_at: Moment,
}

/// What an owner agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Whose memory it opens.
    pub owner: OwnerId,
    /// As which agent the client acts.
    pub agent: AgentName,
    /// Which client.
    pub client: String,
    /// The address of the endpoint it is good for.
    pub resource: String,
    /// How far it reaches at most; the grants of the agent say where.
    pub scope: Permission,
}

/// An access token and the refresh token that comes with it. Only hashes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPair {
    /// The hash of the access token.
    pub access: ContentHash,
    /// Until when it is good.
    pub access_until: Moment,
    /// The hash of the refresh token.
    pub refresh: ContentHash,
    /// Until when it is good.
    pub refresh_until: Moment,
}

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenUse {
    /// Calling tools.
    Access,
    /// Getting the next pair.
    Refresh,
}

/// A token that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Which family it belongs to.
    pub family: FamilyId,
    /// What it is for.
    pub purpose: TokenUse,
    /// What the owner agreed to.
    pub consent: Consent,
    /// Until when it is good.
    pub until: Moment,
    /// Whether it was used up or its family taken back.
    pub ended: bool,
}

impl TokenInfo {
    /// Whether it opens something at a moment.
    #[must_use]
    pub fn is_good(&self, now: Moment) -> bool {
        !self.ended && now < self.until
    }
}

/// A family of tokens: one consent of an owner to one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// Its number.
    pub id: FamilyId,
    /// What the owner agreed to.
    pub consent: Consent,
    /// When.
    pub since: Moment,
    /// When it last got a new pair.
    pub renewed_at: Moment,
    /// When it was taken back.
    pub revoked_at: Option<Moment>,
}

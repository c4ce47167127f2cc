//! What OAuth keeps: clients, and the tokens that owners agreed to. Apart from
//! [`Control`](crate::Control), because a memory without remote clients needs none of it.

use crate::StoreError;
use async_trait::async_trait;
use model::{
    Client, Consent, ContentHash, Family, FamilyId, Moment, OwnerId, TokenInfo, TokenPair,
};

/// What became of a refresh token that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotated {
    /// The new pair is kept in its place.
    Done(Consent),
    /// It was used before, so somebody stole it or its successor: the whole family is taken back
    /// now.
    UsedBefore(Consent),
    /// It opens nothing: unknown, expired, taken back, or not of this client.
    Nothing,
}

/// Keeps clients and tokens.
#[async_trait]
pub trait Clients: Send + Sync {
    /// Keeps a client; one that is known already by what it says now. Answers whether there was
    /// room for it among so many.
    async fn add_client(&self, client: Client, most: usize) -> Result<bool, StoreError>;
    /// The client of an id.
    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError>;

    /// Begins a family with its first pair.
    async fn begin_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<FamilyId, StoreError>;
    /// Puts a new pair in the place of the one that the refresh token belongs to, if it is good and
    /// the client's.
    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<Rotated, StoreError>;
    /// The token whose secret has this hash, good or not.
    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError>;

    /// The families of an owner, newest first.
    async fn families(&self, owner: &OwnerId) -> Result<Vec<Family>, StoreError>;
    /// Takes a family back. Answers whether the owner had it.
    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: FamilyId,
        at: Moment,
    ) -> Result<bool, StoreError>;
    /// Removes tokens that ended before a moment, families without any, and clients that registered
    /// before it and have none. Answers how many clients went.
    async fn sweep(&self, before: Moment) -> Result<usize, StoreError>;
}

//! Storage of OAuth clients and of the tokens that owners consented to. Separate from
//! [`Control`](crate::Control), because a memory without remote clients needs none of it.

use crate::StoreError;
use async_trait::async_trait;
use model::{
    Client, Consent, ContentHash, Moment, OwnerId, TokenFamily, TokenFamilyId, TokenInfo, TokenPair,
};

/// The result of presenting a refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RotationResult {
    /// The new pair has replaced the old one.
    Rotated(Consent),
    /// The token was used before, so it or its successor was stolen: the whole family is revoked.
    /// A token of a family that is revoked already counts as reused too.
    Reused(Consent),
    /// The token is unknown, expired, or belongs to another client.
    Invalid,
}

/// Storage of clients and tokens.
#[async_trait]
pub trait Clients: Send + Sync {
    /// Registers a client, or updates one that is known. Returns false when `most` clients are
    /// registered already and this is a new one.
    async fn add_client(&self, client: Client, most: usize) -> Result<bool, StoreError>;
    /// Returns a client by its id.
    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError>;

    /// Creates a token family with its first pair.
    async fn create_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<TokenFamilyId, StoreError>;
    /// Replaces the pair of a refresh token by a new one, if the token is valid and belongs to the
    /// client.
    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<RotationResult, StoreError>;
    /// Returns the token whose secret has this hash, valid or not.
    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError>;

    /// Returns the token families of an owner, newest first.
    async fn families(&self, owner: &OwnerId) -> Result<Vec<TokenFamily>, StoreError>;
    /// Revokes a family. Returns false when the owner has no such family.
    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: TokenFamilyId,
        at: Moment,
    ) -> Result<bool, StoreError>;
    /// Removes tokens that expired before a moment, families without tokens, and clients that
    /// registered before the moment and have no family. Returns the number of removed clients.
    async fn remove_expired(&self, before: Moment) -> Result<usize, StoreError>;
}

//! Owners, keys and clients of two stores at once. Keys and clients are numbered over all tests
//! that share a database, so that only the owners are compared.

use crate::pair::StorePair;
use async_trait::async_trait;
use model::{
    Client, Consent, ContentHash, KeyId, KeyInfo, Moment, NewKey, OwnerId, TokenFamily,
    TokenFamilyId, TokenInfo, TokenPair,
};
use store::{Clients, Control, RotationResult, StoreError};

#[async_trait]
impl Control for StorePair {
    async fn owners(&self) -> Result<Vec<OwnerId>, StoreError> {
        self.owners_of_both().await
    }

    async fn has_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let owners = self.owners_of_both().await?;
        Ok(owners.contains(owner))
    }

    async fn create_owner(&self, owner: &OwnerId, at: Moment) -> Result<(), StoreError> {
        self.create_owner_of_both(owner, at).await
    }

    async fn erase_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        self.erase_owner_of_both(owner).await
    }

    async fn add_key(&self, key: NewKey, at: Moment) -> Result<KeyId, StoreError> {
        self.sqlite.add_key(key, at).await
    }

    async fn key(&self, hash: ContentHash) -> Result<Option<KeyInfo>, StoreError> {
        self.sqlite.key(hash).await
    }

    async fn keys(&self, owner: &OwnerId) -> Result<Vec<KeyInfo>, StoreError> {
        self.sqlite.keys(owner).await
    }

    async fn revoke_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        self.sqlite.revoke_key(owner, key, at).await
    }

    async fn expire_key(
        &self,
        owner: &OwnerId,
        key: KeyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        self.sqlite.expire_key(owner, key, at).await
    }

    async fn touch_key(&self, key: KeyId, at: Moment) -> Result<(), StoreError> {
        self.sqlite.touch_key(key, at).await
    }
}

#[async_trait]
impl Clients for StorePair {
    async fn add_client(&self, client: Client, most: usize) -> Result<bool, StoreError> {
        self.sqlite.add_client(client, most).await
    }

    async fn client(&self, id: &str) -> Result<Option<Client>, StoreError> {
        self.sqlite.client(id).await
    }

    async fn create_family(
        &self,
        consent: Consent,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<TokenFamilyId, StoreError> {
        self.sqlite.create_family(consent, tokens, at).await
    }

    async fn rotate(
        &self,
        client: &str,
        refresh: ContentHash,
        tokens: TokenPair,
        at: Moment,
    ) -> Result<RotationResult, StoreError> {
        self.sqlite.rotate(client, refresh, tokens, at).await
    }

    async fn token(&self, hash: ContentHash) -> Result<Option<TokenInfo>, StoreError> {
        self.sqlite.token(hash).await
    }

    async fn families(&self, owner: &OwnerId) -> Result<Vec<TokenFamily>, StoreError> {
        self.sqlite.families(owner).await
    }

    async fn revoke_family(
        &self,
        owner: &OwnerId,
        family: TokenFamilyId,
        at: Moment,
    ) -> Result<bool, StoreError> {
        self.sqlite.revoke_family(owner, family, at).await
    }

    async fn remove_expired(&self, before: Moment) -> Result<usize, StoreError> {
        self.sqlite.remove_expired(before).await
    }
}

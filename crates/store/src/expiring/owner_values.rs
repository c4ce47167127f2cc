//! The expiring values of one owner, and the ways in which they are changed.

use super::{ExpiringValue, ExpiringValues, LocalValues, ValueKey, ValueKind};
use crate::StoreError;
use model::{ContentHash, Moment, OwnerId};
use std::sync::Arc;

/// Attempts to change a value while others change it too. Each failed one means that another
/// succeeded.
const ATTEMPTS_MAX: usize = 50;

/// Expiring values of one owner. Clones share them.
#[derive(Clone)]
pub struct OwnerValues {
    values: Arc<dyn ExpiringValues>,
    owner: OwnerId,
}

impl OwnerValues {
    /// Returns the values of an owner in a storage.
    #[must_use]
    pub fn new(values: Arc<dyn ExpiringValues>, owner: OwnerId) -> Self {
        Self { values, owner }
    }

    /// Returns the values of an owner in the memory of this process.
    #[must_use]
    pub fn local(owner: OwnerId) -> Self {
        Self::new(Arc::new(LocalValues::default()), owner)
    }

    /// Returns the values of another owner in the same storage.
    #[must_use]
    pub fn of_owner(&self, owner: &OwnerId) -> Self {
        Self::new(Arc::clone(&self.values), owner.clone())
    }

    /// Returns a value that has not expired.
    ///
    /// # Errors
    /// Fails when the storage cannot be read.
    pub async fn find(
        &self,
        kind: ValueKind,
        hash: ContentHash,
        now: Moment,
    ) -> Result<Option<ExpiringValue>, StoreError> {
        self.values.value(&self.key(kind, hash), now).await
    }

    /// Stores a value, replacing one that is there.
    ///
    /// # Errors
    /// Fails when the storage cannot be written.
    pub async fn put(
        &self,
        kind: ValueKind,
        hash: ContentHash,
        value: ExpiringValue,
        now: Moment,
    ) -> Result<(), StoreError> {
        self.update(kind, hash, now, |_| (Some(value.clone()), ())).await
    }

    /// Removes a value and returns it. Of many that take the same one, one gets it.
    ///
    /// # Errors
    /// Fails when the storage cannot be written.
    pub async fn take(
        &self,
        kind: ValueKind,
        hash: ContentHash,
        now: Moment,
    ) -> Result<Option<ExpiringValue>, StoreError> {
        self.update(kind, hash, now, |found| (None, found.cloned())).await
    }

    /// Removes all values of a kind but this one.
    ///
    /// # Errors
    /// Fails when the storage cannot be written.
    pub async fn remove_others(
        &self,
        kind: ValueKind,
        kept: ContentHash,
    ) -> Result<(), StoreError> {
        self.values.remove_other_values(&self.key(kind, kept)).await
    }

    /// Changes a value by its present state, and again if another server changed it meanwhile.
    ///
    /// # Errors
    /// Fails when the storage cannot be written, or others change the value all the time.
    pub async fn update<T>(
        &self,
        kind: ValueKind,
        hash: ContentHash,
        now: Moment,
        change: impl Fn(Option<&ExpiringValue>) -> (Option<ExpiringValue>, T) + Send,
    ) -> Result<T, StoreError> {
        let key = self.key(kind, hash);
        for _ in 0..ATTEMPTS_MAX {
            let found = self.values.value(&key, now).await?;
            let (new, answer) = change(found.as_ref());
            if new == found {
                return Ok(answer);
            }
            let old = found.as_ref().map(|value| value.text.as_str());
            if self.values.replace_value(&key, old, new, now).await? {
                return Ok(answer);
            }
        }
        Err(StoreError::Busy)
    }

    fn key(&self, kind: ValueKind, hash: ContentHash) -> ValueKey {
        ValueKey { owner: self.owner.clone(), kind, hash }
    }
}

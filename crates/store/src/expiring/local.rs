//! Values that expire, in the memory of one process. They end with it.

use super::{ExpiringValue, ExpiringValues, ValueKey};
use crate::StoreError;
use async_trait::async_trait;
use model::Moment;
use parking_lot::Mutex;
use std::collections::HashMap;

/// Values of one process.
#[derive(Debug, Default)]
pub struct LocalValues(Mutex<HashMap<ValueKey, ExpiringValue>>);

#[async_trait]
impl ExpiringValues for LocalValues {
    async fn value(
        &self,
        key: &ValueKey,
        now: Moment,
    ) -> Result<Option<ExpiringValue>, StoreError> {
        Ok(self.0.lock().get(key).filter(|value| now < value.expires_at).cloned())
    }

    async fn replace_value(
        &self,
        key: &ValueKey,
        old: Option<&str>,
        new: Option<ExpiringValue>,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut values = self.0.lock();
        let found = values.get(key).filter(|value| now < value.expires_at);
        if found.map(|value| value.text.as_str()) != old {
            return Ok(false);
        }
        match new {
            Some(new) => _ = values.insert(key.clone(), new),
            None => _ = values.remove(key),
        }
        if old.is_none() {
            make_room(&mut values, key, now);
        }
        Ok(true)
    }

    async fn remove_other_values(&self, key: &ValueKey) -> Result<(), StoreError> {
        let is_other = |other: &ValueKey| is_sibling(other, key) && other.hash != key.hash;
        self.0.lock().retain(|other, _| !is_other(other));
        Ok(())
    }
}

fn is_sibling(one: &ValueKey, other: &ValueKey) -> bool {
    one.owner == other.owner && one.kind == other.kind
}

/// Removes values of a kind that have expired, and beyond its bound those that expire first.
fn make_room(values: &mut HashMap<ValueKey, ExpiringValue>, key: &ValueKey, now: Moment) {
    let most = key.kind.most();
    if values.keys().filter(|other| is_sibling(other, key)).count() <= most {
        return;
    }
    values.retain(|other, value| !is_sibling(other, key) || now < value.expires_at);
    let siblings = values.iter().filter(|(other, _)| is_sibling(other, key));
    let mut ends: Vec<_> =
        siblings.map(|(other, value)| (value.expires_at, other.hash, other.clone())).collect();
    // The new one stays, whenever it expires.
    ends.sort_by_key(|(expires_at, hash, _)| (*hash == key.hash, *expires_at));
    let surplus = ends.len().saturating_sub(most);
    for (_, _, other) in ends.into_iter().take(surplus) {
        values.remove(&other);
    }
}

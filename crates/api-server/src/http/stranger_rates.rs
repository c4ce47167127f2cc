//! Rate limits of strangers, who have no credential: attempts at a password, registrations, failed
//! exchanges. They are counted where all servers of a team find them, so that nobody gets more
//! attempts by asking another server.

use engine::{ToolClass, take_stored_token};
use model::{ContentHash, Moment};
use store::{ExpiringValue, OwnerValues, StoreError, ValueKind};

/// Reason why an attempt is refused.
#[derive(Debug)]
pub(super) enum StrangerError {
    /// Too many; another is possible after this many seconds.
    TooMany(u32),
    Store(StoreError),
}

impl From<StoreError> for StrangerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Counts an attempt of somebody. Each name has attempts of its own, so that nobody uses up those
/// of the owner elsewhere.
///
/// # Errors
/// Fails when there were too many, or they cannot be counted.
pub(super) async fn count(
    values: &OwnerValues,
    who: &str,
    class: ToolClass,
    now: Moment,
) -> Result<(), StrangerError> {
    let hash = ContentHash::of_bytes(format!("{class:?} {who}").as_bytes());
    let take = |found: Option<&ExpiringValue>| {
        let stored = found.map(|value| value.text.as_str());
        let (bucket, taken) = take_stored_token(stored, class, now);
        let value = ExpiringValue { text: bucket.text, expires_at: bucket.full_at };
        // A refused attempt changes nothing: writing it would cost more than it tells.
        (if taken.is_ok() { Some(value) } else { found.cloned() }, taken)
    };
    match values.update(ValueKind::Attempts, hash, now, take).await {
        Ok(taken) => taken.map_err(StrangerError::TooMany),
        // So many at once that counting them does not come to an end.
        Err(StoreError::Busy) => Err(StrangerError::TooMany(1)),
        Err(error) => Err(error.into()),
    }
}

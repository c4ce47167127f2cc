//! Values that expire. Each rule gets the values of an owner through two servers, and those of
//! another owner; a backend runs [`all`] on its own.

use super::builders::moment;
use model::ContentHash;
use store::{ExpiringValue, OwnerValues, ValueKind};

/// The values of an owner through two servers, and those of another owner.
pub struct SharedValues {
    pub one: OwnerValues,
    pub two: OwnerValues,
    pub of_another: OwnerValues,
}

fn hash(name: &str) -> ContentHash {
    ContentHash::of_bytes(name.as_bytes())
}

fn value(text: &str, until: i64) -> ExpiringValue {
    ExpiringValue { text: text.to_owned(), expires_at: moment(until) }
}

/// Runs every rule, each on values of its own.
pub async fn all(open: impl AsyncFn() -> SharedValues) {
    a_value_is_found_through_every_server_until_it_expires(&open().await).await;
    a_value_is_taken_once(&open().await).await;
    racing_updates_all_count(&open().await).await;
    an_expired_value_is_as_good_as_none(&open().await).await;
    beyond_the_bound_those_that_expire_first_go(&open().await).await;
    removing_the_others_keeps_one_and_other_kinds(&open().await).await;
}

async fn text(values: &OwnerValues, name: &str, at: i64) -> Option<String> {
    let found = values.find(ValueKind::LoginLink, hash(name), moment(at)).await.unwrap();
    found.map(|value| value.text)
}

async fn put(values: &OwnerValues, name: &str, until: i64) {
    values.put(ValueKind::LoginLink, hash(name), value(name, until), moment(0)).await.unwrap();
}

async fn a_value_is_found_through_every_server_until_it_expires(at: &SharedValues) {
    put(&at.one, "x", 100).await;
    assert_eq!(text(&at.two, "x", 99).await.as_deref(), Some("x"));
    assert_eq!(text(&at.two, "x", 100).await, None);
    assert_eq!(text(&at.of_another, "x", 0).await, None, "another owner's");
    assert_eq!(text(&at.one, "y", 0).await, None);
    let other = at.one.find(ValueKind::LoginSession, hash("x"), moment(0)).await.unwrap();
    assert_eq!(other, None, "another kind");
}

async fn a_value_is_taken_once(at: &SharedValues) {
    put(&at.one, "x", 100).await;
    let take = |values: &OwnerValues| {
        let values = values.clone();
        async move { values.take(ValueKind::LoginLink, hash("x"), moment(1)).await.unwrap() }
    };
    let takes = [&at.one, &at.two].into_iter().cycle().take(8).map(take);
    let mut taken = 0;
    for take in futures_util::future::join_all(takes).await {
        taken += usize::from(take.is_some());
    }
    assert_eq!(taken, 1);
}

async fn racing_updates_all_count(at: &SharedValues) {
    let count = |values: &OwnerValues| {
        let values = values.clone();
        async move {
            let add = |found: Option<&ExpiringValue>| {
                let before = found.map_or(0, |found| found.text.parse::<u32>().unwrap());
                (Some(value(&(before + 1).to_string(), 100)), ())
            };
            values.update(ValueKind::Attempts, hash("count"), moment(1), add).await.unwrap();
        }
    };
    futures_util::future::join_all([&at.one, &at.two].into_iter().cycle().take(12).map(count))
        .await;
    let found = at.one.find(ValueKind::Attempts, hash("count"), moment(1)).await.unwrap();
    assert_eq!(found.map(|found| found.text).as_deref(), Some("12"));
}

async fn an_expired_value_is_as_good_as_none(at: &SharedValues) {
    put(&at.one, "x", 10).await;
    let take = at.two.take(ValueKind::LoginLink, hash("x"), moment(10)).await.unwrap();
    assert_eq!(take, None);
    let new = value("new", 30);
    at.two.put(ValueKind::LoginLink, hash("x"), new, moment(20)).await.unwrap();
    assert_eq!(text(&at.one, "x", 20).await.as_deref(), Some("new"));
}

async fn beyond_the_bound_those_that_expire_first_go(at: &SharedValues) {
    let most = ValueKind::LoginLink.most() as i64;
    put(&at.of_another, "x", 50).await;
    for number in 0..most + 3 {
        put(&at.one, &number.to_string(), 100 + number).await;
    }
    assert_eq!(text(&at.two, "2", 0).await, None);
    assert_eq!(text(&at.two, "3", 0).await.as_deref(), Some("3"));
    assert_eq!(text(&at.of_another, "x", 0).await.as_deref(), Some("x"));
}

async fn removing_the_others_keeps_one_and_other_kinds(at: &SharedValues) {
    for name in ["mine", "other"] {
        put(&at.one, name, 100).await;
    }
    put(&at.of_another, "other", 100).await;
    let code = value("code", 100);
    at.one.put(ValueKind::OauthCode, hash("code"), code, moment(0)).await.unwrap();
    at.two.remove_others(ValueKind::LoginLink, hash("mine")).await.unwrap();
    assert_eq!(text(&at.one, "mine", 0).await.as_deref(), Some("mine"));
    assert_eq!(text(&at.one, "other", 0).await, None);
    assert_eq!(text(&at.of_another, "other", 0).await.as_deref(), Some("other"));
    let code = at.one.find(ValueKind::OauthCode, hash("code"), moment(0)).await.unwrap();
    assert!(code.is_some());
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OwnerId;
    use std::sync::Arc;
    use store::LocalValues;

    #[tokio::test]
    async fn values_in_the_memory_of_a_process_keep_every_rule() {
        all(async || {
            let shared = Arc::new(LocalValues::default());
            let values = |name: &str| OwnerValues::new(shared.clone(), OwnerId::new(name).unwrap());
            SharedValues { one: values("ada"), two: values("ada"), of_another: values("ben") }
        })
        .await;
    }
}

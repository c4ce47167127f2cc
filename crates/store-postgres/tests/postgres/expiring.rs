//! Values that expire, through two servers over one database.

use crate::fixture::{is_available, open};
use model::OwnerId;
use std::sync::Arc;
use store::{Control, ExpiringValue, OwnerValues, ValueKind};
use store_conformance::builders::moment;
use store_conformance::expiring::{SharedValues, all};

#[tokio::test]
async fn values_in_a_database_keep_every_rule() {
    if !is_available() {
        return;
    }
    all(async || {
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (Arc::new(open(home.path()).await), Arc::new(open(home.path()).await));
        let ada = || OwnerId::new("ada").unwrap();
        SharedValues {
            of_another: OwnerValues::new(one.clone(), OwnerId::new("ben").unwrap()),
            one: OwnerValues::new(one, ada()),
            two: OwnerValues::new(two, ada()),
        }
    })
    .await;
}

#[tokio::test]
async fn erasing_an_owner_ends_their_sessions() {
    if !is_available() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let (store, owner) = (Arc::new(open(home.path()).await), OwnerId::me());
    store.create_owner(&owner, moment(0)).await.unwrap();
    let values = OwnerValues::new(store.clone(), owner.clone());
    let (kind, hash) = (ValueKind::LoginSession, model::ContentHash([1; 32]));
    let session = ExpiringValue { text: "x".to_owned(), expires_at: moment(100) };
    values.put(kind, hash, session, moment(0)).await.unwrap();
    store.erase_owner(&owner).await.unwrap();
    assert_eq!(values.find(kind, hash, moment(1)).await.unwrap(), None);
}

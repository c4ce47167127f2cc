//! Owners never see each other's rows; the control file lists them and their keys.

use super::builders::{batch, document, entity, handoff, moment, record, remember};
use super::fixture::{StoreFixture, full_page};
use model::{AgentName, ContentHash, KeyId, KeyInfo, NewKey, OwnerId, Permission, RecordId, Seq};
use serde_json::json;
use store::{AuditQuery, Change, EntityQuery, HandoffQuery, MemoryQuery, ReviewQuery};

fn key(owner: &OwnerId, secret: &str) -> NewKey {
    NewKey {
        owner: owner.clone(),
        agent: AgentName::new("bob"),
        label: "laptop".into(),
        prefix: "qp_ab".into(),
        hash: ContentHash::of_bytes(secret.as_bytes()),
        scope: Permission::Read,
        expires_at: Some(moment(900)),
    }
}

fn something_of_everything() -> Vec<Change> {
    vec![
        remember("mine alone"),
        Change::StartSession(model::NewSession { key: Some("run".into()), ..Default::default() }),
        Change::PutEntity(entity("Ada")),
        record("meals", json!({"food": "tea"})),
        Change::PatchProfile {
            patch: super::builders::fields(json!({"name": "Ada"})),
            reason: None,
            provenance: super::builders::provenance("ada", moment(0)),
        },
        Change::StoreHandoff(Box::new(handoff("work"))),
        document("a.md", &["text"]),
        Change::CreateWorkspace { name: "side by side".into() },
        Change::PutSetting { name: "theme".into(), value: "dark".into() },
    ]
}

pub async fn an_owner_never_sees_data_of_another(at: &StoreFixture) {
    at.write(something_of_everything()).await;
    let (store, other) = (&at.store, at.another_owner("other").await);
    assert_eq!(store.seq(&other).await.unwrap(), Seq::ZERO);
    assert!(store.changes(&other, Seq::ZERO, 10).await.unwrap().entries.is_empty());
    assert_eq!(
        store.list_memories(&other, &MemoryQuery::default(), full_page()).await.unwrap().total,
        0
    );
    assert_eq!(
        store.memory_by_text(&other, ContentHash::of_text("mine alone")).await.unwrap(),
        None
    );
    assert_eq!(store.session_by_key(&other, "run").await.unwrap(), None);
    assert_eq!(store.sessions(&other, full_page()).await.unwrap().total, 0);
    assert_eq!(store.entity_by_name(&other, "Ada").await.unwrap(), None);
    assert_eq!(
        store.list_entities(&other, &EntityQuery::default(), full_page()).await.unwrap().total,
        0
    );
    assert!(store.tables(&other).await.unwrap().is_empty());
    assert!(store.records(&other, "meals", RecordId(0), 10).await.unwrap().is_empty());
    assert_eq!(store.profile(&other).await.unwrap(), None);
    assert_eq!(
        store.handoffs(&other, &HandoffQuery::default(), full_page()).await.unwrap().total,
        0
    );
    assert_eq!(store.references(&other, full_page()).await.unwrap().total, 0);
    assert!(store.sections(&other, None, 10).await.unwrap().is_empty());
    assert_eq!(store.reviews(&other, &ReviewQuery::default(), full_page()).await.unwrap().total, 0);
    assert!(store.workspaces(&other).await.unwrap().is_empty());
    assert_eq!(store.audit(&other, &AuditQuery::default(), full_page()).await.unwrap().total, 0);
    assert_eq!(store.setting(&other, "theme").await.unwrap(), None);
}

pub async fn two_owners_count_their_ids_apart(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    let mine = at.remember("the same text").await;
    let committed = at.store.write(&other, batch(vec![remember("the same text")])).await.unwrap();
    let theirs = committed.results[0].memory().unwrap();
    assert_eq!((mine, Seq::ZERO.next()), (theirs, committed.seq));
    let forget = batch(vec![super::builders::forget(&[theirs])]);
    at.store.write(&other, forget).await.unwrap();
    assert_eq!(at.memory(mine).await.text, "the same text");
    assert_eq!(at.forgotten_at("the same text").await, None);
}

pub async fn owners_are_listed_by_name_and_created_once(at: &StoreFixture) {
    at.remember("still there").await;
    for name in ["zoe", "ben", "ben"] {
        at.another_owner(name).await;
    }
    at.store.create_owner(&at.owner, moment(9)).await.unwrap();
    let names: Vec<String> =
        at.store.owners().await.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["ben", "me", "zoe"]);
    assert_eq!(at.seq().await, Seq(1), "creating an existing owner does nothing");
}

pub async fn erasing_an_owner_leaves_nothing_and_touches_no_other(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    at.write(something_of_everything()).await;
    at.store.write(&other, batch(vec![remember("theirs")])).await.unwrap();
    let identity = at.store.identity(&at.owner).await.unwrap();
    at.store.add_key(key(&at.owner, "secret"), moment(1)).await.unwrap();
    assert!(at.store.erase_owner(&at.owner).await.unwrap());
    assert!(!at.store.erase_owner(&at.owner).await.unwrap());
    assert_eq!(at.store.owners().await.unwrap(), std::slice::from_ref(&other));
    assert!(at.store.has_owner(&other).await.unwrap());
    assert_eq!(at.store.key(ContentHash::of_bytes(b"secret")).await.unwrap(), None);
    assert_eq!(at.store.seq(&other).await.unwrap(), Seq(1));
    at.store.create_owner(&at.owner, moment(2)).await.unwrap();
    assert_eq!((at.seq().await, at.event_count().await), (Seq::ZERO, 0));
    assert!(at.list_ids(&MemoryQuery::default()).await.is_empty());
    assert_ne!(at.store.identity(&at.owner).await.unwrap(), identity);
}

pub async fn an_owners_store_keeps_its_identity(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    let identity = at.store.identity(&at.owner).await.unwrap();
    at.remember("anything").await;
    assert_eq!(at.store.identity(&at.owner).await.unwrap(), identity);
    assert_eq!(at.second_handle.identity(&at.owner).await.unwrap(), identity);
    assert_ne!(at.store.identity(&other).await.unwrap(), identity);
}

pub async fn a_key_is_found_by_its_hash(at: &StoreFixture) {
    let id = at.store.add_key(key(&at.owner, "secret"), moment(1)).await.unwrap();
    let stored = at.store.key(ContentHash::of_bytes(b"secret")).await.unwrap().unwrap();
    let (created_at, last_used_at, revoked_at) = (moment(1), None, None);
    assert_eq!(
        stored,
        KeyInfo { id, key: key(&at.owner, "secret"), created_at, last_used_at, revoked_at }
    );
    assert_eq!(at.store.key(ContentHash::of_bytes(b"another")).await.unwrap(), None);
    assert_eq!(at.second_handle.key(ContentHash::of_bytes(b"secret")).await.unwrap(), Some(stored));
}

pub async fn keys_are_listed_newest_first_and_only_the_owners(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    let first = at.store.add_key(key(&at.owner, "one"), moment(1)).await.unwrap();
    let second = at.store.add_key(key(&at.owner, "two"), moment(2)).await.unwrap();
    at.store.add_key(key(&other, "three"), moment(3)).await.unwrap();
    let ids: Vec<KeyId> =
        at.store.keys(&at.owner).await.unwrap().iter().map(|key| key.id).collect();
    assert_eq!(ids, [second, first]);
}

pub async fn a_key_is_revoked_only_by_its_owner(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    let id = at.store.add_key(key(&at.owner, "secret"), moment(1)).await.unwrap();
    assert!(!at.store.revoke_key(&other, id, moment(2)).await.unwrap());
    assert!(!at.store.revoke_key(&at.owner, KeyId(987_654), moment(2)).await.unwrap());
    assert!(at.store.keys(&at.owner).await.unwrap()[0].is_valid(moment(3)));
    assert!(at.store.revoke_key(&at.owner, id, moment(2)).await.unwrap());
    let stored = at.store.key(ContentHash::of_bytes(b"secret")).await.unwrap().unwrap();
    assert_eq!(stored.revoked_at, Some(moment(2)), "found, good or not");
    assert!(!stored.is_valid(moment(3)));
}

pub async fn a_key_can_be_set_to_expire_earlier_but_not_later(at: &StoreFixture) {
    let other = at.another_owner("other").await;
    let id = at.store.add_key(key(&at.owner, "secret"), moment(1)).await.unwrap();
    assert!(!at.store.expire_key(&other, id, moment(5)).await.unwrap());
    for (asked, ends) in [(990, 900), (400, 400), (500, 400)] {
        assert!(at.store.expire_key(&at.owner, id, moment(asked)).await.unwrap());
        assert_eq!(at.store.keys(&at.owner).await.unwrap()[0].key.expires_at, Some(moment(ends)));
    }
}

pub async fn a_key_records_its_last_use(at: &StoreFixture) {
    let id = at.store.add_key(key(&at.owner, "secret"), moment(1)).await.unwrap();
    at.store.touch_key(id, moment(5)).await.unwrap();
    at.store.touch_key(id, moment(8)).await.unwrap();
    assert_eq!(at.store.keys(&at.owner).await.unwrap()[0].last_used_at, Some(moment(8)));
}

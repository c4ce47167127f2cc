//! Moving a memory from files to a database and back: ids, counts, history and keys are the same on
//! both sides, and both audit logs verify.

use crate::fixture::{is_available, open};
use model::{AgentName, ContentHash, NewKey, OwnerId, Permission};
use quipu_store_postgres::LoadOutcome;
use serde_json::json;
use store::{AuditQuery, Change, Control, Counts, MemoryQuery, Store};
use store_conformance::builders::{batch, document, entity, handoff, moment, record, remember};
use store_conformance::fixture::full_page;
use store_sqlite::{RestoreRequest, SqliteStore};

/// Writes something of everything to a store in files.
async fn filled(home: &std::path::Path, owner: &OwnerId) -> SqliteStore {
    let store = SqliteStore::open(home, Default::default()).unwrap();
    store.create_owner(owner, moment(0)).await.unwrap();
    let changes = vec![
        remember("The kettle is blue."),
        Change::StartSession(model::NewSession { key: Some("run".into()), ..Default::default() }),
        Change::PutEntity(entity("Ada")),
        record("meals", json!({ "food": "tea" })),
        Change::StoreHandoff(Box::new(handoff("work"))),
        document("a.md", &["text"]),
        Change::CreateWorkspace { name: "side by side".into() },
        Change::PutSetting { name: "theme".into(), value: "dark".into() },
    ];
    store.write(owner, batch(changes)).await.unwrap();
    for number in 0..40 {
        let text = format!("Parcel number {number} was sent to Lima.");
        store.write(owner, batch(vec![remember(&text)])).await.unwrap();
    }
    let forgotten = Change::Forget { memories: vec![model::MemoryId(1)] };
    store.write(owner, batch(vec![forgotten])).await.unwrap();
    let key = NewKey {
        owner: owner.clone(),
        agent: AgentName::new("bob"),
        label: "laptop".into(),
        prefix: "qp_ab".into(),
        hash: ContentHash([3; 32]),
        scope: Permission::Read,
        expires_at: None,
    };
    let id = store.add_key(key, moment(1)).await.unwrap();
    store.revoke_key(owner, id, moment(9)).await.unwrap();
    store
}

async fn counts(store: &impl Store, owner: &OwnerId) -> Counts {
    Counts { bytes: 0, ..store.counts(owner).await.unwrap() }
}

#[tokio::test]
async fn a_memory_moves_to_a_database_and_back_with_everything() {
    if !is_available() {
        return;
    }
    let (home, owner) = (tempfile::tempdir().unwrap(), OwnerId::me());
    let files = filled(home.path(), &owner).await;
    let copy = home.path().join("copy.db");
    files.backup(&owner, &copy).await.unwrap();
    let database = open(home.path()).await;
    let load = async || database.load_owner(&owner, &copy, moment(100)).await.unwrap();
    assert_eq!(load().await, LoadOutcome::Loaded);
    assert_eq!(load().await, LoadOutcome::Present, "nothing is loaded twice");
    database.load_keys(files.keys(&owner).await.unwrap()).await.unwrap();
    assert_eq!(counts(&database, &owner).await, counts(&files, &owner).await);
    assert_eq!(database.seq(&owner).await.unwrap(), files.seq(&owner).await.unwrap());
    let (query, page) = (MemoryQuery::default(), full_page());
    let (left, right) = (
        files.list_memories(&owner, &query, page).await.unwrap(),
        database.list_memories(&owner, &query, page).await.unwrap(),
    );
    assert_eq!(left, right, "ids, texts and order");
    let events = AuditQuery::default();
    assert_eq!(
        files.audit(&owner, &events, page).await.unwrap(),
        database.audit(&owner, &events, page).await.unwrap()
    );
    let key = database.keys(&owner).await.unwrap().remove(0);
    assert_eq!(key.revoked_at, Some(moment(9)));
    for report in [files.verify_audit(&owner).await, database.verify_audit(&owner).await] {
        let report = report.unwrap();
        assert!(report.is_intact(), "{report:?}");
    }
    assert!(database.health(&owner).await.unwrap().problems.is_empty());
    database.write(&owner, batch(vec![remember("One more.")])).await.unwrap();
    assert!(database.verify_audit(&owner).await.unwrap().is_intact());
    move_back(&database, &owner).await;
}

async fn move_back(database: &impl Store, owner: &OwnerId) {
    let home = tempfile::tempdir().unwrap();
    let (copy, kept) = (home.path().join("back.db"), home.path().join("kept"));
    database.backup(owner, &copy).await.unwrap();
    let request = RestoreRequest {
        home: home.path(),
        owner,
        backup: &copy,
        kept: &kept,
        at: moment(200),
        replace: false,
        reset_credentials: false,
    };
    store_sqlite::restore(&request, &Default::default()).unwrap();
    let files = SqliteStore::open(home.path(), Default::default()).unwrap();
    assert_eq!(counts(&files, owner).await, counts(database, owner).await);
    assert!(files.verify_audit(owner).await.unwrap().is_intact());
}

#[tokio::test]
async fn another_memory_under_the_same_name_is_not_replaced() {
    if !is_available() {
        return;
    }
    let (home, owner) = (tempfile::tempdir().unwrap(), OwnerId::me());
    let files = filled(home.path(), &owner).await;
    let copy = home.path().join("copy.db");
    files.backup(&owner, &copy).await.unwrap();
    let database = open(home.path()).await;
    database.create_owner(&owner, moment(0)).await.unwrap();
    database.write(&owner, batch(vec![remember("Mine already.")])).await.unwrap();
    let refused = database.load_owner(&owner, &copy, moment(100)).await.unwrap_err();
    assert!(refused.to_string().contains("another memory"), "{refused}");
    assert_eq!(counts(&database, &owner).await.memories[0].1, 1);
}

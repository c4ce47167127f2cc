//! Expected versions: an edit of something that changed since it was read is refused. Also erasing
//! everything, which leaves only the audit log and the owner's rules.

use super::builders::{
    batch, contradiction, document, entity, fields, handoff, mention, moment, provenance, record,
    remember,
};
use super::fixture::{StoreFixture, full_page};
use model::{Grant, NewSession, Permission, RecordId, Resolution, ReviewId, Seq};
use serde_json::json;
use store::{
    Batch, Change, ChangeResult, Conflict, ExpectedVersion, LoggedQuestion, MemoryQuery, ReadEvent,
    Ref, ReviewQuery, StoreError, WriteError,
};

fn patch_profile(name: &str) -> Change {
    Change::PatchProfile {
        patch: fields(json!({ "name": name })),
        reason: None,
        provenance: provenance("ada", moment(1)),
    }
}

fn batch_expecting(seen: &ExpectedVersion, change: Change) -> Batch {
    Batch { expected_versions: vec![seen.clone()], ..batch(vec![change]) }
}

pub async fn an_edit_of_an_outdated_version_is_refused(at: &StoreFixture) {
    let memory = at.remember("as it was").await;
    at.write_at(2, vec![record("meals", json!({"n": 1}))]).await;
    let seen = at.memory(memory).await.updated_at;
    let row = at.store.record(&at.owner, "meals", RecordId(1)).await.unwrap().unwrap().updated_at;
    let versions = [
        (ExpectedVersion::Memory(memory, seen), Change::SettleFlags { memory }),
        (
            ExpectedVersion::Record("meals".into(), RecordId(1), row),
            Change::UpdateRecord {
                table: "meals".into(),
                record: RecordId(1),
                patch: fields(json!({"n": 2})),
            },
        ),
        (ExpectedVersion::Profile(0), patch_profile("Ines")),
        (ExpectedVersion::Setting("members".into(), None), put_members(json!(["ada"]))),
        (
            ExpectedVersion::Setting("members".into(), Some(json!(["ada"]))),
            put_members(json!(["ada", "bo"])),
        ),
    ];
    for (second, (expected, change)) in (10..).zip(versions) {
        let mut first = batch_expecting(&expected, change.clone());
        first.event.at = moment(second);
        at.commit(first).await;
        let seq = at.seq().await;
        let late = at.expect_refused(batch_expecting(&expected, change)).await;
        assert!(matches!(late, WriteError::Conflict(Conflict::Changed)), "{late:?}");
        assert_eq!(at.seq().await, seq);
    }
    let gone = ExpectedVersion::Record("meals".into(), RecordId(9), moment(1));
    let late =
        at.expect_refused(batch_expecting(&gone, remember("for a row that is not there"))).await;
    assert!(matches!(late, WriteError::Conflict(Conflict::Changed)), "{late:?}");
}

fn put_members(value: serde_json::Value) -> Change {
    Change::PutSetting { name: "members".into(), value }
}

pub async fn a_batch_that_was_decided_on_another_store_is_refused_as_busy(at: &StoreFixture) {
    let identity = at.store.identity(&at.owner).await.unwrap();
    at.commit(batch_expecting(&ExpectedVersion::Store(identity), remember("decided here"))).await;
    let another = identity.map(|byte| !byte);
    let refused = batch_expecting(&ExpectedVersion::Store(another), remember("decided elsewhere"));
    let refused = at.expect_refused(refused).await;
    assert!(matches!(refused, WriteError::Store(StoreError::Busy)), "{refused:?}");
    assert_eq!(at.seq().await, Seq(1));
}

pub async fn a_review_item_that_was_decided_or_reopened_since_refuses_the_batch(at: &StoreFixture) {
    let (a, b) = (at.remember("a").await, at.remember("b").await);
    let ChangeResult::Review(review) = at.apply(contradiction(a, b)).await else {
        panic!("a contradiction results in a review item")
    };
    let open = ExpectedVersion::Review(review, None);
    let decided = ExpectedVersion::Review(review, Some(moment(0)));
    let resolve = Change::ResolveReview { review, resolution: Resolution::Confirm };
    at.commit(batch_expecting(&open, remember("while it is open"))).await;
    at.expect_refused(batch_expecting(&decided, remember("early"))).await;
    at.commit(batch_expecting(&open, resolve)).await;
    let late = at.expect_refused(batch_expecting(&open, remember("late"))).await;
    assert!(matches!(late, WriteError::Conflict(Conflict::Changed)), "{late:?}");
    at.commit(batch_expecting(&decided, Change::ReopenReview { review })).await;
    at.expect_refused(batch_expecting(&decided, remember("later"))).await;
    let unknown = ExpectedVersion::Review(ReviewId(987_654), None);
    at.expect_refused(batch_expecting(&unknown, remember("about nothing"))).await;
}

pub async fn of_many_edits_of_one_version_exactly_one_is_applied(at: &StoreFixture) {
    let mut race = tokio::task::JoinSet::new();
    for number in 0..20 {
        let store =
            std::sync::Arc::clone(if number % 2 == 0 { &at.store } else { &at.second_handle });
        let (owner, edit) = (
            at.owner.clone(),
            batch_expecting(&ExpectedVersion::Profile(0), patch_profile(&format!("{number}"))),
        );
        race.spawn(async move { store.write(&owner, edit).await });
    }
    let done = race.join_all().await;
    assert_eq!(done.iter().filter(|edit| edit.is_ok()).count(), 1);
    assert_eq!(at.store.profile(&at.owner).await.unwrap().unwrap().version, 1);
}

pub async fn erasing_everything_leaves_nothing_but_the_log_and_the_rules(at: &StoreFixture) {
    let (a, b) = (at.remember("a secret of mine").await, at.remember("another").await);
    let ada = at.put_entity("Ada").await;
    at.write(vec![
        mention(a, ada, "Ada"),
        Change::StartSession(NewSession::default()),
        Change::EndSession { session: Ref::ResultOf(1), episode: Some(Ref::Id(b)) },
        Change::PutEntity(entity("Bo")),
        record("meals", json!({"n": 1})),
        Change::StoreHandoff(Box::new(handoff("work"))),
        document("a.md", &["text"]),
        contradiction(a, b),
        Change::Flag { memory: a, reason: "wrong".into() },
        patch_profile("Ines"),
        Change::PutGrant(Grant {
            agent: model::AgentName::new("bob"),
            resource: "profile".into(),
            permission: Permission::Read,
            granted_at: moment(1),
        }),
    ])
    .await;
    let asked = Some(LoggedQuestion { text: Some("what is missing".into()), hits: 0 });
    let read =
        ReadEvent { question: asked, ..ReadEvent::new(super::builders::event(moment(3)), vec![a]) };
    at.store.log_reads(&at.owner, vec![read]).await.unwrap();
    let (seq, events) = (at.seq().await, at.event_count().await);
    let ChangeResult::Forgotten(receipt) = at.apply(Change::EraseEverything).await else {
        panic!("expected a receipt")
    };
    for place in [
        "memories",
        "profile",
        "handoffs",
        "references",
        "records",
        "tables",
        "entities",
        "sessions",
        "reviews",
        "flags",
        "questions",
        "recent questions",
        "usage",
        "shown",
        "mentions",
    ] {
        assert!(receipt.removed_from(place) > 0, "{place}: {receipt:?}");
    }
    assert!(at.list_ids(&MemoryQuery::default()).await.is_empty());
    assert_eq!(at.forgotten_at("a secret of mine").await, None, "not even its hash is left");
    assert!(at.store.profile(&at.owner).await.unwrap().is_none());
    assert!(at.store.tables(&at.owner).await.unwrap().is_empty());
    assert!(
        at.store
            .reviews(&at.owner, &ReviewQuery::default(), full_page())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert!(at.store.sections(&at.owner, None, 10).await.unwrap().is_empty());
    assert!(at.store.unanswered_questions(&at.owner, full_page()).await.unwrap().items.is_empty());
    let changes = at.store.changes(&at.owner, seq, 10).await.unwrap();
    assert_eq!((changes.removed, changes.entries.len()), (vec![a, b], 0), "the feed reports it");
    assert_eq!(at.store.references_seq(&at.owner).await.unwrap(), at.seq().await);
    assert_eq!(at.store.grants(&at.owner).await.unwrap().len(), 1);
    assert_eq!(at.event_count().await, events + 1);
    assert!(at.store.health(&at.owner).await.unwrap().sound);
    assert!(at.remember("a secret of mine").await > b, "no id is assigned twice");
    assert!(at.seq().await > Seq(seq.0));
}

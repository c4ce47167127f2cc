//! Forgetting: it removes everything that refers to a memory, counts it in a receipt, and keeps the
//! text from being written again by accident.

use super::builders::{
    add, contradiction, forget, link, mention, moment, note_with, remember, vector,
};
use super::fixture::{StoreFixture, full_page};
use model::{ContentHash, EntityId, JsonMap, LinkKind, MemoryId, NewSession, RecordId, SessionId};
use store::{
    Change, ChangeResult, ForgetReceipt, MemoryQuery, NewObservation, NewRelation, OnForgotten,
    Ref, ReviewQuery, WriteError,
};

/// A memory that every kind of row refers to, and the things it is connected with.
struct ConnectedMemory {
    memory: MemoryId,
    other: MemoryId,
    entity: EntityId,
    friend: EntityId,
    session: SessionId,
}

async fn connected_memory(at: &StoreFixture) -> ConnectedMemory {
    let other = at.remember("the other").await;
    let (person, friend) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    let known = NewObservation {
        entity: Ref::Id(person),
        text: "known from elsewhere".into(),
        memory: None,
    };
    at.write(vec![Change::Observe(known)]).await;
    let results = at
        .write(vec![
            Change::StartSession(NewSession::default()),
            add(note_with("the secret", |add| add.vector = Some(vector("m", 1)))),
            Change::EndSession { session: Ref::ResultOf(0), episode: Some(Ref::ResultOf(1)) },
            Change::AddRecord {
                table: "meals".into(),
                description: None,
                data: super::builders::fields(serde_json::json!({"food": "pizza"})),
                memory: Some(Ref::ResultOf(1)),
            },
            Change::Observe(NewObservation {
                entity: Ref::Id(person),
                text: "has a secret".into(),
                memory: Some(Ref::ResultOf(1)),
            }),
            Change::Relate(Box::new(NewRelation {
                source: Ref::Id(person),
                target: Ref::Id(friend),
                kind: "told".into(),
                weight: 1.0,
                confidence: 1.0,
                memory: Some(Ref::ResultOf(1)),
                properties: JsonMap::new(),
            })),
        ])
        .await
        .results;
    let (session, memory) = (results[0].session().unwrap(), results[1].memory().unwrap());
    at.write(vec![
        link(memory, other, LinkKind::Supports),
        link(other, memory, LinkKind::RelatedTo),
        mention(memory, person, "Ada"),
        contradiction(memory, other),
        contradiction(other, memory),
        Change::Flag { memory, reason: "the secret is out".into() },
    ])
    .await;
    ConnectedMemory { memory, other, entity: person, friend, session }
}

async fn forget_and_get_receipt(at: &StoreFixture, memories: &[MemoryId]) -> ForgetReceipt {
    match at.apply_at(50, forget(memories)).await {
        ChangeResult::Forgotten(receipt) => receipt,
        other => panic!("expected a receipt, got {other:?}"),
    }
}

pub async fn the_receipt_counts_the_removed_rows_of_each_table(at: &StoreFixture) {
    let planted = connected_memory(at).await;
    let receipt = forget_and_get_receipt(at, &[planted.memory]).await;
    assert_eq!(receipt.memories, [planted.memory]);
    for (place, count) in [
        ("memories", 1),
        ("vectors", 1),
        ("links", 2),
        ("records", 1),
        ("mentions", 1),
        ("elephants", 0),
    ] {
        assert_eq!(receipt.removed_from(place), count, "{place} in {receipt:?}");
    }
}

pub async fn forgetting_removes_the_memory_with_its_vectors_links_and_flags(at: &StoreFixture) {
    let ConnectedMemory { memory, other, .. } = connected_memory(at).await;
    forget_and_get_receipt(at, &[memory]).await;
    assert_eq!(at.find_memory(memory).await, None);
    assert_eq!(at.list_ids(&MemoryQuery::default()).await, [other]);
    assert_eq!(
        at.store.memory_by_text(&at.owner, ContentHash::of_text("the secret")).await.unwrap(),
        None
    );
    assert_eq!(at.store.vector(&at.owner, memory).await.unwrap(), None);
    assert_eq!(at.links(other).await, store::Links::default());
    assert_eq!(at.links(memory).await, store::Links::default());
    assert!(at.store.flags(&at.owner, memory).await.unwrap().is_empty());
    assert_eq!(at.store.counts(&at.owner).await.unwrap().links, 0);
}

pub async fn forgetting_removes_the_rows_that_were_written_with_the_memory(at: &StoreFixture) {
    let planted = connected_memory(at).await;
    let row = at.store.records_of_memory(&at.owner, planted.memory).await.unwrap()[0].id;
    forget_and_get_receipt(at, &[planted.memory]).await;
    assert!(at.store.records_of_memory(&at.owner, planted.memory).await.unwrap().is_empty());
    assert_eq!(at.store.record(&at.owner, "meals", row).await.unwrap(), None);
    assert!(at.store.records(&at.owner, "meals", RecordId(0), 10).await.unwrap().is_empty());
    assert_eq!(at.store.tables(&at.owner).await.unwrap()[0].rows, 0);
}

pub async fn forgetting_removes_observations_and_relations_of_the_memory(at: &StoreFixture) {
    let planted = connected_memory(at).await;
    forget_and_get_receipt(at, &[planted.memory]).await;
    let said = at.store.observations(&at.owner, planted.entity, full_page()).await.unwrap();
    let texts: Vec<&str> = said.items.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(texts, ["known from elsewhere"]);
    let ends = [planted.entity, planted.friend];
    let relations = at.store.relations(&at.owner, &ends).await.unwrap();
    assert!(
        relations.iter().all(|relation| relation.memory != Some(planted.memory)),
        "{relations:?}"
    );
    assert!(at.store.mentions(&at.owner, planted.memory).await.unwrap().is_empty());
    assert_eq!(
        at.store.memories_mentioning(&at.owner, planted.entity, full_page()).await.unwrap().total,
        0
    );
    assert_eq!(at.entity(planted.entity).await.mentions, 0, "what is known from elsewhere stays");
}

pub async fn forgetting_removes_review_items_and_episodes(at: &StoreFixture) {
    let planted = connected_memory(at).await;
    forget_and_get_receipt(at, &[planted.memory]).await;
    let about = ReviewQuery { memories: Some(vec![planted.memory]), ..ReviewQuery::default() };
    assert_eq!(at.store.reviews(&at.owner, &about, full_page()).await.unwrap().total, 0);
    let session = at.store.session(&at.owner, planted.session).await.unwrap().unwrap();
    assert_eq!(session.episode, None);
}

pub async fn the_audit_log_survives_forgetting(at: &StoreFixture) {
    let planted = connected_memory(at).await;
    let before = at.event_count().await;
    forget_and_get_receipt(at, &[planted.memory]).await;
    assert_eq!(at.event_count().await, before + 1);
}

pub async fn an_id_is_never_assigned_twice(at: &StoreFixture) {
    let (first, last) = (at.remember("first").await, at.remember("last").await);
    forget_and_get_receipt(at, &[first, last]).await;
    let next = at.remember("next").await;
    assert!(next > last, "{next} after {last}");
}

pub async fn forgetting_ignores_unknown_memories(at: &StoreFixture) {
    let id = at.remember("there").await;
    let receipt = forget_and_get_receipt(at, &[MemoryId(987_654), id]).await;
    assert_eq!((receipt.memories.as_slice(), receipt.removed_from("memories")), (&[id][..], 1));
    let again = forget_and_get_receipt(at, &[id]).await;
    assert_eq!((again.memories.len(), again.removed_from("memories")), (0, 0));
}

pub async fn a_forgotten_text_is_known_by_its_hash_alone(at: &StoreFixture) {
    assert_eq!(at.forgotten_at("the secret").await, None);
    let id = at.remember("The  secret").await;
    forget_and_get_receipt(at, &[id]).await;
    assert_eq!(at.forgotten_at("the SECRET").await, Some(moment(50)));
    assert_eq!(at.forgotten_at("another secret").await, None);
}

pub async fn a_forgotten_text_is_not_written_again_silently(at: &StoreFixture) {
    let id = at.remember("the secret").await;
    forget_and_get_receipt(at, &[id]).await;
    let elsewhere =
        add(note_with("The Secret", |add| add.memory.project = Some("elsewhere".into())));
    for again in [remember("the secret"), elsewhere] {
        let refusal =
            at.expect_refused(super::builders::batch(vec![remember("beside it"), again])).await;
        assert!(matches!(refusal, WriteError::Forgotten { at } if at == moment(50)), "{refusal:?}");
    }
    assert!(at.list_ids(&MemoryQuery::default()).await.is_empty());
}

pub async fn a_forgotten_text_is_written_again_when_explicitly_allowed(at: &StoreFixture) {
    let id = at.remember("the secret").await;
    forget_and_get_receipt(at, &[id]).await;
    let again = note_with("the secret", |add| add.on_forgotten = OnForgotten::Allow);
    let back = at.add_memory(add(again)).await;
    assert_ne!(back, id);
    assert_eq!(at.memory(back).await.text, "the secret");
}

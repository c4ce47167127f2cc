//! Forgetting: it removes everything that refers to a memory, counts it in a receipt, and keeps the
//! text from being written again by accident.

use super::build::{
    add, contradiction, forget, link, mention, moment, note_with, remember, vector,
};
use super::fixture::{Fixture, whole};
use model::{ContentHash, EntityId, JsonMap, LinkKind, MemoryId, NewSession, RecordId, SessionId};
use store::{
    Change, Made, MemoryQuery, NewObservation, NewRelation, OnForgotten, Receipt, Ref, ReviewQuery,
    WriteError,
};

/// A memory that every kind of row refers to, and the things it is connected with.
struct Rooted {
    memory: MemoryId,
    other: MemoryId,
    entity: EntityId,
    friend: EntityId,
    session: SessionId,
}

async fn rooted(at: &Fixture) -> Rooted {
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
            Change::EndSession { session: Ref::Made(0), episode: Some(Ref::Made(1)) },
            Change::AddRecord {
                table: "meals".into(),
                description: None,
                data: super::build::fields(serde_json::json!({"food": "pizza"})),
                memory: Some(Ref::Made(1)),
            },
            Change::Observe(NewObservation {
                entity: Ref::Id(person),
                text: "has a secret".into(),
                memory: Some(Ref::Made(1)),
            }),
            Change::Relate(Box::new(NewRelation {
                source: Ref::Id(person),
                target: Ref::Id(friend),
                kind: "told".into(),
                weight: 1.0,
                confidence: 1.0,
                memory: Some(Ref::Made(1)),
                properties: JsonMap::new(),
            })),
        ])
        .await
        .made;
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
    Rooted { memory, other, entity: person, friend, session }
}

async fn forgotten(at: &Fixture, memories: &[MemoryId]) -> Receipt {
    match at.make_at(50, forget(memories)).await {
        Made::Forgotten(receipt) => receipt,
        other => panic!("expected a receipt, got {other:?}"),
    }
}

pub async fn the_receipt_counts_what_went_from_each_place(at: &Fixture) {
    let planted = rooted(at).await;
    let receipt = forgotten(at, &[planted.memory]).await;
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

pub async fn forgetting_reaches_the_memory_and_its_surroundings(at: &Fixture) {
    let Rooted { memory, other, .. } = rooted(at).await;
    forgotten(at, &[memory]).await;
    assert_eq!(at.find_memory(memory).await, None);
    assert_eq!(at.list(&MemoryQuery::default()).await, [other]);
    assert_eq!(
        at.store.memory_saying(&at.owner, ContentHash::of("the secret")).await.unwrap(),
        None
    );
    assert_eq!(at.store.vector(&at.owner, memory).await.unwrap(), None);
    assert_eq!(at.links(other).await, store::Links::default());
    assert_eq!(at.links(memory).await, store::Links::default());
    assert!(at.store.flags(&at.owner, memory).await.unwrap().is_empty());
    assert_eq!(at.store.counts(&at.owner).await.unwrap().links, 0);
}

pub async fn forgetting_reaches_the_rows_that_were_written_with_it(at: &Fixture) {
    let planted = rooted(at).await;
    let row = at.store.records_of(&at.owner, planted.memory).await.unwrap()[0].id;
    forgotten(at, &[planted.memory]).await;
    assert!(at.store.records_of(&at.owner, planted.memory).await.unwrap().is_empty());
    assert_eq!(at.store.record(&at.owner, "meals", row).await.unwrap(), None);
    assert!(at.store.records(&at.owner, "meals", RecordId(0), 10).await.unwrap().is_empty());
    assert_eq!(at.store.tables(&at.owner).await.unwrap()[0].rows, 0);
}

pub async fn forgetting_reaches_what_was_said_of_entities(at: &Fixture) {
    let planted = rooted(at).await;
    forgotten(at, &[planted.memory]).await;
    let said = at.store.observations(&at.owner, planted.entity, whole()).await.unwrap();
    let texts: Vec<&str> = said.items.iter().map(|said| said.text.as_str()).collect();
    assert_eq!(texts, ["known from elsewhere"]);
    let ends = [planted.entity, planted.friend];
    let relations = at.store.relations(&at.owner, &ends).await.unwrap();
    assert!(
        relations.iter().all(|relation| relation.memory != Some(planted.memory)),
        "{relations:?}"
    );
    assert!(at.store.mentions(&at.owner, planted.memory).await.unwrap().is_empty());
    assert_eq!(at.store.mentioned_in(&at.owner, planted.entity, whole()).await.unwrap().total, 0);
    assert_eq!(at.entity(planted.entity).await.mentions, 0, "what is known from elsewhere stays");
}

pub async fn forgetting_reaches_reviews_and_sessions(at: &Fixture) {
    let planted = rooted(at).await;
    forgotten(at, &[planted.memory]).await;
    let about = ReviewQuery { memory: Some(planted.memory), ..ReviewQuery::default() };
    assert_eq!(at.store.reviews(&at.owner, &about, whole()).await.unwrap().total, 0);
    let session = at.store.session(&at.owner, planted.session).await.unwrap().unwrap();
    assert_eq!(session.episode, None);
}

pub async fn the_audit_log_survives_forgetting(at: &Fixture) {
    let planted = rooted(at).await;
    let before = at.events().await;
    forgotten(at, &[planted.memory]).await;
    assert_eq!(at.events().await, before + 1);
}

pub async fn an_id_is_never_given_twice(at: &Fixture) {
    let (first, last) = (at.remember("first").await, at.remember("last").await);
    forgotten(at, &[first, last]).await;
    let next = at.remember("next").await;
    assert!(next > last, "{next} after {last}");
}

pub async fn memories_that_are_not_there_are_passed_over(at: &Fixture) {
    let id = at.remember("there").await;
    let receipt = forgotten(at, &[MemoryId(987_654), id]).await;
    assert_eq!((receipt.memories.as_slice(), receipt.removed_from("memories")), (&[id][..], 1));
    let again = forgotten(at, &[id]).await;
    assert_eq!((again.memories.len(), again.removed_from("memories")), (0, 0));
}

pub async fn a_forgotten_text_is_known_by_its_hash_alone(at: &Fixture) {
    assert_eq!(at.forgotten("the secret").await, None);
    let id = at.remember("The  secret").await;
    forgotten(at, &[id]).await;
    assert_eq!(at.forgotten("the SECRET").await, Some(moment(50)));
    assert_eq!(at.forgotten("another secret").await, None);
}

pub async fn a_forgotten_text_is_not_written_again_silently(at: &Fixture) {
    let id = at.remember("the secret").await;
    forgotten(at, &[id]).await;
    let elsewhere =
        add(note_with("The Secret", |add| add.memory.project = Some("elsewhere".into())));
    for again in [remember("the secret"), elsewhere] {
        let refusal = at.refused(super::build::batch(vec![remember("beside it"), again])).await;
        assert!(matches!(refusal, WriteError::Forgotten { at } if at == moment(50)), "{refusal:?}");
    }
    assert!(at.list(&MemoryQuery::default()).await.is_empty());
}

pub async fn a_forgotten_text_is_written_again_when_somebody_decides_so(at: &Fixture) {
    let id = at.remember("the secret").await;
    forgotten(at, &[id]).await;
    let again = note_with("the secret", |add| add.on_forgotten = OnForgotten::Allow);
    let back = at.remembered(add(again)).await;
    assert_ne!(back, id);
    assert_eq!(at.memory(back).await.text, "the secret");
}

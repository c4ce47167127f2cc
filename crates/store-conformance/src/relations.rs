//! Observations about entities, and relations between them.

use super::builders::{batch, fields, moment};
use super::fixture::{StoreFixture, full_page};
use model::{EntityId, ErrorCode, Failure, JsonMap, Observation, Page, Relation, Status};
use serde_json::json;
use store::{Change, ChangeResult, NewObservation, NewRelation, Ref};

fn observe(entity: EntityId, text: &str) -> Change {
    Change::Observe(NewObservation { entity: Ref::Id(entity), text: text.to_owned(), memory: None })
}

fn knows(source: EntityId, target: EntityId, weight: f32) -> NewRelation {
    NewRelation {
        source: Ref::Id(source),
        target: Ref::Id(target),
        kind: "knows".into(),
        weight,
        confidence: 0.5,
        memory: None,
        properties: JsonMap::new(),
    }
}

fn relate(source: EntityId, target: EntityId, weight: f32) -> Change {
    Change::Relate(Box::new(knows(source, target, weight)))
}

async fn relations_of(at: &StoreFixture, entity: EntityId) -> Vec<Relation> {
    at.store.relations(&at.owner, &[entity]).await.unwrap()
}

pub async fn an_observation_reads_back_newest_first(at: &StoreFixture) {
    let (ada, memory) = (at.put_entity("Ada").await, at.remember("said here").await);
    at.write_at(1, vec![observe(ada, "first")]).await;
    let said = NewObservation {
        entity: Ref::Id(ada),
        text: "second".into(),
        memory: Some(Ref::Id(memory)),
    };
    let ChangeResult::Observation(id) = at.apply_at(2, Change::Observe(said)).await else {
        panic!("expected an observation")
    };
    let listing = at.store.observations(&at.owner, ada, Page::first(1)).await.unwrap();
    let newest =
        Observation { id, entity: ada, text: "second".into(), memory: Some(memory), at: moment(2) };
    assert_eq!((listing.items, listing.total), (vec![newest], 2));
}

pub async fn the_same_text_of_the_same_entity_exists_once(at: &StoreFixture) {
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    let first = at.apply(observe(ada, "likes tea")).await;
    assert_eq!(at.apply(observe(ada, "likes tea")).await, first);
    assert_ne!(at.apply(observe(bob, "likes tea")).await, first);
    assert_eq!(at.store.observations(&at.owner, ada, full_page()).await.unwrap().total, 1);
}

pub async fn a_relation_reads_back_from_both_ends(at: &StoreFixture) {
    let (ada, bob, eve) =
        (at.put_entity("Ada").await, at.put_entity("Bob").await, at.put_entity("Eve").await);
    let memory = at.remember("said here").await;
    let new = NewRelation {
        memory: Some(Ref::Id(memory)),
        properties: fields(json!({"since": 2020})),
        ..knows(ada, bob, 1.5)
    };
    let ChangeResult::Relation(id) = at.apply_at(4, Change::Relate(Box::new(new))).await else {
        panic!("expected a relation")
    };
    at.write(vec![relate(eve, bob, 1.0)]).await;
    let expected = Relation {
        id,
        source: ada,
        target: bob,
        kind: "knows".into(),
        weight: 1.5,
        confidence: 0.5,
        memory: Some(memory),
        properties: fields(json!({"since": 2020})),
        first_seen: moment(4),
        last_seen: moment(4),
    };
    assert_eq!(relations_of(at, ada).await, [expected]);
    assert_eq!(relations_of(at, bob).await.len(), 2);
    let of_both = at.store.relations(&at.owner, &[ada, bob]).await.unwrap();
    assert_eq!(of_both.len(), 2, "a relation between two of them comes once");
    assert!(at.store.relations(&at.owner, &[]).await.unwrap().is_empty());
}

pub async fn an_existing_relation_grows_up_to_ten(at: &StoreFixture) {
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    let first = at.apply_at(1, relate(ada, bob, 1.0)).await;
    let more = NewRelation { properties: fields(json!({"how": "school"})), ..knows(ada, bob, 2.5) };
    assert_eq!(at.apply_at(2, Change::Relate(Box::new(more))).await, first);
    let grown = relations_of(at, ada).await.remove(0);
    assert_eq!((grown.weight, grown.first_seen, grown.last_seen), (3.5, moment(1), moment(2)));
    assert_eq!(grown.properties, fields(json!({"how": "school"})));
    for _ in 0..4 {
        at.write(vec![relate(ada, bob, 2.0)]).await;
    }
    assert_eq!(relations_of(at, ada).await[0].weight, 10.0);
}

pub async fn a_relation_is_attached_to_a_current_memory_while_it_has_one(at: &StoreFixture) {
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    let (first, second) = (at.remember("said here").await, at.remember("and here").await);
    let stated_in = async || relations_of(at, ada).await[0].memory;
    for memory in [first, second] {
        let new = NewRelation { memory: Some(Ref::Id(memory)), ..knows(ada, bob, 1.0) };
        at.apply_at(4, Change::Relate(Box::new(new))).await;
        assert_eq!(stated_in().await, Some(first));
    }
    let set = |memory, status| Change::SetStatus { memory: Ref::Id(memory), status };
    at.write(vec![Change::Supersede { old: first, new: Ref::Id(second) }]).await;
    assert_eq!(stated_in().await, Some(second));
    at.write(vec![set(second, Status::Retired)]).await;
    assert_eq!(stated_in().await, Some(second), "none is current");
    at.write(vec![set(first, Status::Active)]).await;
    assert_eq!(stated_in().await, Some(first));
}

pub async fn a_repeated_observation_is_attached_to_a_current_memory(at: &StoreFixture) {
    let ada = at.put_entity("Ada").await;
    let (first, second) = (at.remember("said here").await, at.remember("and here").await);
    let observe = async |memory| {
        let (entity, text) = (Ref::Id(ada), "likes tea".to_owned());
        let said = NewObservation { entity, text, memory: Some(Ref::Id(memory)) };
        at.apply_at(2, Change::Observe(said)).await;
        at.store.observations(&at.owner, ada, full_page()).await.unwrap().items[0].memory
    };
    assert_eq!(observe(first).await, Some(first));
    assert_eq!(observe(second).await, Some(first));
    at.write(vec![Change::Supersede { old: first, new: Ref::Id(second) }]).await;
    assert_eq!(observe(second).await, Some(second));
}

pub async fn the_other_direction_is_another_relation(at: &StoreFixture) {
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    assert_ne!(at.apply(relate(ada, bob, 1.0)).await, at.apply(relate(bob, ada, 1.0)).await);
    assert_eq!(relations_of(at, ada).await.len(), 2);
}

pub async fn an_observation_or_relation_of_something_unknown_is_refused(at: &StoreFixture) {
    let (ada, nobody) = (at.put_entity("Ada").await, EntityId(987_654));
    let memory = Some(Ref::Id(model::MemoryId(987_654)));
    let stray = NewObservation { entity: Ref::Id(ada), text: "said nowhere".into(), memory };
    for change in [
        observe(nobody, "likes tea"),
        relate(ada, nobody, 1.0),
        relate(nobody, ada, 1.0),
        Change::Observe(stray),
        Change::Relate(Box::new(NewRelation { memory, ..knows(ada, ada, 1.0) })),
    ] {
        let refusal = Failure::from(at.expect_refused(batch(vec![change.clone()])).await);
        assert_eq!(refusal.code, ErrorCode::NotFound, "{change:?}");
    }
}

pub async fn merging_moves_observations_and_relations(at: &StoreFixture) {
    let (ada, countess, bob) =
        (at.put_entity("Ada").await, at.put_entity("Countess").await, at.put_entity("Bob").await);
    at.write(vec![
        observe(ada, "likes tea"),
        observe(countess, "likes tea"),
        observe(countess, "rides"),
    ])
    .await;
    at.write(vec![relate(ada, bob, 1.0), relate(countess, bob, 1.0), relate(bob, countess, 1.0)])
        .await;
    at.write(vec![Change::MergeEntities { from: Ref::Id(countess), into: Ref::Id(ada) }]).await;
    let said = at.store.observations(&at.owner, ada, full_page()).await.unwrap();
    assert_eq!(said.total, 2, "the same text exists once: {said:?}");
    let relations = relations_of(at, ada).await;
    assert_eq!(relations.len(), 2, "each kind exists once between the same ends: {relations:?}");
    assert!(relations_of(at, countess).await.is_empty());
}

pub async fn merging_keeps_the_properties_of_both_relations(at: &StoreFixture) {
    let (ada, countess, bob) =
        (at.put_entity("Ada").await, at.put_entity("Countess").await, at.put_entity("Bob").await);
    let stated = |source, properties| {
        let properties = fields(properties);
        Change::Relate(Box::new(NewRelation { properties, ..knows(source, bob, 1.0) }))
    };
    at.write(vec![
        stated(ada, json!({"since": 2020})),
        stated(countess, json!({"since": 1999, "from": "school"})),
        Change::MergeEntities { from: Ref::Id(countess), into: Ref::Id(ada) },
    ])
    .await;
    let merged = relations_of(at, ada).await.remove(0);
    assert_eq!(merged.properties, fields(json!({"since": 2020, "from": "school"})));
}

pub async fn a_removed_entity_takes_its_observations_and_relations_with_it(at: &StoreFixture) {
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    at.write(vec![observe(ada, "likes tea"), relate(ada, bob, 1.0), relate(bob, ada, 1.0)]).await;
    at.write(vec![Change::DeleteEntity(ada)]).await;
    assert_eq!(at.store.observations(&at.owner, ada, full_page()).await.unwrap().total, 0);
    assert!(relations_of(at, bob).await.is_empty());
}

pub async fn a_relation_is_attributed_to_an_active_memory_that_states_it(at: &StoreFixture) {
    let (ada, bob) = (at.put_entity("Ada").await, at.put_entity("Bob").await);
    let (first, second) = (at.remember("said here").await, at.remember("said there").await);
    for memory in [first, second] {
        let said = NewRelation { memory: Some(Ref::Id(memory)), ..knows(ada, bob, 1.0) };
        at.write(vec![Change::Relate(Box::new(said))]).await;
    }
    let behind = async || relations_of(at, ada).await[0].memory;
    let set = async |memory, status| {
        at.write(vec![Change::SetStatus { memory: Ref::Id(memory), status }]).await;
    };
    assert_eq!(behind().await, Some(first));
    at.write(vec![Change::Supersede { old: first, new: Ref::Id(second) }]).await;
    assert_eq!(behind().await, Some(second));
    set(second, Status::Retired).await;
    assert_eq!(behind().await, Some(second), "none is active, and nothing else states it");
    set(first, Status::Active).await;
    assert_eq!(behind().await, Some(first));
    at.write(vec![relate(ada, bob, 1.0)]).await;
    set(first, Status::Retired).await;
    assert_eq!(behind().await, None, "it was also stated by itself");
}

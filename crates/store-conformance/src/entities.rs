//! Entities: found by name in any case, renamed, merged, removed, mentioned by memories.

use super::builders::{entity, fields, mention, moment};
use super::fixture::{StoreFixture, full_page};
use model::{Entity, EntityId, Mention, NewEntity, Page, Status};
use serde_json::json;
use store::{Change, ChangeResult, EntityCard, EntityEdit, EntityQuery, NewObservation, Ref};

fn entity_of_kind(kind: &str, name: &str) -> NewEntity {
    NewEntity { kind: Some(kind.to_owned()), ..entity(name) }
}

async fn put(at: &StoreFixture, seconds: i64, new: NewEntity) -> EntityId {
    at.apply_at(seconds, Change::PutEntity(new)).await.entity().unwrap()
}

async fn id_by_name(at: &StoreFixture, name: &str) -> Option<EntityId> {
    at.store.entity_by_name(&at.owner, name).await.unwrap().map(|entity| entity.id)
}

pub async fn an_entity_reads_back_as_it_was_written(at: &StoreFixture) {
    let new = NewEntity {
        kind: Some("person".into()),
        name: "Ada Lovelace".into(),
        properties: fields(json!({"born": 1815})),
        confidence: 0.75,
    };
    let id = put(at, 3, new.clone()).await;
    let expected = Entity {
        id,
        kind: "person".into(),
        name: new.name,
        aliases: vec![],
        properties: new.properties,
        confidence: 0.75,
        mentions: 0,
        first_seen: moment(3),
        last_seen: moment(3),
    };
    assert_eq!(at.entity(id).await, expected);
    assert_eq!(at.store.entity_by_name(&at.owner, "ada lovelace").await.unwrap(), Some(expected));
}

pub async fn a_name_finds_its_entity_in_any_case(at: &StoreFixture) {
    let id = put(at, 1, entity("Åse Ünal")).await;
    assert_eq!(put(at, 2, entity("åse ünal")).await, id);
    assert_eq!(id_by_name(at, "ÅSE ÜNAL").await, Some(id));
    assert_eq!(id_by_name(at, "Ase Unal").await, None);
    assert_eq!(at.entity(id).await.name, "Åse Ünal", "the name stays as first written");
}

pub async fn people_are_found_by_their_first_name(at: &StoreFixture) {
    let ada = put(at, 1, entity_of_kind("person", "Ada Lovelace")).await;
    let byron = put(at, 1, entity_of_kind("person", "Annabella Byron")).await;
    put(at, 1, entity_of_kind("place", "Ada County")).await;
    put(at, 1, entity_of_kind("person", "Ada")).await;
    put(at, 1, entity_of_kind("person", "Adam Smith")).await;
    let called = async |first: &str| {
        let found = at.store.people_by_first_name(&at.owner, first).await.unwrap();
        found.into_iter().map(|entity| entity.id).collect::<Vec<_>>()
    };
    assert_eq!(called("ADA").await, [ada]);
    assert!(called("Lovelace").await.is_empty() && called("Ad").await.is_empty());
    let edit = EntityEdit { name: Some("Ada King".into()), ..EntityEdit::default() };
    at.write(vec![Change::EditEntity { entity: byron, edit }]).await;
    assert_eq!(called("ada").await, [ada, byron]);
    assert_eq!(called("annabella").await, [byron], "under an earlier name too");
}

pub async fn an_entity_without_a_kind_has_the_kind_entity_and_a_known_kind_stays(
    at: &StoreFixture,
) {
    let plain = put(at, 1, entity("Something")).await;
    assert_eq!(at.entity(plain).await.kind, "entity");
    let person = put(at, 1, entity_of_kind("person", "Ada")).await;
    assert_eq!(put(at, 2, entity("ada")).await, person);
    assert_eq!(at.entity(person).await.kind, "person");
}

pub async fn an_entity_without_a_kind_gets_the_first_kind_that_is_stated(at: &StoreFixture) {
    let plain = put(at, 1, entity("auth")).await;
    at.write(vec![Change::Observe(NewObservation {
        entity: Ref::Id(plain),
        text: "issues tokens".into(),
        memory: None,
    })])
    .await;
    assert_eq!(put(at, 2, entity_of_kind("service", "Auth")).await, plain);
    assert_eq!(at.entity(plain).await.kind, "service");
    assert_ne!(
        put(at, 3, entity_of_kind("file", "auth")).await,
        plain,
        "a second kind is a second entity"
    );
    assert_eq!(put(at, 4, entity("auth")).await, plain);
}

pub async fn a_name_and_the_person_of_that_name_are_one_entity(at: &StoreFixture) {
    let read = put(at, 1, entity_of_kind("name", "Marta Kowalska")).await;
    let person = put(at, 2, entity_of_kind("person", "marta kowalska")).await;
    assert_eq!(person, read, "the person was first read as a name");
    assert_eq!(at.entity(person).await.kind, "person");
    assert_eq!(put(at, 3, entity_of_kind("name", "Marta Kowalska")).await, person);
    assert_eq!(at.entity(person).await.kind, "person", "a name takes no kind away");
    let place = put(at, 4, entity_of_kind("place", "Jordan")).await;
    assert_ne!(put(at, 5, entity_of_kind("person", "Jordan")).await, place);
    let function = put(at, 6, entity_of_kind("function", "index")).await;
    let book = put(at, 7, entity_of_kind("name", "Index")).await;
    assert_ne!(book, function, "code has no proper name");
    assert_ne!(put(at, 8, entity_of_kind("file", "Index")).await, book);
}

pub async fn a_tool_and_what_a_caller_calls_by_its_name_are_one_entity(at: &StoreFixture) {
    let stated = put(at, 1, entity_of_kind("technology", "Kafka")).await;
    assert_eq!(put(at, 2, entity_of_kind("tool", "kafka")).await, stated);
    assert_eq!(at.entity(stated).await.kind, "technology", "the stated kind stays");
    let read = put(at, 3, entity_of_kind("tool", "Redis")).await;
    assert_eq!(put(at, 4, entity_of_kind("service", "Redis")).await, read);
    assert_eq!(at.entity(read).await.kind, "service");
    let person = put(at, 5, entity_of_kind("person", "Ada")).await;
    assert_ne!(put(at, 6, entity_of_kind("tool", "Ada")).await, person);
}

pub async fn an_entity_card_has_every_name_and_the_valid_observations(at: &StoreFixture) {
    let (first, second) =
        (put(at, 1, entity_of_kind("service", "auth")).await, put(at, 1, entity("bare")).await);
    let (kept, gone) = (at.remember("kept").await, at.remember("gone").await);
    let said = |text: &str, memory| {
        Change::Observe(NewObservation { entity: Ref::Id(first), text: text.into(), memory })
    };
    at.write(vec![said("a", None), said("b", Some(Ref::Id(kept))), said("c", Some(Ref::Id(gone)))])
        .await;
    let edit = EntityEdit { name: Some("login".into()), ..EntityEdit::default() };
    at.write(vec![
        Change::EditEntity { entity: first, edit },
        Change::SetStatus { memory: Ref::Id(gone), status: Status::Rejected },
    ])
    .await;
    let cards = at.store.entity_cards(&at.owner, EntityId(0), 10).await.unwrap();
    let (names, said) = (vec!["login".to_owned(), "auth".into()], vec!["b".to_owned(), "a".into()]);
    let bare = EntityCard { entity: second, names: vec!["bare".into()], observations: vec![] };
    assert_eq!(cards, [EntityCard { entity: first, names, observations: said }, bare.clone()]);
    assert_eq!(at.store.entity_cards(&at.owner, first, 10).await.unwrap(), [bare]);
    assert_eq!(at.store.entity_cards(&at.owner, EntityId(0), 1).await.unwrap().len(), 1);
}

pub async fn one_name_of_two_kinds_is_two_entities(at: &StoreFixture) {
    let person = put(at, 1, entity_of_kind("person", "Paris")).await;
    let city = put(at, 1, entity_of_kind("city", "Paris")).await;
    assert_ne!(person, city);
    assert_eq!(put(at, 2, entity_of_kind("city", "paris")).await, city);
    let memory = at.remember("mentions the city").await;
    at.write(vec![mention(memory, city, "Paris")]).await;
    assert_eq!(id_by_name(at, "paris").await, Some(city), "the one mentioned most");
}

pub async fn putting_an_entity_again_merges_its_properties(at: &StoreFixture) {
    let with = |value| NewEntity { properties: fields(value), ..entity("Ada") };
    let id = put(at, 1, with(json!({"city": "London", "age": 36}))).await;
    put(at, 2, with(json!({"age": null, "field": "maths"}))).await;
    assert_eq!(at.entity(id).await.properties, fields(json!({"city": "London", "field": "maths"})));
}

pub async fn a_renamed_entity_is_found_under_both_names(at: &StoreFixture) {
    let id = put(at, 1, entity_of_kind("person", "Ada Byron")).await;
    let edit = EntityEdit {
        name: Some("Ada Lovelace".into()),
        kind: Some("mathematician".into()),
        properties: fields(json!({"married": 1835})),
    };
    at.write(vec![Change::EditEntity { entity: id, edit }]).await;
    let after = at.entity(id).await;
    assert_eq!((after.name.as_str(), after.kind.as_str()), ("Ada Lovelace", "mathematician"));
    assert_eq!(after.aliases, ["Ada Byron"]);
    assert_eq!(after.properties, fields(json!({"married": 1835})));
    assert_eq!(
        (id_by_name(at, "ada byron").await, id_by_name(at, "ada lovelace").await),
        (Some(id), Some(id))
    );
    assert_eq!(put(at, 2, entity("Ada Byron")).await, id);
}

pub async fn a_mention_is_read_from_both_ends(at: &StoreFixture) {
    let (first, second) = (at.remember("first").await, at.remember("second").await);
    let id = put(at, 1, entity_of_kind("person", "Ada")).await;
    at.write_at(5, vec![mention(first, id, "Ada"), mention(second, id, "ADA")]).await;
    let found = at.store.mentions(&at.owner, first).await.unwrap();
    let expected = Mention {
        memory: first,
        entity: id,
        kind: "person".into(),
        name: "Ada".into(),
        source: "words".into(),
        path: None,
    };
    assert_eq!(found, [expected]);
    let memories = at.store.memories_mentioning(&at.owner, id, Page::first(1)).await.unwrap();
    assert_eq!((memories.items.as_slice(), memories.total), (&[second][..], 2), "newest first");
    let seen = at.entity(id).await;
    assert_eq!((seen.mentions, seen.last_seen), (2, moment(5)));
}

pub async fn the_same_mention_counts_once(at: &StoreFixture) {
    let (memory, id) = (at.remember("Ada and Ada").await, at.put_entity("Ada").await);
    at.write(vec![mention(memory, id, "Ada"), mention(memory, id, "Ada")]).await;
    assert_eq!(at.store.mentions(&at.owner, memory).await.unwrap().len(), 1);
    assert_eq!(at.entity(id).await.mentions, 1);
}

pub async fn merging_moves_mentions_and_the_name_becomes_an_alias(at: &StoreFixture) {
    let (both, one) = (at.remember("both").await, at.remember("one").await);
    let (ada, countess) = (at.put_entity("Ada").await, at.put_entity("The Countess").await);
    at.write(vec![mention(both, ada, "Ada"), mention(both, countess, "The Countess")]).await;
    at.write(vec![mention(one, countess, "The Countess")]).await;
    at.write(vec![Change::MergeEntities { from: Ref::Id(countess), into: Ref::Id(ada) }]).await;
    assert!(at.store.entities(&at.owner, &[countess]).await.unwrap().is_empty());
    let merged = at.entity(ada).await;
    assert_eq!((merged.mentions, merged.aliases.as_slice()), (2, &["The Countess".to_owned()][..]));
    assert_eq!(id_by_name(at, "the countess").await, Some(ada));
    assert_eq!(put(at, 9, entity("the countess")).await, ada);
    assert_eq!(at.store.mentions(&at.owner, one).await.unwrap()[0].entity, ada);
}

pub async fn a_removed_entity_takes_its_mentions_with_it(at: &StoreFixture) {
    let (memory, id) = (at.remember("mentions").await, at.put_entity("Ada").await);
    at.write(vec![mention(memory, id, "Ada")]).await;
    assert_eq!(at.apply(Change::DeleteEntity(id)).await, ChangeResult::Done);
    assert!(at.store.entities(&at.owner, &[id]).await.unwrap().is_empty());
    assert!(at.store.mentions(&at.owner, memory).await.unwrap().is_empty());
    assert_eq!(at.store.memories_mentioning(&at.owner, id, full_page()).await.unwrap().total, 0);
    let again = at.put_entity("Ada").await;
    assert!(again > id, "an id is never given twice");
}

pub async fn entities_are_returned_in_the_order_of_the_ids(at: &StoreFixture) {
    let (a, b) = (at.put_entity("a").await, at.put_entity("b").await);
    let found = at.store.entities(&at.owner, &[b, EntityId(987_654), a]).await.unwrap();
    assert_eq!(found.iter().map(|entity| entity.id).collect::<Vec<_>>(), [b, a]);
}

pub async fn entities_are_listed_by_name_part_and_kind_most_mentioned_first(at: &StoreFixture) {
    let (first, second) = (at.remember("first").await, at.remember("second").await);
    let ada = put(at, 1, entity_of_kind("person", "Ada Byron")).await;
    let adam = put(at, 1, entity_of_kind("person", "Adam")).await;
    let city = put(at, 1, entity_of_kind("city", "Madaba")).await;
    let rename = EntityEdit { name: Some("Lovelace".into()), ..EntityEdit::default() };
    at.write(vec![Change::EditEntity { entity: ada, edit: rename }]).await;
    at.write(vec![
        mention(first, adam, "Adam"),
        mention(second, adam, "Adam"),
        mention(first, city, "x"),
    ])
    .await;
    let listed = async |name: Option<&str>, kind: Option<&str>| {
        let query = EntityQuery { name: name.map(str::to_owned), kind: kind.map(str::to_owned) };
        let listing = at.store.list_entities(&at.owner, &query, full_page()).await.unwrap();
        assert_eq!(listing.total, listing.items.len());
        listing.items.iter().map(|entity| entity.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(Some("ADA"), None).await, [adam, city, ada], "an alias counts too");
    assert_eq!(listed(Some("ada"), Some("person")).await, [adam, ada]);
    assert_eq!(listed(None, Some("city")).await, [city]);
    assert!(listed(Some("a%a"), None).await.is_empty(), "no wildcard is read");
    assert!(listed(Some("a_a"), None).await.is_empty(), "no wildcard is read");
}

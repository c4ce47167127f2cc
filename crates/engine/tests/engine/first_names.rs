//! First names: one person is one entity, whether a memory gives the whole name or the first.

use crate::fixture::{EngineFixture, agent, owner};
use engine::entities::{EntityRef, EntityView, ListEntitiesRequest, PutEntityRequest};
use engine::remember::RememberRequest;
use model::MemoryId;

async fn remember(fixture: &EngineFixture, text: &str) -> MemoryId {
    let remember = RememberRequest::text(text);
    let outcome = fixture.engine.memories().remember(&agent("codex"), &remember).await.unwrap();
    outcome.id.expect("a text is remembered as a memory")
}

/// Returns the names of the entities that contain this part.
async fn names(fixture: &EngineFixture, part: &str) -> Vec<String> {
    let listed = ListEntitiesRequest { name: Some(part.to_owned()), ..Default::default() };
    let all = fixture.engine.graph().list_entities(&owner(), &listed).await.unwrap();
    let mut names: Vec<String> = all.items.into_iter().map(|entity| entity.name).collect();
    names.sort();
    names
}

async fn entity(fixture: &EngineFixture, name: &str) -> EntityView {
    let name = EntityRef::Name(name.to_owned());
    fixture.engine.graph().entity(&owner(), &name).await.unwrap()
}

#[tokio::test]
async fn a_first_name_is_the_only_person_who_has_it_in_whatever_order() {
    let texts = ["Marta Kowalska likes green tea.", "We asked Marta about the kilns."];
    for order in [[0, 1], [1, 0]] {
        let fixture = EngineFixture::new().await;
        let mut written = Vec::new();
        for index in order {
            written.push(remember(&fixture, texts[index]).await);
        }
        assert_eq!(names(&fixture, "marta").await, ["Marta Kowalska"], "{order:?}");
        let mut memories = entity(&fixture, "Marta").await.memories.items;
        memories.sort_unstable();
        assert_eq!(memories, written, "{order:?}: both memories are those of one person");
    }
    let fixture = EngineFixture::new().await;
    remember(&fixture, "Marta Kowalska likes green tea, and we asked Marta about the kilns.").await;
    assert_eq!(names(&fixture, "marta").await, ["Marta Kowalska"], "in one text");
}

#[tokio::test]
async fn an_agent_joins_no_name_that_others_wrote_about_with_a_new_one() {
    let fixture = EngineFixture::new().await;
    let told = RememberRequest::text("We asked Marta about the kilns.");
    fixture.engine.memories().remember(&owner(), &told).await.unwrap();
    remember(&fixture, "Marta Mallory likes green tea.").await;
    assert_eq!(names(&fixture, "marta").await, ["Marta", "Marta Mallory"]);
    let told = RememberRequest::text("Tomás spoke with Yuki Tanaka. Yuki Tanaka likes tea.");
    fixture.engine.memories().remember(&owner(), &told).await.unwrap();
    remember(&fixture, "We asked Yuki about the colours.").await;
    assert_eq!(names(&fixture, "yuki").await, ["Yuki Tanaka"], "what it says of a known person");
}

#[tokio::test]
async fn a_first_name_of_two_people_is_neither_of_them() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "Marta Kowalska likes green tea.").await;
    remember(&fixture, "Marta Silva likes black tea.").await;
    remember(&fixture, "We asked Marta about the kilns.").await;
    assert_eq!(names(&fixture, "marta").await, ["Marta", "Marta Kowalska", "Marta Silva"]);
    let fixture = EngineFixture::new().await;
    remember(&fixture, "Marta Kowalska and Marta Silva like tea.").await;
    remember(&fixture, "Marta Kowalska lives in Porto. Marta Silva lives in Lyon.").await;
    remember(&fixture, "We asked Marta about the kilns.").await;
    assert!(names(&fixture, "marta").await.contains(&"Marta".to_owned()));
}

#[tokio::test]
async fn what_is_no_first_name_of_a_person_is_not_merged() {
    let fixture = EngineFixture::new().await;
    for text in [
        "We moved to Paris.",
        "Paris Hilton likes pink.",
        "Docker Hansen likes boats.",
        "We deploy with Docker.",
        "We read about Project Apollo.",
        "We met Project again.",
        "We saw Kowalska there.",
        "Marta Kowalska likes green tea.",
    ] {
        remember(&fixture, text).await;
    }
    assert_eq!(names(&fixture, "paris").await, ["Paris", "Paris Hilton"], "a place");
    assert!(names(&fixture, "docker").await.contains(&"Docker".to_owned()), "a tool");
    assert!(names(&fixture, "apollo").await.contains(&"Project Apollo".to_owned()));
    assert_eq!(names(&fixture, "kowalska").await, ["Kowalska", "Marta Kowalska"], "a last name");
}

#[tokio::test]
async fn an_entity_that_somebody_stated_keeps_its_name() {
    let fixture = EngineFixture::new().await;
    let marta = PutEntityRequest {
        name: "Marta".into(),
        kind: Some("person".into()),
        ..PutEntityRequest::default()
    };
    fixture.engine.graph().put_entity(&owner(), &marta).await.unwrap();
    remember(&fixture, "Marta Kowalska likes green tea.").await;
    remember(&fixture, "We asked Marta about the kilns.").await;
    assert_eq!(names(&fixture, "marta").await, ["Marta", "Marta Kowalska"]);
}

#[tokio::test]
async fn a_first_name_that_the_owner_separated_stays_separate() {
    let fixture = EngineFixture::new().await;
    let full = remember(&fixture, "Marta Kowalska likes green tea.").await;
    let short = remember(&fixture, "We asked Marta about the kilns.").await;
    let merged = entity(&fixture, "Marta Kowalska").await.merged;
    assert_eq!(merged.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Marta"]);
    let back = fixture.engine.graph().undo_merge(&owner(), merged[0].entity).await.unwrap();
    assert_eq!((back.name.as_str(), back.mentions), ("Marta", 1));
    assert_eq!(entity(&fixture, "Marta").await.memories.items, [short]);
    assert_eq!(entity(&fixture, "Marta Kowalska").await.memories.items, [full]);
    remember(&fixture, "Marta likes the big kiln.").await;
    remember(&fixture, "Marta Kowalska likes the small kiln.").await;
    assert_eq!(names(&fixture, "marta").await, ["Marta", "Marta Kowalska"]);
}

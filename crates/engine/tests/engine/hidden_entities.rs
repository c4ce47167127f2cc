//! Entities that hidden memories mention: an agent that may write the graph is not shown what these
//! memories call them, whatever it states about them.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::entities::{
    EntityRef, ListEntitiesRequest, PutEntityOutcome, PutEntityRequest, RelateEntitiesRequest,
};
use engine::grants::SetGrantRequest;
use engine::remember::RememberRequest;
use engine::{Caller, CallerAccess};
use model::{AgentName, EntityId, ErrorCode, MemoryId, Permission};

fn guest() -> Caller {
    agent("guest").with_reach(CallerAccess::Credential(Permission::Write))
}

fn named(name: &str) -> EntityRef {
    EntityRef::Name(name.to_owned())
}

/// Creates a memory in which hidden memories speak of "Robert Canaryfield", whose other name "Bob
/// Marlow" was merged into it. The guest may write the graph and its own collection.
async fn fixture_with_a_hidden_person() -> EngineFixture {
    let fixture = EngineFixture::new().await;
    let engine = &fixture.engine;
    for text in ["Robert Canaryfield leads Payments", "Bob Marlow plays the cello"] {
        let hidden =
            RememberRequest { collection: Some("private".into()), ..RememberRequest::text(text) };
        engine.memories().remember(&owner(), &hidden).await.unwrap();
    }
    let merged = engine
        .graph()
        .merge_entities(&owner(), &named("Bob Marlow"), &named("Robert Canaryfield"))
        .await
        .unwrap();
    assert_eq!(merged.entity.aliases, ["Bob Marlow"]);
    let resources = [("graph", Permission::Write), ("vectors/memories", Permission::Write)];
    let grants = resources.map(|(resource, permission)| SetGrantRequest {
        agent: AgentName::new("guest"),
        resource: resource.to_owned(),
        permission,
    });
    engine.admin().set_grants(&owner(), &grants).await.unwrap();
    fixture
}

async fn put(fixture: &EngineFixture, name: &str, memory: Option<MemoryId>) -> PutEntityOutcome {
    let input = PutEntityRequest {
        name: name.to_owned(),
        observations: vec!["likes tea".into()],
        memory,
        ..PutEntityRequest::default()
    };
    fixture.engine.graph().put_entity(&guest(), &input).await.unwrap()
}

/// Returns everything that the guest is shown of the graph, as one text.
async fn everything_shown(fixture: &EngineFixture, ids: &[EntityId]) -> String {
    let (graph, guest) = (fixture.engine.graph(), guest());
    let mut shown = format!(
        "{:?} {:?} {:?}",
        graph.list_entities(&guest, &ListEntitiesRequest::default()).await,
        graph.relations(&guest, ids).await,
        graph.entity(&guest, &named("Bob Marlow")).await,
    );
    for id in ids {
        shown += &format!("{:?}", graph.entity(&guest, &EntityRef::Id(*id)).await);
    }
    shown
}

#[tokio::test]
async fn a_first_name_is_not_merged_into_a_person_whom_the_writer_may_not_read_about() {
    for (writer, expected) in
        [(guest(), vec!["Robert", "Robert Canaryfield"]), (owner(), vec!["Robert Canaryfield"])]
    {
        let fixture = fixture_with_a_hidden_person().await;
        let memories = fixture.engine.memories();
        let likes = RememberRequest::text("Robert Canaryfield likes green tea.");
        let hidden = RememberRequest { collection: Some("private".into()), ..likes };
        memories.remember(&owner(), &hidden).await.unwrap();
        let told = RememberRequest::text("We asked Robert about the kilns.");
        memories.remember(&writer, &told).await.unwrap();
        let listed = ListEntitiesRequest { name: Some("robert".into()), ..Default::default() };
        let all = fixture.engine.graph().list_entities(&owner(), &listed).await.unwrap();
        let mut names: Vec<String> = all.items.into_iter().map(|entity| entity.name).collect();
        names.sort();
        assert_eq!(names, expected);
    }
}

#[tokio::test]
async fn stating_something_about_a_hidden_entity_shows_nothing_of_it() {
    let fixture = fixture_with_a_hidden_person().await;
    let outcome = put(&fixture, "Bob Marlow", None).await;
    assert_eq!(
        (outcome.entity.name.as_str(), outcome.entity.kind.as_str()),
        ("Bob Marlow", "entity")
    );
    assert!(outcome.entity.aliases.is_empty() && outcome.entity.mentions == 0);
    assert!(outcome.notes.iter().any(|note| note.contains("may not read")), "{outcome:?}");
    let shown = everything_shown(&fixture, &[outcome.entity.id]).await;
    assert!(!shown.contains("Canaryfield") && !shown.contains("person"), "{shown}");
    let seen_by_owner =
        fixture.engine.graph().entity(&owner(), &named("Bob Marlow")).await.unwrap();
    assert_eq!(seen_by_owner.entity.name, "Robert Canaryfield");
    assert_eq!(seen_by_owner.observations[0].text, "likes tea", "nothing that was stated is lost");
}

#[tokio::test]
async fn relating_a_hidden_entity_shows_nothing_of_it() {
    let fixture = fixture_with_a_hidden_person().await;
    let input = RelateEntitiesRequest {
        source: "Bob Marlow".into(),
        target: "Teahouse".into(),
        kind: "visits".into(),
        ..RelateEntitiesRequest::default()
    };
    let outcome = fixture.engine.graph().relate(&guest(), &input).await.unwrap();
    assert!(outcome.notes.iter().any(|note| note.contains("may not read")), "{outcome:?}");
    let shown = everything_shown(&fixture, &[outcome.source, outcome.target]).await;
    assert!(!shown.contains("Canaryfield"), "{shown}");
}

#[tokio::test]
async fn an_entity_in_ones_own_memory_is_seen_under_the_name_used_there() {
    let fixture = fixture_with_a_hidden_person().await;
    let own = RememberRequest::text("Bob Marlow moved to Porto");
    fixture.engine.memories().remember(&guest(), &own).await.unwrap();
    let seen = fixture.engine.graph().entity(&guest(), &named("Bob Marlow")).await.unwrap();
    assert_eq!((seen.entity.name.as_str(), seen.entity.mentions), ("Bob Marlow", 1));
    let shown = everything_shown(&fixture, &[seen.entity.id]).await;
    assert!(!shown.contains("Canaryfield"), "{shown}");
    refused(
        fixture.engine.graph().entity(&guest(), &named("Robert Canaryfield")).await,
        ErrorCode::NotFound,
    );
    let part = ListEntitiesRequest { name: Some("Canary".into()), ..Default::default() };
    let listed = fixture.engine.graph().list_entities(&guest(), &part).await.unwrap();
    assert_eq!(listed.total, 0, "a part of a hidden name finds nothing");
}

#[tokio::test]
async fn a_statement_with_its_memory_is_seen_under_ones_own_name() {
    let fixture = fixture_with_a_hidden_person().await;
    let own = RememberRequest::text("tea is served at five");
    let own = fixture.engine.memories().remember(&guest(), &own).await.unwrap().id.unwrap();
    let outcome = put(&fixture, "Bob Marlow", Some(own)).await;
    assert_eq!((outcome.entity.name.as_str(), outcome.notes.len()), ("Bob Marlow", 0));
    let seen = fixture.engine.graph().entity(&guest(), &named("Bob Marlow")).await.unwrap();
    assert_eq!(seen.observations[0].text, "likes tea");
    let shown = everything_shown(&fixture, &[outcome.entity.id]).await;
    assert!(!shown.contains("Canaryfield") && !shown.contains("cello"), "{shown}");
}

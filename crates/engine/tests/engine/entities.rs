//! Entities: creating, relating, renaming, merging and searching the graph.

use crate::fixture::{EngineFixture, agent, fields, owner, refused, secret};
use engine::entities::{
    EntityGraphRequest, EntityRef, GraphStart, ListEntitiesRequest, PutEntityRequest,
    RelateEntitiesRequest,
};
use model::{ErrorCode, MemoryId, Status};
use serde_json::json;
use store::{Change, Ref};

fn named(name: &str) -> EntityRef {
    EntityRef::Name(name.to_owned())
}

fn entity(name: &str, observations: &[&str]) -> PutEntityRequest {
    let observations = observations.iter().map(|text| (*text).to_owned()).collect();
    PutEntityRequest { name: name.to_owned(), observations, ..PutEntityRequest::default() }
}

pub fn relation(source: &str, kind: &str, target: &str) -> RelateEntitiesRequest {
    let (source, kind, target) = (source.to_owned(), kind.to_owned(), target.to_owned());
    RelateEntitiesRequest { source, kind, target, ..RelateEntitiesRequest::default() }
}

async fn related(fixture: &EngineFixture, relations: &[(&str, &str, &str)]) {
    for (source, kind, target) in relations {
        fixture
            .engine
            .graph()
            .relate(&agent("codex"), &relation(source, kind, target))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn an_entity_is_extended_and_keeps_its_kind() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let mut ada = entity("Ada", &["writes Rust"]);
    ada.kind = Some("person".into());
    ada.properties = fields(json!({"city": "London"}));
    let first = fixture.engine.graph().put_entity(&codex, &ada).await.unwrap();
    fixture.clock.advance(1);
    let again = fixture
        .engine
        .graph()
        .put_entity(&codex, &entity("ada", &["likes tea", "writes Rust"]))
        .await
        .unwrap();
    assert_eq!(again.entity.id, first.entity.id);
    assert_eq!((again.entity.kind.as_str(), again.entity.name.as_str()), ("person", "Ada"));
    assert_eq!(again.observations[1], first.observations[0], "the same words are there once");
    let view = fixture.engine.graph().entity(&codex, &named("ADA")).await.unwrap();
    let said: Vec<&str> = view.observations.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(said, ["likes tea", "writes Rust"]);
    assert_eq!(view.entity.properties["city"], json!("London"));
}

#[tokio::test]
async fn a_relation_creates_its_entities_and_is_returned_with_their_names() {
    let fixture = EngineFixture::new().await;
    let mut ada = entity("Ada", &[]);
    ada.kind = Some("person".into());
    fixture.engine.graph().put_entity(&agent("codex"), &ada).await.unwrap();
    let first = fixture
        .engine
        .graph()
        .relate(&agent("codex"), &relation("Ada", "Works at", "Acme"))
        .await
        .unwrap();
    let again = fixture
        .engine
        .graph()
        .relate(&agent("codex"), &relation("ada", "works_at", "ACME"))
        .await
        .unwrap();
    assert_eq!(again.relation, first.relation);
    let view =
        fixture.engine.graph().entity(&agent("codex"), &EntityRef::Id(first.target)).await.unwrap();
    let told: Vec<_> = view
        .relations
        .iter()
        .map(|one| (&*one.source, &*one.relation.kind, &*one.target))
        .collect();
    assert_eq!(told, [("Ada", "works_at", "Acme")]);
    assert!(view.relations[0].relation.weight > 1.0, "a repeated relation is strengthened");
    let ada = fixture.engine.graph().entity(&agent("codex"), &named("Ada")).await.unwrap();
    assert_eq!(ada.entity.kind, "person", "relating keeps the kind of a known entity");
}

#[tokio::test]
async fn invalid_entities_and_relations_are_refused() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    refused(
        fixture.engine.graph().put_entity(&codex, &entity(" ", &[])).await,
        ErrorCode::InvalidArgument,
    );
    refused(
        fixture.engine.graph().put_entity(&codex, &entity("Ada", &[" "])).await,
        ErrorCode::InvalidArgument,
    );
    let unsaid = PutEntityRequest { memory: Some(MemoryId(99)), ..entity("Ada", &["x"]) };
    refused(fixture.engine.graph().put_entity(&codex, &unsaid).await, ErrorCode::NotFound);
    refused(
        fixture.engine.graph().relate(&codex, &relation("Ada", "knows", "ada ")).await,
        ErrorCode::InvalidArgument,
    );
    refused(
        fixture.engine.graph().relate(&codex, &relation("Ada", " ", "Bo")).await,
        ErrorCode::InvalidArgument,
    );
    let secret = format!("uses {}", secret());
    refused(
        fixture.engine.graph().put_entity(&codex, &entity("Ada", &[&secret])).await,
        ErrorCode::SecretRefused,
    );
}

#[tokio::test]
async fn an_unknown_name_is_refused_with_similar_ones() {
    let fixture = EngineFixture::new().await;
    fixture.engine.graph().put_entity(&agent("codex"), &entity("Ada Lovelace", &[])).await.unwrap();
    let message = refused(
        fixture.engine.graph().entity(&agent("codex"), &named("lovelace")).await,
        ErrorCode::NotFound,
    );
    assert!(message.contains("Ada Lovelace"), "{message}");
}

#[tokio::test]
async fn statements_of_a_retired_memory_are_no_longer_current() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let memory = fixture.add("codex", "Ada works at Acme.", |_| {}).await;
    let mut ada = entity("Ada", &["works at Acme"]);
    ada.memory = Some(memory);
    fixture.engine.graph().put_entity(&codex, &ada).await.unwrap();
    fixture.engine.graph().put_entity(&codex, &entity("Ada", &["said outright"])).await.unwrap();
    let said =
        RelateEntitiesRequest { memory: Some(memory), ..relation("Ada", "works_at", "Acme") };
    fixture.engine.graph().relate(&codex, &said).await.unwrap();
    fixture
        .write(
            "codex",
            vec![Change::SetStatus { memory: Ref::Id(memory), status: Status::Retired }],
        )
        .await;
    let view = fixture.engine.graph().entity(&codex, &named("Ada")).await.unwrap();
    let said: Vec<&str> = view.observations.iter().map(|one| one.text.as_str()).collect();
    assert_eq!((said, view.relations.len()), (vec!["said outright"], 0));
    let graph = EntityGraphRequest {
        start: GraphStart::Entity(named("Ada")),
        ..EntityGraphRequest::default()
    };
    assert_eq!(
        fixture.engine.graph().entity_graph(&codex, &graph).await.unwrap().entities.len(),
        1
    );
}

#[tokio::test]
async fn renaming_and_merging_keep_the_old_names_as_aliases() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    fixture.engine.graph().put_entity(&codex, &entity("Ada Byron", &["born 1815"])).await.unwrap();
    let renamed = fixture
        .engine
        .graph()
        .rename_entity(&codex, &named("ada byron"), "Ada Lovelace")
        .await
        .unwrap()
        .entity;
    assert_eq!(renamed.name, "Ada Lovelace");
    fixture
        .engine
        .graph()
        .put_entity(&codex, &entity("A. Lovelace", &["wrote notes"]))
        .await
        .unwrap();
    let merged = fixture
        .engine
        .graph()
        .merge_entities(&owner(), &named("A. Lovelace"), &named("Ada Byron"))
        .await
        .unwrap()
        .entity;
    assert_eq!(merged.id, renamed.id);
    let view = fixture.engine.graph().entity(&codex, &named("a. lovelace")).await.unwrap();
    assert_eq!((view.entity.id, view.observations.len()), (renamed.id, 2));
    let itself = fixture
        .engine
        .graph()
        .merge_entities(&codex, &named("Ada Byron"), &named("Ada Lovelace"))
        .await;
    refused(itself, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn a_merge_is_undone_by_the_owner_alone_and_recall_follows() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let graph = fixture.engine.graph();
    graph.put_entity(&codex, &entity("Ada Byron", &["wrote notes"])).await.unwrap();
    let gone = graph.put_entity(&codex, &entity("A. Lovelace", &["rides"])).await.unwrap().entity;
    let (from, into) = (named("A. Lovelace"), named("Ada Byron"));
    let merged = graph.merge_entities(&owner(), &from, &into).await.unwrap().entity;
    let view = graph.entity(&owner(), &into).await.unwrap();
    assert_eq!(view.merged.iter().map(|one| one.entity).collect::<Vec<_>>(), [gone.id]);
    refused(graph.undo_merge(&codex, gone.id).await, ErrorCode::ConsentRequired);
    let back = graph.undo_merge(&owner(), gone.id).await.unwrap();
    assert_eq!(back, gone);
    let view = graph.entity(&codex, &from).await.unwrap();
    assert_eq!((view.entity.id, view.observations.len()), (gone.id, 1));
    let stays = graph.entity(&codex, &into).await.unwrap();
    assert_eq!((stays.entity.id, stays.observations.len()), (merged.id, 1));
    refused(graph.undo_merge(&owner(), gone.id).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_deleted_entity_is_gone_with_its_relations() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    related(&fixture, &[("Ada", "knows", "Bo")]).await;
    fixture.engine.graph().delete_entity(&owner(), &named("Ada")).await.unwrap();
    refused(fixture.engine.graph().entity(&codex, &named("Ada")).await, ErrorCode::NotFound);
    assert_eq!(
        fixture.engine.graph().entity(&codex, &named("Bo")).await.unwrap().relations.len(),
        0
    );
    let listed = fixture
        .engine
        .graph()
        .list_entities(&codex, &ListEntitiesRequest::default())
        .await
        .unwrap();
    assert_eq!((listed.items[0].name.as_str(), listed.total), ("Bo", 1));
}

#[tokio::test]
async fn the_search_follows_relations_in_both_directions_up_to_the_depth() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    related(
        &fixture,
        &[("a", "uses", "b"), ("c", "uses", "b"), ("c", "uses", "d"), ("d", "uses", "a")],
    )
    .await;
    related(&fixture, &[("d", "owns", "e"), ("e", "uses", "f")]).await;
    let walk = async |edit: fn(&mut EntityGraphRequest)| {
        let mut graph = EntityGraphRequest {
            start: GraphStart::Entity(named("a")),
            ..EntityGraphRequest::default()
        };
        edit(&mut graph);
        fixture.engine.graph().entity_graph(&codex, &graph).await.unwrap()
    };
    let reached = |view: &engine::entities::GraphView| {
        let mut names: Vec<(String, usize)> =
            view.entities.iter().map(|node| (node.entity.name.clone(), node.depth)).collect();
        names.sort_unstable();
        names
    };
    let pairs = |list: &[(&str, usize)]| {
        list.iter().map(|(n, d)| ((*n).to_owned(), *d)).collect::<Vec<_>>()
    };
    let one = walk(|graph| graph.depth = Some(1)).await;
    assert_eq!(reached(&one), pairs(&[("a", 0), ("b", 1), ("d", 1)]));
    assert_eq!((one.relations.len(), one.cut_short), (2, false));
    let two = walk(|_| {}).await;
    assert_eq!(reached(&two), pairs(&[("a", 0), ("b", 1), ("c", 2), ("d", 1), ("e", 2)]));
    let only_uses = walk(|graph| graph.relations = vec!["uses".into()]).await;
    assert_eq!(reached(&only_uses), pairs(&[("a", 0), ("b", 1), ("c", 2), ("d", 1)]));
    let few = walk(|graph| graph.limit = Some(2)).await;
    assert_eq!((few.entities.len(), few.cut_short), (2, true));
}

#[tokio::test]
async fn a_graph_without_a_start_begins_at_the_most_mentioned() {
    let fixture = EngineFixture::new().await;
    related(&fixture, &[("parser", "uses", "lexer")]).await;
    let graph = EntityGraphRequest { depth: Some(0), ..EntityGraphRequest::default() };
    let view = fixture.engine.graph().entity_graph(&agent("codex"), &graph).await.unwrap();
    assert_eq!((view.entities.len(), view.relations.len()), (2, 1));
    let named = EntityGraphRequest {
        start: GraphStart::NameContains("LEX".into()),
        depth: Some(0),
        ..EntityGraphRequest::default()
    };
    let view = fixture.engine.graph().entity_graph(&agent("codex"), &named).await.unwrap();
    assert_eq!(view.entities[0].entity.name, "lexer");
    let ids: Vec<_> = view.entities.iter().map(|node| node.entity.id).collect();
    assert_eq!(fixture.engine.graph().relations(&agent("codex"), &ids).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_person_that_one_memory_names_and_another_explains_is_one_entity() {
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
        let fixture = EngineFixture::new().await;
        let texts = [
            "Yesterday we had lunch with Marta Kowalska.",
            "Marta Kowalska likes green tea.",
            "The invoice of Marta Kowalska runs through Kafka and Redis.",
        ];
        for index in order {
            let remember = engine::remember::RememberRequest::text(texts[index]);
            fixture.engine.memories().remember(&agent("codex"), &remember).await.unwrap();
        }
        let all = fixture
            .engine
            .graph()
            .list_entities(&owner(), &ListEntitiesRequest::default())
            .await
            .unwrap();
        let kinds = |name: &str| -> Vec<String> {
            let named = all.items.iter().filter(|entity| entity.name == name);
            named.map(|entity| entity.kind.clone()).collect()
        };
        assert_eq!(kinds("Marta Kowalska"), ["person"], "{order:?}: {:?}", all.items);
        assert_eq!((kinds("Kafka"), kinds("Redis")), (vec!["tool".into()], vec!["tool".into()]));
    }
}

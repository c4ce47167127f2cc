//! Relations stated in memories: written to the graph, answered in plain words, and removed with
//! the memory.

use crate::fixture::{EngineFixture, agent};
use engine::entities::{GraphPatternRequest, GraphPatternResults};
use engine::facts::{FactSource, FactsRequest};
use engine::forget::ForgetRequest;
use engine::profile::PatchProfileRequest;
use engine::remember::{NewRow, RememberRequest};
use model::{JsonMap, MemoryId};
use serde_json::json;

async fn ask(fixture: &EngineFixture, question: &str) -> GraphPatternResults {
    let pattern = GraphPatternRequest::from_question(question).expect("a question about relations");
    fixture.engine.graph().graph_pattern(&agent("codex"), &pattern).await.unwrap()
}

async fn names(fixture: &EngineFixture, question: &str) -> Vec<String> {
    let mut names: Vec<String> =
        ask(fixture, question).await.entities.into_iter().map(|entity| entity.name).collect();
    names.sort_unstable();
    names
}

async fn remember(fixture: &EngineFixture, memory: &RememberRequest) -> MemoryId {
    fixture.engine.memories().remember(&agent("codex"), memory).await.unwrap().id.expect("a memory")
}

fn row(table: &str, data: JsonMap) -> NewRow {
    NewRow { table: table.to_owned(), description: None, data }
}

fn map(value: serde_json::Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

#[tokio::test]
async fn questions_are_answered_from_stated_relations() {
    let fixture = EngineFixture::new().await;
    for text in [
        "I love sushi and ramen.",
        "I love jazz.",
        "I run with Ada every Sunday.",
        "I work at Acme Corp.",
        "We bought a boat for the lake.",
    ] {
        remember(&fixture, &RememberRequest::text(text)).await;
    }
    assert_eq!(names(&fixture, "what food do I like?").await, ["ramen", "sushi"]);
    assert_eq!(names(&fixture, "which foods did I love?").await, ["ramen", "sushi"]);
    assert_eq!(names(&fixture, "who do I run with?").await, ["Ada"]);
    assert_eq!(names(&fixture, "where do I work?").await, ["Acme Corp"]);
    assert_eq!(names(&fixture, "where does Ada work?").await, [""; 0]);
}

#[tokio::test]
async fn rows_and_profile_fields_state_relations_too() {
    let fixture = EngineFixture::new().await;
    let data = map(json!({"food": "pizza", "restaurant": "Luigi"}));
    remember(
        &fixture,
        &RememberRequest { row: Some(row("meals", data)), ..RememberRequest::default() },
    )
    .await;
    let patch = map(
        json!({"work": {"company": "Acme"}, "family": [{"name": "Mia", "relation": "daughter"}]}),
    );
    fixture
        .engine
        .profile()
        .patch(&agent("codex"), &PatchProfileRequest { patch, reason: None })
        .await
        .unwrap();
    assert_eq!(names(&fixture, "what did I eat?").await, ["pizza"]);
    assert_eq!(names(&fixture, "where did I eat?").await, ["Luigi"]);
    assert_eq!(names(&fixture, "where do I work?").await, ["Acme"]);
    assert_eq!(names(&fixture, "who is my daughter?").await, ["Mia"]);
}

#[tokio::test]
async fn an_entity_of_unspecific_kind_answers_only_when_no_other_does() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, &RememberRequest::text("I love khachapuri.")).await;
    let found = ask(&fixture, "what food do I like?").await;
    assert_eq!((found.entities[0].name.as_str(), found.kind_ignored), ("khachapuri", true));
    remember(&fixture, &RememberRequest::text("I love ramen.")).await;
    assert_eq!(names(&fixture, "what food do I like?").await, ["ramen"]);
}

#[tokio::test]
async fn forgotten_and_corrected_relations_answer_no_more() {
    let fixture = EngineFixture::new().await;
    let memory = remember(&fixture, &RememberRequest::text("I love sushi.")).await;
    let old = remember(&fixture, &RememberRequest::text("I work at Acme.")).await;
    let forget = ForgetRequest { memories: vec![memory], ..ForgetRequest::default() };
    fixture.engine.memories().forget(&agent("codex"), &forget).await.unwrap();
    assert_eq!(names(&fixture, "what food do I like?").await, [""; 0]);
    let correct = engine::correct::CorrectRequest::new(old, "I work at Globex.");
    fixture.engine.memories().correct(&agent("codex"), &correct).await.unwrap();
    assert_eq!(names(&fixture, "where do I work?").await, ["Globex"]);
}

#[tokio::test]
async fn a_relation_that_a_correction_repeats_still_answers() {
    let fixture = EngineFixture::new().await;
    let old = remember(&fixture, &RememberRequest::text("I work at Acme. The desk is red.")).await;
    let correct = engine::correct::CorrectRequest::new(old, "I work at Acme. The desk is blue.");
    fixture.engine.memories().correct(&agent("codex"), &correct).await.unwrap();
    assert_eq!(names(&fixture, "where do I work?").await, ["Acme"]);
}

#[tokio::test]
async fn a_known_name_becomes_a_person_when_a_relation_says_so() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, &RememberRequest::text("The report by Ada was late, said Ada.")).await;
    remember(&fixture, &RememberRequest::text("I run with Ada.")).await;
    let found = ask(&fixture, "who do I run with?").await;
    assert_eq!((found.entities[0].kind.as_str(), found.entities[0].mentions), ("person", 2));
}

#[tokio::test]
async fn facts_come_from_every_source_by_one_score() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, &RememberRequest::text("I cooked a pot of ramen on Sunday.")).await;
    let data = map(json!({"food": "ramen", "calories": 650}));
    remember(
        &fixture,
        &RememberRequest { row: Some(row("meals", data)), ..RememberRequest::default() },
    )
    .await;
    let patch = map(json!({"favorite_food": "ramen"}));
    fixture
        .engine
        .profile()
        .patch(&agent("codex"), &PatchProfileRequest { patch, reason: None })
        .await
        .unwrap();
    fixture
        .engine
        .graph()
        .relate(&agent("codex"), &crate::entities::relation("Bo", "sells", "ramen"))
        .await
        .unwrap();
    let ask = FactsRequest { topic: "ramen".into(), limit: 10, budget_tokens: 1_000 };
    let found = fixture.engine.memories().facts(&agent("codex"), &ask).await.unwrap();
    let sort = |source: &FactSource| match source {
        FactSource::Memory(_) => "memory",
        FactSource::Row { .. } => "row",
        FactSource::Profile { .. } => "profile",
        FactSource::Relation(_) => "relation",
    };
    let mut sorts: Vec<&str> = found.facts.iter().map(|fact| sort(&fact.source)).collect();
    assert!(found.facts.is_sorted_by(|a, b| a.strength >= b.strength));
    sorts.sort_unstable();
    assert_eq!(
        sorts,
        ["memory", "profile", "relation", "row"],
        "a relation that a memory of the result states is left out"
    );
    assert_eq!(found.denied, [""; 0]);
}

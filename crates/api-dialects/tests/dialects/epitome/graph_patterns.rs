//! Graph patterns of the documents, and the details that relations carry.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use serde_json::{Value, json};

async fn find(fixture: &DialectFixture, pattern: Value) -> Value {
    let graph = json!({"queryType": "pattern", "pattern": pattern});
    let answer = fixture.call("recall", json!({"mode": "graph", "graph": graph})).await;
    answer["result"].clone()
}

async fn names(fixture: &DialectFixture, pattern: Value) -> Vec<String> {
    let found = find(fixture, pattern).await;
    each(&found["entities"], "name").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_medication_is_found_with_its_dose() {
    let fixture = new_fixture().await;
    let data = json!({"name": "Metformin", "dose": "500mg", "frequency": "daily"});
    fixture.call("add_record", json!({"tableName": "medications", "data": data})).await;
    for question in ["what medication do I take?", "Which medicines am I taking?"] {
        let found = find(&fixture, json!(question)).await;
        assert_eq!(each(&found["entities"], "name"), ["Metformin"], "{question}");
        assert_eq!(found["edges"][0]["properties"]["dose"], "500mg", "{question}");
    }
}

#[tokio::test]
async fn details_go_with_what_states_them() {
    let fixture = new_fixture().await;
    let family = json!([{"name": "Anna", "relation": "wife", "birthday": "1990-05-03"}]);
    let saved = json!({"text": "My family", "category": "profile", "data": {"family": family}});
    fixture.call("memorize", saved).await;
    let found = find(&fixture, json!("who is my wife?")).await;
    assert_eq!(found["edges"][0]["properties"]["birthday"], "1990-05-03", "{found}");
    let family = json!([{"name": "Anna", "relation": "wife"}]);
    let saved = json!({"text": "My family", "category": "profile", "data": {"family": family}});
    fixture.call("memorize", saved).await;
    let found = find(&fixture, json!("who is my wife?")).await;
    assert!(!found.to_string().contains("1990-05-03"), "{found}");
}

#[tokio::test]
async fn the_subject_of_a_relation_can_be_asked_for() {
    let fixture = new_fixture().await;
    let text = "Ada works at Acme and Bob works at Globex.";
    let saved = json!({"text": text, "storage": "memory", "collection": "journal"});
    fixture.call("memorize", saved).await;
    assert_eq!(names(&fixture, json!("who works at Acme?")).await, ["Ada"]);
    assert_eq!(names(&fixture, json!("Who works at Globex?")).await, ["Bob"]);
    let edges = find(&fixture, json!({"relation": "works_at"})).await["edges"].clone();
    assert_eq!(edges.as_array().unwrap().len(), 2, "two sentences in one: {edges}");
}

#[tokio::test]
async fn any_relation_can_be_asked_for() {
    let fixture = new_fixture().await;
    let saved = json!({"text": "I love sushi.", "storage": "memory", "collection": "journal"});
    fixture.call("memorize", saved).await;
    let found = find(&fixture, json!({"relation": "*"})).await;
    assert_eq!(each(&found["edges"], "relation"), ["likes"], "{found}");
    let graph = json!({"queryType": "pattern", "pattern": {}});
    let refused = fixture.call_refused("recall", json!({"mode": "graph", "graph": graph})).await;
    assert!(refused.message.contains("the pattern is empty"), "{refused}");
}

#[tokio::test]
async fn films_are_no_books() {
    let fixture = new_fixture().await;
    for (table, title) in [("movies", "Inception"), ("books", "Dune")] {
        let row = json!({"tableName": table, "data": {"title": title}});
        fixture.call("add_record", row).await;
    }
    assert_eq!(names(&fixture, json!("what books have I read?")).await, ["Dune"]);
    assert_eq!(names(&fixture, json!("which films did I watch?")).await, ["Inception"]);
    assert_eq!(names(&fixture, json!({"entityType": "book"})).await, ["Dune"]);
    assert_eq!(names(&fixture, json!({"entityType": "media"})).await.len(), 2);
}

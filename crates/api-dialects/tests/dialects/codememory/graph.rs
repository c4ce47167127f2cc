//! The graph tools: observations are not duplicated, types are not lost, and search goes by
//! meaning.

use super::{SESSION, fixture_with_settings, new_fixture};
use crate::fixture::DialectFixture;
use model::ErrorCode;
use serde_json::{Value, json};

async fn upsert(
    fixture: &DialectFixture,
    name: &str,
    kind: Option<&str>,
    observations: &[&str],
) -> i64 {
    let mut given = json!({"name": name, "observations_json": json!(observations).to_string()});
    if let Some(kind) = kind {
        given["entity_type"] = kind.into();
    }
    let answer = fixture.call("upsert_entity", given).await;
    assert_eq!(answer["status"], "ok");
    answer["entity_id"].as_i64().unwrap()
}

async fn relate(fixture: &DialectFixture, source: &str, kind: &str, target: &str) -> i64 {
    let given = json!({"source": source, "target": target, "relation_type": kind});
    let answer = fixture.call("add_relation", given).await;
    assert_eq!(answer["status"], "ok");
    answer["relation_id"].as_i64().unwrap()
}

async fn entity(fixture: &DialectFixture, name: &str) -> Value {
    fixture.call("get_entity", json!({"name": name})).await
}

#[tokio::test]
async fn an_entity_shows_its_observations_and_relations() {
    let fixture = new_fixture().await;
    let id = upsert(&fixture, "auth", Some("service"), &["issues JWTs"]).await;
    relate(&fixture, "auth", "depends_on", "postgres").await;
    let shown = entity(&fixture, "AUTH").await;
    assert_eq!(
        (&shown["id"], &shown["name"], &shown["entity_type"]),
        (&json!(id), &json!("auth"), &json!("service"))
    );
    assert_eq!(shown["created_at"], "2026-05-03T12:00:00Z");
    assert_eq!(shown["observations"], json!(["issues JWTs"]));
    assert_eq!(
        shown["relations"],
        json!([{"type": "depends_on", "source": "auth", "target": "postgres"}])
    );
}

#[tokio::test]
async fn the_same_observation_is_stored_once() {
    let fixture = new_fixture().await;
    upsert(&fixture, "auth", None, &["issues JWTs", "issues JWTs"]).await;
    upsert(&fixture, "auth", None, &["issues JWTs", "runs on port 8080"]).await;
    assert_eq!(entity(&fixture, "auth").await["observations"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_type_is_not_lost_by_a_relation_or_an_upsert_without_one() {
    let fixture = new_fixture().await;
    let id = upsert(&fixture, "auth", Some("service"), &[]).await;
    relate(&fixture, "auth", "depends_on", "postgres").await;
    assert_eq!(upsert(&fixture, "auth", None, &["new"]).await, id);
    assert_eq!(
        upsert(&fixture, "auth", Some("entity"), &["newer"]).await,
        id,
        "the default type says nothing"
    );
    assert_eq!(entity(&fixture, "auth").await["entity_type"], "service");
}

#[tokio::test]
async fn an_entity_created_by_a_relation_gets_its_type_later() {
    let fixture = new_fixture().await;
    relate(&fixture, "auth", "depends_on", "postgres").await;
    assert_eq!(entity(&fixture, "postgres").await["entity_type"], "entity");
    upsert(&fixture, "postgres", Some("database"), &["version 16"]).await;
    let shown = entity(&fixture, "postgres").await;
    assert_eq!(
        (&shown["entity_type"], shown["relations"].as_array().unwrap().len()),
        (&json!("database"), 1)
    );
}

#[tokio::test]
async fn an_updated_entity_has_its_new_type_and_keeps_its_id() {
    let fixture = new_fixture().await;
    let id = upsert(&fixture, "auth", Some("service"), &["issues JWTs"]).await;
    relate(&fixture, "auth", "depends_on", "postgres").await;
    assert_eq!(upsert(&fixture, "Auth", Some("library"), &[]).await, id);
    let shown = entity(&fixture, "auth").await;
    assert_eq!(
        (&shown["entity_type"], &shown["observations"]),
        (&json!("library"), &json!(["issues JWTs"]))
    );
    assert_eq!(shown["relations"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_mentioned_entity_keeps_its_type_beside_a_namesake() {
    let fixture = new_fixture().await;
    let id = fixture.store(SESSION, "PaymentError is raised in src/pay.rs.").await;
    upsert(&fixture, "PaymentError", Some("dashboard"), &["shows failed payments"]).await;
    for n in 0..10 {
        fixture.store(SESSION, &format!("Late{n}PaymentError is raised in src/late.rs.")).await;
    }
    let mentioned = fixture.call("list_entities", json!({"memory_id": id})).await;
    let error =
        mentioned.as_array().unwrap().iter().find(|one| one["name"] == "PaymentError").unwrap();
    assert_eq!(error["entity_type"], "error", "{mentioned}");
    let shown = entity(&fixture, "PaymentError").await;
    assert_eq!(shown["memory_ids"], json!([id]), "both are shown as one");
    assert!(
        shown["observations"].as_array().unwrap().contains(&json!("shows failed payments")),
        "{shown}"
    );
}

#[tokio::test]
async fn a_repeated_relation_is_stored_once() {
    let fixture = new_fixture().await;
    let first = relate(&fixture, "auth", "depends_on", "postgres").await;
    assert_eq!(relate(&fixture, "Auth", "Depends On", "Postgres").await, first);
    assert_ne!(relate(&fixture, "auth", "replaces", "postgres").await, first);
    assert_eq!(entity(&fixture, "auth").await["relations"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn empty_or_unknown_arguments_are_errors_and_never_yield_an_id() {
    let fixture = new_fixture().await;
    for given in [
        json!({"source": "", "target": "b", "relation_type": "uses"}),
        json!({"source": "a", "target": "b", "relation_type": " "}),
        json!({"source": "a", "target": "A", "relation_type": "uses"}),
    ] {
        assert_eq!(
            fixture.call_refused("add_relation", given).await.code,
            ErrorCode::InvalidArgument
        );
    }
    for bad in ["{", "{\"a\":1}", "[1]"] {
        let failure = fixture
            .call_refused("upsert_entity", json!({"name": "a", "observations_json": bad}))
            .await;
        assert!(failure.message.contains("observations_json"), "{bad}: {failure}");
    }
    let failure =
        fixture.call_refused("upsert_entity", json!({"name": "a", "memory_id": 99})).await;
    assert_eq!(failure.code, ErrorCode::NotFound);
    assert_eq!(
        fixture.call_refused("get_entity", json!({"name": "nobody"})).await.code,
        ErrorCode::NotFound
    );
}

#[tokio::test]
async fn one_text_alone_is_a_list_of_one() {
    let fixture = new_fixture().await;
    fixture
        .call("upsert_entity", json!({"name": "auth", "observations_json": "\"issues JWTs\""}))
        .await;
    assert_eq!(entity(&fixture, "auth").await["observations"], json!(["issues JWTs"]));
}

#[tokio::test]
async fn remembering_updates_the_graph() {
    let fixture = new_fixture().await;
    let content = "retry_payment() now backs off exponentially. The cap is five minutes.";
    let id = fixture.store(SESSION, content).await;
    let shown = entity(&fixture, "retry_payment").await;
    assert_eq!((&shown["entity_type"], &shown["memory_ids"]), (&json!("function"), &json!([id])));
    assert!(shown["observations"][0].as_str().unwrap().contains("backs off"), "{shown}");
}

#[tokio::test]
async fn observations_of_a_superseded_memory_disappear() {
    let fixture = new_fixture().await;
    let id = fixture.store(SESSION, "The auth service issues JWTs.").await;
    let given = json!({"name": "auth", "observations_json": "[\"issues JWTs\"]", "memory_id": id});
    fixture.call("upsert_entity", given).await;
    assert_eq!(entity(&fixture, "auth").await["observations"], json!(["issues JWTs"]));
    let correction = engine::correct::CorrectRequest::new(
        model::MemoryId(id),
        "The auth service issues opaque tokens.",
    );
    fixture.engine.memories().correct(&fixture.caller("claude"), &correction).await.unwrap();
    assert_eq!(entity(&fixture, "auth").await["observations"], json!([]));
}

#[tokio::test]
async fn the_context_graph_is_searched_by_meaning() {
    let fixture = new_fixture().await;
    upsert(&fixture, "gatekeeper", Some("service"), &["checks passwords and lets users sign in"])
        .await;
    upsert(&fixture, "printer", Some("machine"), &["the cat sleeps on it"]).await;
    relate(&fixture, "gatekeeper", "depends_on", "postgres").await;
    let graph =
        fixture.call("get_context_graph", json!({"query": "login and authentication"})).await;
    assert_eq!(graph["entities"][0]["name"], "gatekeeper");
    assert!((0.0..=1.0).contains(&graph["entities"][0]["score"].as_f64().unwrap()));
    assert_eq!(
        graph["relations"],
        json!([{"type": "depends_on", "source": "gatekeeper", "target": "postgres"}])
    );
}

#[tokio::test]
async fn entities_of_matching_memories_are_found_too() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "Invoices are numbered by next_invoice_number() under a lock.").await;
    let graph =
        fixture.call("get_context_graph", json!({"query": "how do bills get their numbers"})).await;
    let names: Vec<&str> = graph["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"next_invoice_number"), "{graph}");
}

#[tokio::test]
async fn the_switches_apply_to_the_graph_too() {
    let words = fixture_with_settings(&[("enable_vec", "0")]).await;
    upsert(&words, "gatekeeper", Some("service"), &["checks passwords and lets users sign in"])
        .await;
    upsert(&words, "printer", Some("machine"), &["the cat sleeps on it"]).await;
    let by_meaning =
        words.call("get_context_graph", json!({"query": "login and authentication"})).await;
    assert_eq!(by_meaning["entities"], json!([]));
    let by_words = words.call("get_context_graph", json!({"query": "passwords"})).await;
    assert_eq!(by_words["entities"][0]["name"], "gatekeeper");
    let neither = fixture_with_settings(&[("enable_vec", "0"), ("enable_fts", "0")]).await;
    upsert(&neither, "gatekeeper", Some("service"), &["checks passwords"]).await;
    let snapshot = neither.call("get_context_graph", json!({"query": "printers"})).await;
    assert_eq!(snapshot["entities"].as_array().unwrap().len(), 1, "the snapshot");
}

#[tokio::test]
async fn without_a_query_the_graph_is_a_snapshot_of_ten() {
    let fixture = new_fixture().await;
    for n in 0..12 {
        upsert(&fixture, &format!("service {n}"), Some("service"), &[]).await;
    }
    let graph = fixture.call("get_context_graph", json!({})).await;
    assert_eq!(graph["entities"].as_array().unwrap().len(), 10);
    for field in ["id", "name", "entity_type", "created_at"] {
        assert!(graph["entities"][0].get(field).is_some(), "{field}");
    }
    assert!(graph["entities"][0].get("score").is_none());
    let two = fixture.call("get_context_graph", json!({"limit": 2})).await;
    assert_eq!(two["entities"].as_array().unwrap().len(), 2);
    assert_eq!(
        fixture.call_refused("get_context_graph", json!({"limit": 0})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn a_graph_that_was_turned_off_says_so() {
    let fixture = fixture_with_settings(&[("enable_graph", "0")]).await;
    for (tool, given) in [
        ("upsert_entity", json!({"name": "a"})),
        ("add_relation", json!({"source": "a", "target": "b", "relation_type": "uses"})),
        ("get_entity", json!({"name": "a"})),
        ("get_context_graph", json!({})),
    ] {
        assert_eq!(fixture.call(tool, given).await["status"], "disabled", "{tool}");
    }
}

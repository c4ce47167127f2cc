//! The profile in Epitome's tools: recall finds each value with its subject, as it stands now.

use super::{facts, new_fixture};
use crate::fixture::DialectFixture;
use serde_json::{Value, json};

async fn update(fixture: &DialectFixture, data: Value) -> Value {
    fixture.call("update_profile", json!({ "data": data })).await
}

async fn facts_about(fixture: &DialectFixture, topic: &str) -> Vec<String> {
    let answer = fixture.call("recall", json!({"topic": topic})).await;
    facts(&answer).into_iter().map(str::to_owned).collect()
}

fn family() -> Value {
    json!({"family": [
        {"name": "Ravi", "allergies": ["cats"]},
        {"name": "Leela", "allergies": ["peanuts"], "birthday": "9 June"}
    ]})
}

#[tokio::test]
async fn a_changed_city_leaves_nothing_of_the_old_one() {
    let fixture = new_fixture().await;
    update(&fixture, json!({"location": {"city": "Lisbon", "country": "Portugal"}})).await;
    update(&fixture, json!({"location": {"city": "Porto"}})).await;
    let found = facts_about(&fixture, "location city").await;
    assert!(found.iter().any(|fact| fact == "location city: Porto"), "{found:?}");
    assert!(found.iter().all(|fact| !fact.contains("Lisbon")), "{found:?}");
}

#[tokio::test]
async fn facts_of_the_family_do_not_change_hands() {
    let fixture = new_fixture().await;
    update(&fixture, family()).await;
    let found = facts_about(&fixture, "Leela allergies").await;
    assert_eq!(found[0], "Leela (family): allergies: peanuts");
    let graph = json!({"queryType": "pattern", "pattern": "what am I allergic to?"});
    let allergic = fixture.call("query_graph", graph).await["result"].to_string();
    assert!(!allergic.contains("peanuts"), "{allergic}");
}

#[tokio::test]
async fn a_value_of_a_member_is_corrected_and_forgotten_by_its_source_ref() {
    let fixture = new_fixture().await;
    update(&fixture, family()).await;
    let answer = fixture.call("recall", json!({"topic": "Leela birthday"})).await;
    let source = answer["facts"][0]["sourceRef"].clone();
    assert_eq!(source, "profile:family[1].birthday");
    let corrected = fixture.call("memorize", json!({"text": "10 June", "sourceRef": source})).await;
    assert_eq!(corrected["profile"]["data"]["family"][1]["birthday"], "10 June");
    assert_eq!(corrected["profile"]["data"]["family"][0]["name"], "Ravi");
    let found = facts_about(&fixture, "Leela birthday").await;
    assert_eq!(found[0], "Leela (family): birthday: 10 June");
    let deleted = fixture.call("memorize", json!({"text": source, "action": "delete"})).await;
    assert!(deleted["receipt"]["memories"].as_i64().unwrap() >= 1, "{deleted}");
    let left = facts_about(&fixture, "Leela birthday").await;
    assert!(left.iter().all(|fact| !fact.contains("June")), "{left:?}");
}

#[tokio::test]
async fn a_sentence_about_a_field_ends_with_the_value_it_was_about() {
    let fixture = new_fixture().await;
    let moved = |text: &str, city: &str| {
        let data = json!({"location": {"city": city}});
        json!({"text": text, "category": "profile", "data": data})
    };
    fixture.call("memorize", moved("I moved to Lisbon last spring", "Lisbon")).await;
    fixture.call("memorize", moved("I moved to Porto", "Porto")).await;
    let found = facts_about(&fixture, "which city did I move to").await;
    assert!(found.iter().all(|fact| !fact.contains("Lisbon")), "{found:?}");
    assert!(found.iter().any(|fact| fact.contains("Porto")), "{found:?}");
}

#[tokio::test]
async fn the_graph_shows_only_the_new_employer() {
    let fixture = new_fixture().await;
    update(&fixture, json!({"work": {"company": "Acme", "role": "dev"}})).await;
    update(&fixture, json!({"work": {"company": "Globex"}})).await;
    let graph = json!({"queryType": "pattern", "pattern": "where do I work?"});
    let answer = fixture.call("query_graph", graph).await["result"].clone();
    assert_eq!(super::each(&answer["entities"], "name"), ["Globex"]);
    let found = facts_about(&fixture, "Acme").await;
    assert!(found.iter().all(|fact| !fact.contains("works at Acme")), "{found:?}");
}

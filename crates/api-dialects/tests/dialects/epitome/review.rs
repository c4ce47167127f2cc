//! `review`: what waits, in Epitome's form, and what each decision does to both sides.

use super::{facts, house};
use crate::house::House;
use model::ErrorCode;
use serde_json::{Value, json};

async fn contradiction(house: &House) -> Value {
    for text in ["I live in Berlin", "I live in Munich"] {
        house
            .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
            .await;
    }
    house.call("review", json!({"action": "list"})).await["contradictions"][0].clone()
}

async fn home(house: &House) -> Vec<String> {
    let answer = house.call("recall", json!({"topic": "where do I live"})).await;
    let mut told: Vec<String> = facts(&answer)
        .into_iter()
        .filter(|fact| fact.starts_with("I live"))
        .map(str::to_owned)
        .collect();
    told.sort_unstable();
    told
}

async fn resolve(house: &House, id: &Value, resolution: &str) {
    let given = json!({"action": "resolve", "metaId": id, "resolution": resolution});
    let answer = house.call("review", given).await;
    assert_eq!(
        (answer["success"].as_bool(), answer["resolution"].as_str()),
        (Some(true), Some(resolution))
    );
    assert!(answer["message"].is_string());
    assert_eq!(house.call("review", json!({"action": "list"})).await["contradictionCount"], 0);
}

#[tokio::test]
async fn an_entry_shows_both_sides_and_where_they_stand() {
    let house = house().await;
    let entry = contradiction(&house).await;
    for field in [
        "id",
        "sourceType",
        "sourceRef",
        "origin",
        "agentSource",
        "confidence",
        "status",
        "accessCount",
        "contradictions",
        "promoteHistory",
        "createdAt",
    ] {
        assert!(entry.get(field).is_some(), "{field}");
    }
    assert_eq!(
        (entry["status"].as_str(), entry["origin"].as_str()),
        (Some("review"), Some("ai_stated"))
    );
    let sides = &entry["contradictions"][0];
    assert_eq!(
        (sides["oldValue"].as_str(), sides["newValue"].as_str()),
        (Some("I live in Berlin"), Some("I live in Munich"))
    );
    assert_eq!(
        (sides["oldSourceRef"].as_str(), sides["newSourceRef"].as_str()),
        (Some("vectors/journal#1"), Some("vectors/journal#2"))
    );
    assert_eq!(sides["agent"], "claude");
}

#[tokio::test]
async fn saving_a_contradiction_says_so() {
    let house = house().await;
    let save = async |text: &str| {
        house
            .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
            .await
    };
    save("I live in Berlin").await;
    let answer = save("I live in Munich").await;
    assert_eq!(answer["contradictions"][0]["text"], "I live in Berlin");
    assert!(answer["warnings"][0].as_str().unwrap().contains("review"), "{answer}");
    assert_eq!(answer["_meta"]["warnings"], answer["warnings"]);
}

#[tokio::test]
async fn confirm_lets_the_newer_hold_and_takes_the_older_out_of_use() {
    let house = house().await;
    let entry = contradiction(&house).await;
    resolve(&house, &entry["id"], "confirm").await;
    assert_eq!(home(&house).await, ["I live in Munich"]);
}

#[tokio::test]
async fn reject_lets_the_older_hold_and_takes_the_newer_out_of_use() {
    let house = house().await;
    let entry = contradiction(&house).await;
    resolve(&house, &entry["id"], "reject").await;
    assert_eq!(home(&house).await, ["I live in Berlin"]);
}

#[tokio::test]
async fn keep_both_lets_both_hold() {
    let house = house().await;
    let entry = contradiction(&house).await;
    resolve(&house, &entry["id"], "keep_both").await;
    assert_eq!(home(&house).await, ["I live in Berlin", "I live in Munich"]);
}

#[tokio::test]
async fn at_most_five_entries_are_listed_and_all_are_counted() {
    let house = house().await;
    for n in 0..7 {
        for city in ["Berlin", "Munich"] {
            let text = format!("Friend{n} Smith lives in {city}");
            house
                .call(
                    "memorize",
                    json!({"text": text, "storage": "memory", "collection": "journal"}),
                )
                .await;
        }
    }
    let list = house.call("review", json!({"action": "list"})).await;
    assert_eq!(
        (list["contradictions"].as_array().unwrap().len(), list["contradictionCount"].as_i64()),
        (5, Some(7))
    );
}

#[tokio::test]
async fn an_entry_that_is_not_in_review_is_not_found() {
    let house = house().await;
    let entry = contradiction(&house).await;
    let given = json!({"action": "resolve", "metaId": 999, "resolution": "confirm"});
    assert_eq!(house.refused("review", given).await.code, ErrorCode::NotFound);
    resolve(&house, &entry["id"], "confirm").await;
    let again = json!({"action": "resolve", "metaId": entry["id"], "resolution": "reject"});
    assert_eq!(house.refused("review", again).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_decision_needs_an_entry_and_one_of_three_words() {
    let house = house().await;
    for given in [
        json!({}),
        json!({"action": "dance"}),
        json!({"action": "resolve"}),
        json!({"action": "resolve", "metaId": 1}),
        json!({"action": "resolve", "resolution": "confirm"}),
        json!({"action": "resolve", "metaId": 1, "resolution": "maybe"}),
    ] {
        assert_eq!(
            house.refused("review", given.clone()).await.code,
            ErrorCode::InvalidArgument,
            "{given}"
        );
    }
}

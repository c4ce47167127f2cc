//! `review`: the list in Epitome's form, and the effect of each decision on both sides.

use super::{facts, new_fixture};
use crate::fixture::DialectFixture;
use model::ErrorCode;
use serde_json::{Value, json};

async fn contradiction(fixture: &DialectFixture) -> Value {
    for text in ["I eat meat", "I do not eat meat"] {
        fixture
            .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
            .await;
    }
    fixture.call("review", json!({"action": "list"})).await["contradictions"][0].clone()
}

async fn meat_facts(fixture: &DialectFixture) -> Vec<String> {
    let answer = fixture.call("recall", json!({"topic": "do I eat meat"})).await;
    let mut texts: Vec<String> = facts(&answer)
        .into_iter()
        .filter(|fact| fact.contains("eat meat"))
        .map(str::to_owned)
        .collect();
    texts.sort_unstable();
    texts
}

async fn resolve(fixture: &DialectFixture, id: &Value, resolution: &str) {
    let given = json!({"action": "resolve", "metaId": id, "resolution": resolution});
    let answer = fixture.call("review", given).await;
    assert_eq!(
        (answer["success"].as_bool(), answer["resolution"].as_str()),
        (Some(true), Some(resolution))
    );
    assert!(answer["message"].is_string());
    assert_eq!(fixture.call("review", json!({"action": "list"})).await["contradictionCount"], 0);
}

#[tokio::test]
async fn an_entry_shows_both_sides_with_their_source_refs() {
    let fixture = new_fixture().await;
    let entry = contradiction(&fixture).await;
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
        (Some("I eat meat"), Some("I do not eat meat"))
    );
    assert_eq!(
        (sides["oldSourceRef"].as_str(), sides["newSourceRef"].as_str()),
        (Some("vectors/journal#1"), Some("vectors/journal#2"))
    );
    assert_eq!(sides["agent"], "claude");
}

#[tokio::test]
async fn saving_a_contradiction_reports_it() {
    let fixture = new_fixture().await;
    let save = async |text: &str| {
        fixture
            .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
            .await
    };
    save("I eat meat").await;
    let answer = save("I do not eat meat").await;
    assert_eq!(answer["contradictions"][0]["text"], "I eat meat");
    assert!(answer["warnings"][0].as_str().unwrap().contains("review"), "{answer}");
    assert_eq!(answer["_meta"]["warnings"], answer["warnings"]);
}

#[tokio::test]
async fn confirm_keeps_the_newer_memory_and_retires_the_older() {
    let fixture = new_fixture().await;
    let entry = contradiction(&fixture).await;
    resolve(&fixture, &entry["id"], "confirm").await;
    assert_eq!(meat_facts(&fixture).await, ["I do not eat meat"]);
}

#[tokio::test]
async fn reject_keeps_the_older_memory_and_retires_the_newer() {
    let fixture = new_fixture().await;
    let entry = contradiction(&fixture).await;
    resolve(&fixture, &entry["id"], "reject").await;
    assert_eq!(meat_facts(&fixture).await, ["I eat meat"]);
}

#[tokio::test]
async fn keep_both_keeps_both_memories() {
    let fixture = new_fixture().await;
    let entry = contradiction(&fixture).await;
    resolve(&fixture, &entry["id"], "keep_both").await;
    assert_eq!(meat_facts(&fixture).await, ["I do not eat meat", "I eat meat"]);
}

#[tokio::test]
async fn at_most_five_entries_are_listed_and_all_are_counted() {
    let fixture = new_fixture().await;
    for n in 0..7 {
        for says in ["eats", "does not eat"] {
            let text = format!("Friend{n} Smith {says} meat");
            fixture
                .call(
                    "memorize",
                    json!({"text": text, "storage": "memory", "collection": "journal"}),
                )
                .await;
        }
    }
    let list = fixture.call("review", json!({"action": "list"})).await;
    assert_eq!(
        (list["contradictions"].as_array().unwrap().len(), list["contradictionCount"].as_i64()),
        (5, Some(7))
    );
}

#[tokio::test]
async fn an_entry_that_is_not_in_review_is_not_found() {
    let fixture = new_fixture().await;
    let entry = contradiction(&fixture).await;
    let given = json!({"action": "resolve", "metaId": 999, "resolution": "confirm"});
    assert_eq!(fixture.call_refused("review", given).await.code, ErrorCode::NotFound);
    resolve(&fixture, &entry["id"], "confirm").await;
    let again = json!({"action": "resolve", "metaId": entry["id"], "resolution": "reject"});
    assert_eq!(fixture.call_refused("review", again).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_decision_needs_an_entry_and_one_of_three_words() {
    let fixture = new_fixture().await;
    for given in [
        json!({}),
        json!({"action": "dance"}),
        json!({"action": "resolve"}),
        json!({"action": "resolve", "metaId": 1}),
        json!({"action": "resolve", "resolution": "confirm"}),
        json!({"action": "resolve", "metaId": 1, "resolution": "maybe"}),
    ] {
        assert_eq!(
            fixture.call_refused("review", given.clone()).await.code,
            ErrorCode::InvalidArgument,
            "{given}"
        );
    }
}

#[tokio::test]
async fn rivals_are_one_entry_with_each_pair() {
    let fixture = new_fixture().await;
    let mut ids = Vec::new();
    for text in ["Green is the shed", "Parcels arrive at noon", "Choirs rehearse in June"] {
        let save = json!({"text": text, "storage": "memory", "collection": "journal"});
        fixture.call("memorize", save).await;
        ids.push(ids.len() as i64 + 1);
    }
    for (newer, older) in [(1, 0), (2, 1)] {
        fixture.contradict(ids[newer], ids[older]).await;
    }
    let list = fixture.call("review", json!({"action": "list"})).await;
    assert_eq!(list["contradictionCount"], 1);
    let entry = &list["contradictions"][0];
    let new_ids: Vec<i64> = entry["contradictions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair["newMetaId"].as_i64().unwrap())
        .collect();
    assert_eq!(new_ids, [ids[2], ids[1]]);
    resolve(&fixture, &entry["id"], "keep_both").await;
}

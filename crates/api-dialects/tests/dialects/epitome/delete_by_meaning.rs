//! Deletion by meaning, measured on pairs written for it (`meanings.json`): a memory and a request
//! that means it, or one that is merely similar. A similar memory must never be deleted; one that
//! says the same in other words mostly is, and otherwise is shown with its `sourceRef`.

use super::new_fixture;
use crate::fixture::DialectFixture;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn pairs(sort: &str) -> Vec<(String, String)> {
    let all: Value = serde_json::from_str(include_str!("meanings.json")).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all[sort].as_array().unwrap().iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}

/// Creates a fixture with the memories of all pairs.
async fn populated_fixture() -> DialectFixture {
    let fixture = new_fixture().await;
    let texts: BTreeSet<String> =
        ["same", "near"].into_iter().flat_map(pairs).map(|(memory, _)| memory).collect();
    for text in texts {
        fixture
            .call("memorize", json!({"text": text, "storage": "memory", "collection": "life"}))
            .await;
    }
    fixture
}

/// Returns the memories that would be deleted, and those that would only be shown.
async fn dry_run_delete(fixture: &DialectFixture, text: &str) -> (Vec<String>, Vec<String>) {
    let answer =
        fixture.call("memorize", json!({"text": text, "action": "delete", "dryRun": true})).await;
    let texts = answer["candidates"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| one["text"].as_str().unwrap().to_owned());
    if answer["message"].as_str().unwrap().contains("these would be deleted") {
        (texts.collect(), Vec::new())
    } else {
        (Vec::new(), texts.collect())
    }
}

#[tokio::test]
async fn a_merely_similar_memory_is_never_deleted() {
    let fixture = populated_fixture().await;
    let mut wrong = Vec::new();
    for (memory, text) in pairs("near") {
        let (gone, _) = dry_run_delete(&fixture, &text).await;
        if !gone.is_empty() {
            wrong.push(format!("{text:?} would delete {gone:?} (near {memory:?})"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), pairs("near").len(), wrong.join("\n"));
}

#[tokio::test]
async fn a_paraphrase_deletes_or_shows_its_memory_and_deletes_nothing_else() {
    let fixture = populated_fixture().await;
    let (mut meant, mut shown, mut missed) = (0, 0, Vec::new());
    for (memory, text) in pairs("same") {
        let (gone, near) = dry_run_delete(&fixture, &text).await;
        assert!(gone.iter().all(|one| *one == memory), "{text:?} would delete {gone:?}");
        if gone.contains(&memory) {
            meant += 1;
        } else if near.contains(&memory) {
            shown += 1;
        } else {
            missed.push(format!("{text:?} finds {near:?}"));
        }
    }
    let all = pairs("same").len();
    assert!(missed.is_empty(), "{meant} are deleted, {shown} are shown:\n{}", missed.join("\n"));
    assert!(meant * 3 >= all * 2, "{meant} of {all} are deleted; {shown} are only shown");
}

//! Replaced and forgotten memories through Quipu's own tools: walks, episodes and receipts.

use crate::fixture::DialectFixture;
use serde_json::{Value, json};

fn ids(memories: &Value) -> Vec<i64> {
    memories.as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect()
}

async fn linked(fixture: &DialectFixture, text: &str, cause: i64) -> i64 {
    let links = json!([{"to": cause, "kind": "caused_by"}]);
    fixture.call("remember", json!({"text": text, "links": links})).await["id"].as_i64().unwrap()
}

async fn correct(fixture: &DialectFixture, id: i64, text: &str) -> i64 {
    fixture.call("correct", json!({"id": id, "text": text})).await["id"].as_i64().unwrap()
}

/// Remembers two facts in a session and ends it without a summary.
async fn ended_session(fixture: &DialectFixture) -> ([i64; 2], i64) {
    fixture.call("session", json!({"action": "start", "session": "monday"})).await;
    let remember = async |text: &str| {
        let given = json!({"text": text, "session": "monday"});
        fixture.call("remember", given).await["id"].as_i64().unwrap()
    };
    let facts = [
        remember("The locker code is mauve seven.").await,
        remember("The locker is in the hall.").await,
    ];
    let ended = fixture.call("session", json!({"action": "end", "session": "monday"})).await;
    (facts, ended["episode"]["id"].as_i64().unwrap())
}

#[tokio::test]
async fn explore_goes_on_at_the_newest_version_and_says_where_it_starts() {
    let fixture = DialectFixture::new().await;
    let cause = fixture.remember("The disk filled up.").await;
    let old = linked(&fixture, "The database stopped.", cause).await;
    let effect = linked(&fixture, "Orders failed.", old).await;
    let new = correct(&fixture, old, "The database refused writes.").await;
    let causes = fixture.call("explore", json!({"what": "causes", "id": effect})).await;
    assert_eq!(ids(&causes["memories"]), [effect, new, cause]);
    assert_eq!(causes.get("hint"), None);
    let around = fixture.call("explore", json!({"id": old})).await;
    assert_eq!(ids(&around["memories"])[0], new);
    let hint = around["hint"].as_str().unwrap();
    assert!(hint.contains(&format!("memory {old} was replaced")), "{hint}");
    let path = fixture.call("explore", json!({"what": "path", "id": old, "to": cause})).await;
    assert_eq!(ids(&path["memories"]), [new, cause]);
    assert!(path["hint"].as_str().unwrap().contains(&format!("newest version is {new}")));
    let history = fixture.call("explore", json!({"what": "history", "id": new})).await;
    assert_eq!(ids(&history["memories"]), [old, new], "the history shows the chain");
}

#[tokio::test]
async fn forget_names_the_episodes_it_remade_and_who_else_says_the_same() {
    let fixture = DialectFixture::new().await;
    let ([code, hall], episode) = ended_session(&fixture).await;
    let told = "Remember: the locker code is mauve seven, said Ada.";
    let other = fixture.remember(told).await;
    let preview = fixture.call("forget", json!({"ids": [code], "dry_run": true})).await;
    assert_eq!(preview["remade_episodes"], json!([episode]));
    assert_eq!(ids(&preview["also_say_this"]), [other]);
    let answer = fixture.call("forget", json!({"ids": [code]})).await;
    assert_eq!(answer["forgotten"], json!([code]));
    assert_eq!(answer["remade_episodes"], json!([episode]));
    assert_eq!(answer["receipt"]["quotes in episodes"], 1);
    assert_eq!(ids(&answer["also_say_this"]), [other]);
    assert!(answer["hint"].as_str().unwrap().contains("also_say_this"), "{answer}");
    let resumed = fixture.call("session", json!({})).await["last_episode"].to_string();
    assert!(!resumed.contains("mauve") && resumed.contains("hall"), "{resumed}");
    let answer = fixture.call("forget", json!({"ids": [hall]})).await;
    assert_eq!(answer["forgotten"], json!([hall, episode]), "nothing is left to quote");
    assert_eq!(answer.get("remade_episodes"), None);
}

#[tokio::test]
async fn verify_trusts_no_episode_in_place_of_a_corrected_memory() {
    let fixture = DialectFixture::new().await;
    let ([code, _], _) = ended_session(&fixture).await;
    correct(&fixture, code, "The locker code is green nine.").await;
    let verify = async |claim: &str| fixture.call("verify", json!({"claim": claim})).await;
    assert_ne!(verify("The locker code is mauve seven.").await["verdict"], "verified");
    assert_eq!(verify("The locker code is green nine.").await["verdict"], "verified");
    let found = fixture.call("recall", json!({"query": "what is the locker code?"})).await;
    assert!(!found.to_string().contains("mauve"), "{found}");
}

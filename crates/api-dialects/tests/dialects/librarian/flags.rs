//! `flag_memory`: valid flags and their effect.

use super::new_fixture;
use dialects::Quipu;
use model::{ErrorCode, MemoryId};
use serde_json::json;

#[tokio::test]
async fn a_flag_needs_a_reason_and_an_existing_memory() {
    let fixture = new_fixture().await;
    let id = fixture.store_note("Indexer", "Restart the indexer when search is stale.").await;
    let flagged = fixture
        .call("flag_memory", json!({"memory_id": id, "reason": "it made things worse"}))
        .await;
    assert_eq!(flagged["memory_id"], id.as_str());
    assert!(flagged["review"].is_i64());
    let empty = fixture.call_refused("flag_memory", json!({"memory_id": id, "reason": " "})).await;
    assert_eq!(empty.code, ErrorCode::InvalidArgument);
    for unknown in ["999", "mem_01J8ZK"] {
        let failure = fixture
            .call_refused("flag_memory", json!({"memory_id": unknown, "reason": "wrong"}))
            .await;
        assert_eq!(
            (failure.code, failure.code.http_status()),
            (ErrorCode::NotFound, 404),
            "{unknown}"
        );
    }
}

#[tokio::test]
async fn a_flag_changes_nothing_of_the_memory_itself() {
    let fixture = new_fixture().await;
    let id = fixture.store_note("Indexer", "Restart the indexer when search is stale.").await;
    fixture.call("flag_memory", json!({"memory_id": id, "reason": "no longer true"})).await;
    let found = fixture.call("recall", json!({"query": "stale search"})).await;
    assert_eq!(found["memories"][0]["body"], "Restart the indexer when search is stale.");
    assert_eq!(found["memories"][0]["flags"], 1);
}

#[tokio::test]
async fn a_reason_has_two_thousand_characters_at_most() {
    let fixture = new_fixture().await;
    let id = fixture.store_note("Port", "The port is 22.").await;
    let flag = |length: usize| json!({"memory_id": id, "reason": "x".repeat(length)});
    fixture.call("flag_memory", flag(2_000)).await;
    let failure = fixture.call_refused("flag_memory", flag(2_001)).await;
    assert!(failure.message.contains("reason"), "{failure}");
}

#[tokio::test]
async fn flagging_a_superseded_memory_is_refused_with_the_current_one() {
    let fixture = new_fixture().await;
    let old = fixture.store_note("Rollback", "Roll back with one command.").await;
    let new = fixture
        .store_note("Rollback", "Roll back with one command. The command is make undo.")
        .await;
    let failure = fixture
        .call_refused("flag_memory", json!({"memory_id": old, "reason": "wrong command"}))
        .await;
    assert_eq!(failure.code, ErrorCode::Conflict);
    assert!(failure.message.contains(&format!("memory {new} replaced it")), "{failure}");
    fixture.call("flag_memory", json!({"memory_id": new, "reason": "wrong command"})).await;
}

#[tokio::test]
async fn a_flag_records_who_raised_it_and_waits_in_the_review() {
    let fixture = new_fixture().await;
    let id = fixture.store_note("Port", "The port is 22.").await;
    let flag = json!({"memory_id": id, "reason": "it moved", "agent_id": "somebody-else"});
    let flagged = fixture.call("flag_memory", flag).await;
    assert_eq!(flagged["ignored"][0]["field"], "agent_id");
    let whole = fixture
        .engine
        .memories()
        .get_details(&fixture.caller("claude"), MemoryId(id.parse().unwrap()))
        .await;
    let flags = whole.unwrap().flags;
    assert_eq!((flags[0].by.as_str(), flags[0].reason.as_str()), ("claude", "it moved"));
    let waiting = fixture.sharing_memory(Quipu::default()).call("review", json!({})).await;
    assert!(waiting.to_string().contains("it moved"), "{waiting}");
}

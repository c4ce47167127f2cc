//! Defaults of omitted arguments, and normalization of given ones.

use super::{SESSION, contents, fixture_with_settings, new_fixture};
use dialects::{CodeMemory, CodeMemorySettings};
use serde_json::{Value, json};

#[tokio::test]
async fn omitted_arguments_have_the_documented_defaults() {
    let fixture = new_fixture().await;
    let content = "The mailer retries three times. Then it gives up.";
    fixture.call("remember", json!({"content": content, "session_id": SESSION})).await;
    let listed = fixture.call("list_recent", json!({})).await;
    for (field, value) in [
        ("kind", json!("note")),
        ("priority", json!(3)),
        ("tags", json!("general")),
        ("metadata", json!({})),
        ("summary", json!(content)),
    ] {
        assert_eq!(listed[0][field], value, "{field}");
    }
}

#[tokio::test]
async fn a_priority_out_of_range_is_clamped_and_reported() {
    let fixture = new_fixture().await;
    for (given, stored_as) in
        [(i64::MIN, 1), (-3, 1), (0, 1), (1, 1), (5, 5), (6, 5), (i64::MAX, 5)]
    {
        let content = format!("Note for priority {given}.");
        let arguments = json!({"content": content, "session_id": SESSION, "priority": given});
        let stored = fixture.call("remember", arguments).await;
        assert_eq!(stored["priority"], stored_as, "{given}");
        assert_eq!(stored.get("notes").is_some(), given != stored_as, "{given}: {stored}");
    }
}

#[tokio::test]
async fn kinds_and_tags_are_normalized_and_the_result_shows_them() {
    let fixture = new_fixture().await;
    for (content, given, stored_as) in [
        ("one", json!({"kind": " Bug Fix "}), ("kind", "bug-fix")),
        ("two", json!({"kind": ""}), ("kind", "note")),
        ("three", json!({"tags": " auth ,, jwt,auth"}), ("tags", "auth,jwt")),
        ("four", json!({"tags": " , "}), ("tags", "general")),
        ("five", json!({"tags": "größe,提案"}), ("tags", "größe,提案")),
        ("six", json!({"summary": "  In short. "}), ("summary", "In short.")),
        ("seven", json!({"summary": " "}), ("summary", "seven")),
    ] {
        let mut arguments = json!({"content": content, "session_id": SESSION});
        arguments.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        let stored = fixture.call("remember", arguments).await;
        assert_eq!(stored[stored_as.0], stored_as.1, "{given}");
    }
}

#[tokio::test]
async fn an_empty_query_returns_the_requested_number_of_newest_memories() {
    let fixture = new_fixture().await;
    for (n, priority) in [(0, 1), (1, 5), (2, 5), (3, 4), (4, 5)] {
        let content = format!("Note number {n}.");
        let given = json!({"content": content, "session_id": SESSION, "priority": priority});
        fixture.call("remember", given).await;
        fixture.clock.advance(60);
    }
    let newest =
        fixture.search_with(json!({"query": " ", "session_id": SESSION, "limit": 3})).await;
    assert_eq!(contents(&newest), ["Note number 3.", "Note number 4.", "Note number 2."]);
    let half = fixture
        .search_with(json!({"query": "", "session_id": SESSION, "limit": 4, "top_p": 0.5}))
        .await;
    assert_eq!(
        contents(&half),
        ["Note number 3.", "Note number 4."],
        "a share that is asked for is taken"
    );
}

#[tokio::test]
async fn a_contradicting_memory_is_stored_and_the_result_shows_the_other_one() {
    let fixture = new_fixture().await;
    let first = fixture.store(SESSION, "The API uses TLS.").await;
    let given = json!({"content": "The API does not use TLS.", "session_id": SESSION});
    let stored = fixture.call("remember", given).await;
    assert_eq!(
        (&stored["status"], &stored["conflicts"][0]["id"]),
        (&json!("stored"), &json!(first))
    );
    assert_eq!(stored["conflicts"][0]["content"], "The API uses TLS.");
}

#[tokio::test]
async fn a_memory_stored_with_a_switch_off_is_found_once_it_is_on() {
    let off =
        fixture_with_settings(&[("enable_fts", "0"), ("enable_vec", "0"), ("enable_graph", "0")])
            .await;
    off.store(SESSION, "next_invoice_number() takes a lock in src/billing.rs.").await;
    let on = off.sharing_memory(CodeMemory::new(CodeMemorySettings::default()));
    assert_eq!(on.search("src/billing.rs").await[0]["fts_hit"], true);
    assert_eq!(on.search("who counts the bills?").await.len(), 1, "by meaning");
    assert_eq!(
        on.call("get_entity", json!({"name": "next_invoice_number"})).await["entity_type"],
        "function"
    );
}

#[tokio::test]
async fn a_forgotten_text_is_skipped_with_the_reason_and_its_entities_are_gone() {
    let fixture = new_fixture().await;
    let content = "call_home() lives in src/home.rs.";
    let id = fixture.store(SESSION, content).await;
    let input =
        engine::forget::ForgetRequest { memories: vec![model::MemoryId(id)], dry_run: false };
    fixture.engine.memories().forget(&fixture.caller("claude"), &input).await.unwrap();
    let again = fixture.call("remember", json!({"content": content, "session_id": SESSION})).await;
    assert_eq!((&again["status"], &again["reason"]), (&json!("skipped"), &json!("forgotten")));
    assert!(
        again["message"]
            .as_str()
            .unwrap()
            .ends_with("only the owner can store it again, with `quipu remember`")
    );
    for (tool, given) in [
        ("list_entities", json!({"memory_id": id})),
        ("get_entity", json!({"name": "call_home"})),
        ("upsert_entity", json!({"name": "home", "memory_id": id})),
        (
            "add_relation",
            json!({"source": "a", "target": "b", "relation_type": "uses", "memory_id": id}),
        ),
    ] {
        assert_eq!(
            fixture.call_refused(tool, given).await.code,
            model::ErrorCode::NotFound,
            "{tool}"
        );
    }
    let graph = fixture.call("get_context_graph", json!({})).await;
    assert_eq!(graph["entities"], Value::Array(Vec::new()), "nothing half-written stays: {graph}");
}

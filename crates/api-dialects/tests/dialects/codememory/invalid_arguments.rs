//! Invalid arguments: every refusal names the argument and says what is accepted, and nothing is
//! stored.

use super::{SESSION, new_fixture};
use crate::invalid_arguments::{
    any_value_yields_a_result_or_an_error, arguments_are_refused_by_name,
};
use dialects::{CodeMemory, DialectApi};
use model::{ErrorCode, limits};
use serde_json::{Value, json};

/// Returns valid arguments for a tool.
fn valid_arguments(tool: &str) -> Value {
    match tool {
        "remember" => json!({"content": "a note", "session_id": SESSION}),
        "search_memory" => json!({"query": "note", "session_id": SESSION}),
        "list_entities" => json!({"memory_id": 1}),
        "upsert_entity" | "get_entity" => json!({"name": "auth"}),
        "add_relation" => json!({"source": "auth", "target": "db", "relation_type": "uses"}),
        "maintenance" => json!({"action": "vacuum"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn invalid_arguments_are_refused_with_what_is_accepted() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "a note").await;
    let long = "a".repeat(limits::NAME_CHARS + 1);
    let deep = format!("{}1{}", "{\"a\":".repeat(40), "}".repeat(40));
    for (tool, wrong, expected) in [
        ("remember", json!({"content": ""}), "content is empty"),
        ("remember", json!({"content": " \n\t "}), "content is empty"),
        (
            "remember",
            json!({"content": "x".repeat(limits::TEXT_BYTES + 1)}),
            "content has 65537 bytes",
        ),
        ("remember", json!({"content": ["a", "b"]}), "content"),
        ("remember", json!({"tags": ["a", "b"]}), "tags"),
        ("remember", json!({"tags": "t".repeat(limits::TAG_CHARS + 1)}), "tags"),
        (
            "remember",
            json!({
                "tags": (0..=limits::TAGS).map(|n| n.to_string()).collect::<Vec<_>>().join(","),
            }),
            "tags",
        ),
        ("remember", json!({"summary": "s".repeat(limits::SUMMARY_CHARS + 1)}), "summary"),
        ("remember", json!({"kind": long}), "kind"),
        ("remember", json!({"session_id": long}), "session"),
        ("remember", json!({"session_id": 7}), "session_id"),
        ("remember", json!({"priority": "high"}), "priority"),
        ("remember", json!({"priority": 1.5}), "priority"),
        ("remember", json!({"metadata_json": {"ticket": "A-1"}}), "metadata_json"),
        ("remember", json!({"metadata_json": deep}), "metadata"),
        ("search_memory", json!({"query": "q".repeat(limits::QUERY_BYTES + 1)}), "query"),
        ("search_memory", json!({"query": ["a"]}), "query"),
        ("search_memory", json!({"limit": -1}), "limit must be between 1 and 100"),
        ("search_memory", json!({"limit": i64::MAX}), "limit must be between 1 and 100"),
        ("search_memory", json!({"limit": u64::MAX}), "limit"),
        ("search_memory", json!({"limit": 2.5}), "limit"),
        ("search_memory", json!({"top_p": 0}), "top_p must be greater than 0 and at most 1; got 0"),
        ("search_memory", json!({"top_p": -0.5}), "top_p must be greater than 0 and at most 1"),
        ("search_memory", json!({"top_p": 1.01}), "top_p must be greater than 0 and at most 1"),
        ("search_memory", json!({"top_p": "0.5"}), "top_p"),
        ("list_recent", json!({"limit": -20}), "limit must be between 1 and 100"),
        ("list_recent", json!({"limit": 101}), "limit must be between 1 and 100"),
        ("list_entities", json!({"memory_id": "1"}), "memory_id"),
        ("list_entities", json!({"memory_id": 0}), "no memory 0"),
        ("list_entities", json!({"memory_id": -1}), "no memory -1"),
        ("upsert_entity", json!({"name": " "}), "name is empty"),
        ("upsert_entity", json!({"name": "n".repeat(limits::ENTITY_NAME_CHARS + 1)}), "name"),
        ("upsert_entity", json!({"entity_type": long}), "has 201 characters"),
        ("upsert_entity", json!({"observations_json": ["a"]}), "observations_json"),
        ("upsert_entity", json!({"observations_json": "[\" \"]"}), "observation is empty"),
        ("upsert_entity", json!({"memory_id": 99}), "no memory 99"),
        ("add_relation", json!({"memory_id": 99}), "no memory 99"),
        ("add_relation", json!({"relation_type": long}), "relation has 201 characters"),
        ("get_entity", json!({"name": "🦀 nobody"}), "no entity `🦀 nobody`"),
        ("get_context_graph", json!({"limit": -1}), "limit must be between 1 and 100"),
        ("get_context_graph", json!({"limit": 101}), "limit must be between 1 and 100"),
        ("get_context_graph", json!({"query": 5}), "query"),
        ("maintenance", json!({"action": "VACUUM"}), "vacuum"),
        (
            "maintenance",
            json!({"action": "prune_older_than", "older_than_days": -1, "confirm": true}),
            "older_than_days",
        ),
        (
            "maintenance",
            json!({"action": "prune_older_than", "older_than_days": i64::MAX, "confirm": true}),
            "older_than_days",
        ),
        ("maintenance", json!({"action": "purge_all", "confirm": "yes"}), "confirm"),
        (
            "maintenance",
            json!({"action": "purge_session", "session_id": " ", "confirm": true}),
            "needs session_id",
        ),
    ] {
        let mut given = valid_arguments(tool);
        given.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let shown: String = wrong.to_string().chars().take(80).collect();
        let failure = fixture.call_refused(tool, given).await;
        assert!(failure.message.contains(expected), "{tool} {shown}: {failure}");
        assert!(failure.message.len() < 400, "{tool} {shown}: {failure}");
        let codes = [ErrorCode::InvalidArgument, ErrorCode::LimitExceeded, ErrorCode::NotFound];
        assert!(codes.contains(&failure.code), "{tool} {shown}: {failure}");
    }
    let counts = fixture.call("diagnostics", json!({})).await["counts"].clone();
    assert_eq!(
        (&counts["memories"], &counts["entities"], &counts["sessions"]),
        (&json!(1), &json!(0), &json!(1)),
        "nothing was written: {counts}"
    );
}

#[tokio::test]
async fn any_value_of_an_argument_yields_a_result_or_a_readable_error() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "a note").await;
    any_value_yields_a_result_or_an_error(&fixture, CodeMemory::default().tools(), valid_arguments)
        .await;
}

#[tokio::test]
async fn wrong_types_and_unknown_or_missing_arguments_are_refused_by_name() {
    let fixture = new_fixture().await;
    let dialect = CodeMemory::default();
    arguments_are_refused_by_name(&fixture, &dialect, valid_arguments).await;
    for tool in dialect.tools() {
        for needed in tool.input.get("required").and_then(Value::as_array).into_iter().flatten() {
            let mut given = valid_arguments(tool.name);
            given.as_object_mut().unwrap().remove(needed.as_str().unwrap());
            let failure = fixture.call_refused(tool.name, given).await;
            assert!(failure.message.contains(needed.as_str().unwrap()), "{}: {failure}", tool.name);
        }
    }
}

#[tokio::test]
async fn text_in_any_script_is_stored_and_found() {
    let fixture = new_fixture().await;
    let session = "会话:🦀 2026/01";
    for content in [
        "キャッシュは五分間有効です。",
        "Кэш живёт пять минут.",
        "ذاكرة التخزين خمس دقائق",
        "🦀🦀 `x\u{301}`\u{0}",
    ] {
        let stored =
            fixture.call("remember", json!({"content": content, "session_id": session})).await;
        assert_eq!(
            (&stored["session_id"], &stored["status"]),
            (&json!(session), &json!("stored")),
            "{content}"
        );
    }
    let found =
        fixture.search_with(json!({"query": "Кэш", "session_id": session, "top_p": 1})).await;
    assert_eq!(
        (found[0]["content"].as_str(), &found[0]["fts_hit"]),
        (Some("Кэш живёт пять минут."), &json!(true))
    );
}

#[tokio::test]
async fn a_session_name_may_be_a_number() {
    let fixture = new_fixture().await;
    for name in ["20260104", "007", "-1", "1.5"] {
        let stored = fixture
            .call("remember", json!({"content": format!("Made in {name}."), "session_id": name}))
            .await;
        assert_eq!(stored["session_id"], name);
        let found = fixture.search_with(json!({"query": "made", "session_id": name})).await;
        assert_eq!((found.len(), &found[0]["session_id"]), (1, &json!(name)));
    }
}

//! Answers that say what is so: the record that was written, SQL in PostgreSQL's words, a
//! collection that does not exist, sections that are granted, the thread of a conversation.

use super::new_fixture;
use model::{ConnectionId, ErrorCode};
use serde_json::json;

#[tokio::test]
async fn add_record_returns_the_record() {
    let fixture = new_fixture().await;
    let row = json!({"tableName": "meals", "data": {"food": "ramen", "calories": 600}});
    let answer = fixture.call("add_record", row).await;
    assert_eq!(answer["record"]["id"], answer["recordId"]);
    assert_eq!(
        (&answer["record"]["food"], &answer["record"]["calories"]),
        (&json!("ramen"), &json!(600))
    );
}

#[tokio::test]
async fn sql_may_be_in_the_words_of_postgresql() {
    let fixture = new_fixture().await;
    for (food, day) in [("Ramen", "2026-05-01"), ("Salad", "2026-04-02")] {
        let row = json!({"tableName": "meals", "data": {"food": food, "day": day}});
        fixture.call("add_record", row).await;
    }
    for (sql, expected) in [
        ("SELECT food::text FROM meals WHERE food ILIKE 'ra%'", json!(["Ramen"])),
        (
            "SELECT food FROM meals WHERE day > NOW() - INTERVAL '100 years' AND food ILIKE 's%'",
            json!(["Salad"]),
        ),
        (
            "SELECT food FROM meals WHERE date_trunc('month', day::date) = '2026-05-01T00:00:00Z'",
            json!(["Ramen"]),
        ),
    ] {
        let answer = fixture.call("recall", json!({ "sql": sql })).await;
        let found: Vec<_> = answer["records"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| row.as_object().unwrap().values().next().cloned())
            .collect();
        assert_eq!(json!(found), expected, "{sql}: {answer}");
    }
    let sql = "SELECT food FROM meals WHERE food SIMILAR TO 'R%'";
    let refused = fixture.call_refused("recall", json!({ "sql": sql })).await;
    assert!(refused.message.contains("CAST(x AS TEXT)"), "{refused}");
}

#[tokio::test]
async fn an_unknown_collection_is_not_found_with_the_nearest_name() {
    let fixture = new_fixture().await;
    let entry = json!({"collection": "journal", "text": "Rain all day."});
    fixture.call("save_memory", entry).await;
    let wrong = json!({"collection": "jurnal", "query": "rain"});
    let refused = fixture.call_refused("search_memory", wrong).await;
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert!(refused.message.contains("did you mean `journal`?"), "{refused}");
    let nothing = json!({"collection": "journal", "query": "quantum chromodynamics"});
    assert_eq!(fixture.call("search_memory", nothing).await["resultCount"], 0);
}

#[tokio::test]
async fn what_one_conversation_saves_is_a_thread_without_a_setting() {
    let fixture = new_fixture().await;
    let here = fixture.caller("claude").over_connection(ConnectionId::process("one"));
    let there = fixture.caller("claude").over_connection(ConnectionId::process("two"));
    for (caller, text) in [
        (&here, "Rain all day."),
        (&there, "The bakery was closed."),
        (&here, "In the evening the sun came out."),
    ] {
        let entry = json!({"collection": "journal", "text": text});
        fixture.try_call_as(caller, "save_memory", entry).await.unwrap();
    }
    let found = fixture.engine.memories().get(&here, &[1, 2, 3].map(model::MemoryId)).await;
    let sessions: Vec<_> = found.unwrap().iter().map(|memory| memory.session).collect();
    assert!(sessions[0].is_some() && sessions[0] == sessions[2], "{sessions:?}");
    assert_ne!(sessions[0], sessions[1]);
}

//! Rows in Quipu's own tools: a row and its memory are one thing, and rows are events.

use crate::fixture::DialectFixture;
use serde_json::{Value, json};

async fn log(fixture: &DialectFixture, text: &str, data: Value) -> Value {
    fixture.call("remember", json!({"text": text, "table": "meals", "data": data})).await
}

async fn rows(fixture: &DialectFixture) -> Value {
    fixture.call("tables", json!({"table": "meals"})).await["rows"].clone()
}

#[tokio::test]
async fn a_correction_of_the_memory_changes_the_row_and_says_so() {
    let fixture = DialectFixture::new().await;
    let data = json!({"food": "pizza", "calories": 800});
    let id = log(&fixture, "Pizza, 800 calories", data).await["id"].clone();
    let done = fixture.call("correct", json!({"id": id, "text": "Pizza, 650 calories"})).await;
    let note = done["notes"][0].as_str().unwrap();
    assert!(note.contains("row 1 of meals changes with it: calories"), "{note}");
    assert_eq!(rows(&fixture).await, json!([{"id": 1, "food": "pizza", "calories": 650}]));
    let vague = json!({"id": done["id"], "text": "We ate out"});
    let hidden = fixture.call("correct", vague).await;
    let note = hidden["notes"][0].as_str().unwrap();
    assert!(note.contains("is not shown") && note.contains("add the corrected row"), "{note}");
    assert_eq!(rows(&fixture).await, json!([]));
    assert_eq!(fixture.call("tables", json!({})).await["tables"][0]["rows"], 0);
}

#[tokio::test]
async fn an_update_of_the_row_changes_the_memory_and_the_graph() {
    let fixture = DialectFixture::new().await;
    log(&fixture, "", json!({"food": "pizza", "calories": 800})).await;
    let update = json!({"action": "update", "table": "meals", "id": 1, "data": {"food": "ramen"}});
    let changed = fixture.call("tables", update).await;
    let recalled = fixture.call("recall", json!({"query": "ramen meals"})).await;
    assert_eq!(recalled["memories"][0]["id"], changed["memory"]);
    let text = recalled["memories"].to_string();
    assert!(!text.contains("pizza"), "{text}");
}

#[tokio::test]
async fn equal_rows_are_kept_and_never_conflict() {
    let fixture = DialectFixture::new().await;
    for calories in [800, 650, 800] {
        let text = format!("Lunch was pizza with {calories} calories");
        let done = log(&fixture, &text, json!({"food": "pizza", "calories": calories})).await;
        assert_eq!((&done["happened"], done.get("conflicts")), (&json!("created"), None));
    }
    assert_eq!(rows(&fixture).await.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_row_of_a_known_name_is_added_with_a_hint() {
    let fixture = DialectFixture::new().await;
    let add = json!({"table": "contacts", "data": {"name": "Ada", "phone": "1"}});
    assert_eq!(fixture.call("remember", add.clone()).await.get("hint"), None);
    let hint = fixture.call("remember", add).await["hint"].clone();
    let hint = hint.as_str().unwrap();
    assert!(hint.contains("row 1 of contacts has the same name"), "{hint}");
    assert!(hint.contains("action update, id 1"), "{hint}");
}

#[tokio::test]
async fn numbers_as_texts_compare_as_numbers() {
    let fixture = DialectFixture::new().await;
    for calories in ["500", "1,200"] {
        log(&fixture, "", json!({ "calories": calories })).await;
    }
    let asked =
        json!({"table": "meals", "filters": {"calories": {"gt": 500}}, "order": "-calories"});
    let found = fixture.call("tables", asked).await;
    assert_eq!((&found["total"], &found["columns"]["calories"]), (&json!(1), &json!("integer")));
    let sql = json!({"sql": "SELECT sum(calories) AS all_of_them FROM meals WHERE calories > 100"});
    assert_eq!(fixture.call("tables", sql).await["rows"], json!([{"all_of_them": 1700}]));
}

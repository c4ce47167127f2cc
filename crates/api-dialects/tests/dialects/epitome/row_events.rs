//! Rows in Epitome's tools: events that never contradict each other, columns that compare as what
//! they say, and corrections that reach the row by either reference.

use super::new_fixture;
use crate::fixture::DialectFixture;
use serde_json::{Value, json};

async fn log(fixture: &DialectFixture, text: &str, category: &str, data: Value) -> Value {
    fixture.call("memorize", json!({"text": text, "category": category, "data": data})).await
}

async fn records(fixture: &DialectFixture, table: &str) -> Value {
    fixture.call("recall", json!({"mode": "table", "table": table})).await["records"].clone()
}

async fn sql(fixture: &DialectFixture, sql: &str) -> Value {
    fixture.call("recall", json!({"mode": "table", "sql": sql})).await["records"].clone()
}

#[tokio::test]
async fn two_meals_with_different_calories_are_no_contradiction() {
    let fixture = new_fixture().await;
    for calories in [800, 650, 700] {
        let text = format!("Lunch was pizza with {calories} calories");
        let data = json!({"food": "pizza", "calories": calories});
        let answer = log(&fixture, &text, "meals", data).await;
        assert_eq!(answer.get("contradictions"), None, "{answer}");
    }
    let review = fixture.call("review", json!({"action": "list"})).await;
    assert_eq!(review["contradictionCount"], 0);
    assert_eq!(records(&fixture, "meals").await.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_run_said_twice_keeps_both_distances() {
    let fixture = new_fixture().await;
    for km in [5, 8] {
        let given = json!({"text": "Morning run", "storage": "memory", "collection": "runs",
            "metadata": {"km": km}});
        let answer = fixture.call("memorize", given).await;
        assert_eq!(answer["message"], "saved to runs", "{answer}");
        log(&fixture, "Morning run", "training", json!({ "km": km })).await;
    }
    let found = fixture
        .call("search_memory", json!({"collection": "runs", "query": "run", "minSimilarity": 0}))
        .await;
    let shown = found["results"].to_string();
    assert!(shown.contains("\"km\":5") || shown.contains("\"alike\""), "{shown}");
    assert_eq!(sql(&fixture, "SELECT sum(km) AS km FROM training").await, json!([{"km": 13}]));
}

#[tokio::test]
async fn forgetting_a_log_does_not_refuse_the_same_log_tomorrow() {
    let fixture = new_fixture().await;
    let first = log(&fixture, "Morning run", "training", json!({"km": 5})).await;
    let gone = json!({"text": first["sourceRef"], "action": "delete"});
    assert_eq!(fixture.call("memorize", gone).await["receipt"]["records"], 1);
    let second = log(&fixture, "Morning run", "training", json!({"km": 5})).await;
    assert_eq!((&second["success"], &second["recordId"]), (&json!(true), &json!(2)));
}

#[tokio::test]
async fn correcting_a_row_by_its_memory_or_by_itself_changes_both() {
    let fixture = new_fixture().await;
    let data = json!({"food": "pizza", "calories": 800});
    let added = log(&fixture, "Pizza, 800 calories", "meals", data).await;
    let search = json!({"collection": "meals", "query": "pizza", "minSimilarity": 0});
    let memory = fixture.call("search_memory", search.clone()).await["results"][0].clone();
    let by_memory = json!({"text": "Pizza, 650 calories", "sourceRef": memory["sourceRef"]});
    let corrected = fixture.call("memorize", by_memory).await;
    assert!(corrected["warnings"][0].as_str().unwrap().contains("row 1 of meals"), "{corrected}");
    assert_eq!(records(&fixture, "meals").await[0]["calories"], 650);
    let by_row = json!({"text": "A light pizza", "sourceRef": added["sourceRef"],
        "data": {"calories": 500}});
    fixture.call("memorize", by_row).await;
    assert_eq!(records(&fixture, "meals").await[0]["calories"], 500);
    let found = fixture.call("search_memory", search).await["results"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let text = found[0]["text"].as_str().unwrap();
    assert!(text.starts_with("A light pizza") && text.contains("500"), "{text}");
    let unreadable = json!({"text": "We skipped lunch", "sourceRef": found[0]["sourceRef"]});
    let answer = fixture.call("memorize", unreadable).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("is not shown"), "{answer}");
    assert_eq!(records(&fixture, "meals").await, json!([]));
    let tables = fixture.call("list_tables", json!({})).await;
    assert_eq!(tables["tables"][0]["recordCount"], 0);
}

#[tokio::test]
async fn a_number_stored_as_a_text_is_a_number_in_filters_sql_and_the_schema() {
    let fixture = new_fixture().await;
    for calories in ["500", "1,200", "90"] {
        log(&fixture, "Ate", "meals", json!({ "calories": calories })).await;
    }
    let asked = json!({"mode": "table", "table": "meals",
        "filters": {"calories": {"gt": 500}}});
    let found = fixture.call("recall", asked).await;
    assert_eq!(
        (found["recordCount"].as_i64(), &found["records"][0]["calories"]),
        (Some(1), &json!("1,200")),
        "the row is as it was given"
    );
    assert_eq!(
        sql(&fixture, "SELECT calories FROM meals WHERE calories > 500").await,
        json!([{"calories": 1200}])
    );
    let tables = fixture.call("list_tables", json!({})).await;
    assert_eq!(tables["tables"][0]["columns"][0]["type"], "integer");
}

#[tokio::test]
async fn a_row_with_a_known_name_says_which_row_it_may_replace() {
    let fixture = new_fixture().await;
    log(&fixture, "Ada's number", "contacts", json!({"name": "Ada", "phone": "1"})).await;
    let again =
        log(&fixture, "Ada's number", "contacts", json!({"name": "Ada", "phone": "2"})).await;
    let warning = again["warnings"][0].as_str().unwrap();
    assert!(warning.contains("row 1 has the same name"), "{warning}");
    assert!(warning.contains("sourceRef tables/contacts#1"), "{warning}");
    assert_eq!(records(&fixture, "contacts").await.as_array().unwrap().len(), 2);
}

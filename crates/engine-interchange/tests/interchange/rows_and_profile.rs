//! Rows and the profile across an export and an import: rows stay with the memories that state
//! them, and recall says what the profile says afterwards.

use crate::fixture::{InterchangeFixture, me};
use engine::profile::{PROFILE_FIELD, PatchProfileRequest};
use engine::recall::RecallRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::tables::{QueryTableRequest, UpdateRowRequest};
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{export_jsonl, import_jsonl};
use model::{JsonMap, RecordId};
use serde_json::{Value, json};

fn map(value: Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

async fn export(fixture: &InterchangeFixture) -> String {
    let mut out = Vec::new();
    export_jsonl(&fixture.engine, &me(), &mut out, |_| ()).await.unwrap();
    String::from_utf8(out).unwrap()
}

async fn import(fixture: &InterchangeFixture, file: &str) -> ImportOutcome {
    let options = ImportOptions::default();
    let outcome = import_jsonl(&fixture.engine, &me(), file.as_bytes(), options, |_| ()).await;
    let check = fixture.engine.profile().check(&me()).await.unwrap();
    assert!(check.is_consistent(), "{check:?}");
    outcome.unwrap()
}

async fn patch(fixture: &InterchangeFixture, value: Value) {
    let input = PatchProfileRequest { patch: map(value), reason: None };
    fixture.engine.profile().patch(&me(), &input).await.unwrap();
}

async fn recalled(fixture: &InterchangeFixture, question: &str) -> Vec<String> {
    let found =
        fixture.engine.memories().recall(&me(), &RecallRequest::query(question)).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

async fn log(fixture: &InterchangeFixture, text: &str, data: Value) {
    fixture.clock.advance(60);
    let row = NewRow { table: "runs".into(), description: None, data: map(data) };
    let input = RememberRequest { row: Some(row), ..RememberRequest::text(text) };
    fixture.engine.memories().remember(&me(), &input).await.unwrap();
}

async fn kilometres(fixture: &InterchangeFixture) -> Vec<Value> {
    let query = QueryTableRequest { table: "runs".into(), ..QueryTableRequest::default() };
    let found = fixture.engine.tables().query(&me(), &query).await.unwrap();
    let mut all: Vec<Value> = found.rows.iter().map(|row| row.data["km"].clone()).collect();
    all.sort_by_key(Value::as_i64);
    all
}

#[tokio::test]
async fn an_imported_profile_without_memories_is_found_by_recall() {
    let fixture = InterchangeFixture::new().await;
    let family = json!([{"name": "Ravi", "age": 9}, {"name": "Leela", "allergies": ["peanuts"]}]);
    patch(&fixture, json!({ "family": family })).await;
    let file = export(&fixture).await;
    let bare: Vec<&str> =
        file.lines().filter(|line| !line.contains("\"collection\":\"profile\"")).collect();
    assert!(bare.len() < file.lines().count(), "the memories are left out");
    let other = InterchangeFixture::new().await;
    import(&other, &(bare.join("\n") + "\n")).await;
    let found = recalled(&other, "Leela allergies").await;
    assert_eq!(found[0], "Leela (family): allergies: peanuts");
}

#[tokio::test]
async fn a_file_brings_no_memories_of_another_profile() {
    let fixture = InterchangeFixture::new().await;
    patch(&fixture, json!({"location": {"city": "Lisbon"}, "diet": "vegan"})).await;
    let sentence = RememberRequest {
        collection: Some("profile".into()),
        metadata: map(json!({ PROFILE_FIELD: ["location.city"] })),
        ..RememberRequest::text("I moved to Lisbon last spring")
    };
    fixture.engine.memories().remember(&me(), &sentence).await.unwrap();
    let file = export(&fixture).await;
    let other = InterchangeFixture::new().await;
    patch(&other, json!({"location": {"city": "Porto"}})).await;
    import(&other, &file).await;
    let found = recalled(&other, "which city do I live in, location").await;
    assert!(found.iter().any(|text| text == "location city: Porto"), "{found:?}");
    assert!(found.iter().all(|text| !text.contains("Lisbon")), "{found:?}");
    assert!(recalled(&other, "diet").await.contains(&"diet: vegan".to_owned()));
}

#[tokio::test]
async fn equal_rows_are_imported_once_each() {
    let fixture = InterchangeFixture::new().await;
    for km in [5, 8, 5] {
        log(&fixture, "Morning run", json!({ "km": km })).await;
    }
    let file = export(&fixture).await;
    let other = InterchangeFixture::new().await;
    log(&other, "Morning run", json!({"km": 3})).await;
    for _ in 0..2 {
        import(&other, &file).await;
        assert_eq!(kilometres(&other).await, [json!(3), json!(5), json!(5), json!(8)]);
    }
    import(&fixture, &file).await;
    assert_eq!(export(&fixture).await, file);
}

#[tokio::test]
async fn a_changed_row_of_an_earlier_version_is_still_shown() {
    let fixture = InterchangeFixture::new().await;
    log(&fixture, "", json!({"km": 5})).await;
    let patch = map(json!({"km": 8}));
    let update = UpdateRowRequest { table: "runs".into(), row: RecordId(1), patch, text: None };
    fixture.engine.tables().update_row(&me(), &update).await.unwrap();
    let file = export(&fixture).await;
    // The earlier version left the row with the memory that it was first written with.
    let old = file.replace("\"memory\":2", "\"memory\":1");
    assert_ne!(old, file);
    for file in [file, old] {
        let other = InterchangeFixture::new().await;
        import(&other, &file).await;
        assert_eq!(kilometres(&other).await, [json!(8)]);
    }
}

//! A row, the memory that states it and the relations in it are one thing, whichever is changed.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::Caller;
use engine::correct::CorrectRequest;
use engine::entities::GraphPatternRequest;
use engine::forget::ForgetRequest;
use engine::maintenance::{RestoreAgentRequest, RetireAgentRequest};
use engine::remember::{NewRow, RememberOutcome, RememberRequest, RememberStatus};
use engine::review::{DecisionScope, FlagMemoryRequest, ResolveReviewRequest};
use engine::tables::{QueryTableRequest, SelectRequest, UpdateRowRequest};
use model::{ErrorCode, MemoryId, Record, RecordId, Resolution, Status};
use serde_json::{Value, json};

async fn log(fixture: &EngineFixture, by: &Caller, text: &str, data: Value) -> RememberOutcome {
    fixture.clock.advance(1);
    let row = NewRow { table: "meals".into(), description: None, data: fields(data) };
    let input = RememberRequest { row: Some(row), ..RememberRequest::text(text) };
    fixture.engine.memories().remember(by, &input).await.unwrap()
}

async fn pizza(fixture: &EngineFixture, by: &Caller) -> MemoryId {
    let data = json!({"food": "pizza", "calories": 800});
    log(fixture, by, "Pizza, 800 calories", data).await.id.unwrap()
}

async fn correct(
    fixture: &EngineFixture,
    by: &Caller,
    memory: MemoryId,
    text: &str,
) -> RememberOutcome {
    fixture.clock.advance(1);
    let input = CorrectRequest::new(memory, text);
    fixture.engine.memories().correct(by, &input).await.unwrap()
}

/// Returns the rows of the table as a listing, SQL and the catalogue give them, which must agree.
async fn rows(fixture: &EngineFixture) -> Vec<Record> {
    let (tables, codex) = (fixture.engine.tables(), agent("codex"));
    let query = QueryTableRequest { table: "meals".into(), ..QueryTableRequest::default() };
    let mut found = tables.query(&codex, &query).await.unwrap();
    found.rows.sort_by_key(|row| row.id);
    let sql = "SELECT id, calories FROM meals ORDER BY id".to_owned();
    let selected =
        tables.select(&codex, &SelectRequest { sql, tables: None, limit: None }).await.unwrap();
    let expected: Vec<Value> = found
        .rows
        .iter()
        .map(|row| json!([row.id.0, row.data.get("calories").cloned().unwrap_or_default()]))
        .collect();
    assert_eq!(json!(selected.rows), json!(expected), "a listing and SQL agree");
    let listed = tables.list(&codex).await.unwrap();
    assert_eq!((listed[0].rows, found.total), (found.rows.len(), found.rows.len()));
    found.rows
}

async fn calories(fixture: &EngineFixture) -> Vec<Value> {
    rows(fixture).await.iter().map(|row| row.data["calories"].clone()).collect()
}

#[tokio::test]
async fn correcting_the_memory_of_a_row_changes_the_row() {
    let fixture = EngineFixture::new().await;
    let memory = pizza(&fixture, &agent("codex")).await;
    let done = correct(&fixture, &agent("codex"), memory, "Pizza, 650 calories").await;
    let row = rows(&fixture).await.remove(0);
    assert_eq!(Value::Object(row.data), json!({"food": "pizza", "calories": 650}));
    assert_eq!((row.id, row.memory), (RecordId(1), done.id));
    assert!(done.notes[0].contains("row 1 of meals") && done.notes[0].contains("calories"));
    let rendered = "meals: food: soup, calories: 90";
    correct(&fixture, &agent("codex"), done.id.unwrap(), rendered).await;
    let row = rows(&fixture).await.remove(0);
    assert_eq!(Value::Object(row.data), json!({"food": "soup", "calories": 90}));
}

#[tokio::test]
async fn a_row_that_cannot_be_read_from_the_corrected_text_is_no_longer_shown() {
    let fixture = EngineFixture::new().await;
    let memory = pizza(&fixture, &agent("codex")).await;
    let done = correct(&fixture, &agent("codex"), memory, "We skipped lunch after all").await;
    assert!(rows(&fixture).await.is_empty());
    assert!(done.notes[0].contains("row 1 of meals is not shown"), "{:?}", done.notes);
    assert!(done.notes[0].contains("add the corrected row to meals"), "{:?}", done.notes);
    let patch = fields(json!({"calories": 1}));
    let update = UpdateRowRequest { table: "meals".into(), row: RecordId(1), patch, text: None };
    let tables = fixture.engine.tables();
    refused(tables.update_row(&agent("codex"), &update).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_row_follows_its_memory_out_of_use_and_back() {
    let fixture = EngineFixture::new().await;
    let memory = pizza(&fixture, &agent("codex")).await;
    let memories = fixture.engine.memories();
    memories.retire(&agent("codex"), &[memory]).await.unwrap();
    assert!(rows(&fixture).await.is_empty());
    memories.unretire(&owner(), &[memory]).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(800)]);
    let flag = FlagMemoryRequest { memory, reason: "I was not there".into() };
    let flagged = fixture.engine.reviews().flag(&agent("codex"), &flag).await.unwrap();
    let decide = ResolveReviewRequest {
        review: flagged.review,
        resolution: Resolution::Confirm,
        scope: DecisionScope::Item,
    };
    fixture.engine.reviews().resolve(&owner(), &decide).await.unwrap();
    assert_eq!(fixture.memory(memory).await.status, Status::Rejected);
    assert!(rows(&fixture).await.is_empty());
    fixture.engine.reviews().undo(&owner(), flagged.review).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(800)]);
    let forget = ForgetRequest { memories: vec![memory], ..ForgetRequest::default() };
    memories.forget(&agent("codex"), &forget).await.unwrap();
    assert!(rows(&fixture).await.is_empty());
}

#[tokio::test]
async fn a_correction_that_waits_for_review_changes_the_row_when_it_is_confirmed() {
    let fixture = EngineFixture::new().await;
    let memory = pizza(&fixture, &owner()).await;
    let done = correct(&fixture, &agent("codex"), memory, "Pizza, 650 calories").await;
    assert_eq!(
        (done.status, calories(&fixture).await),
        (RememberStatus::Proposed, vec![json!(800)])
    );
    let decide = ResolveReviewRequest {
        review: done.proposals[0],
        resolution: Resolution::Confirm,
        scope: DecisionScope::Item,
    };
    fixture.engine.reviews().resolve(&owner(), &decide).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(650)]);
    fixture.engine.reviews().undo(&owner(), done.proposals[0]).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(800)]);
}

#[tokio::test]
async fn a_row_that_a_new_row_replaces_is_no_longer_shown() {
    let fixture = EngineFixture::new().await;
    let memory = pizza(&fixture, &agent("codex")).await;
    let data = fields(json!({"food": "soup", "calories": 90}));
    let input = RememberRequest {
        row: Some(NewRow { table: "meals".into(), description: None, data }),
        supersedes: vec![memory],
        ..RememberRequest::text("It was soup")
    };
    fixture.engine.memories().remember(&agent("codex"), &input).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(90)]);
}

#[tokio::test]
async fn taking_back_what_an_agent_wrote_takes_back_its_change_of_a_row() {
    let fixture = EngineFixture::new().await;
    let memory = pizza(&fixture, &agent("codex")).await;
    fixture.clock.advance(60);
    let since = fixture.now();
    correct(&fixture, &agent("eve"), memory, "Pizza, 9,999 calories").await;
    assert_eq!(calories(&fixture).await, [json!(9999)]);
    let eve = agent("eve").author.agent;
    let retire = RetireAgentRequest { agent: eve.clone(), since, confirm: true };
    fixture.engine.admin().retire_agent(&owner(), &retire).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(800)]);
    let restore = RestoreAgentRequest { agent: eve, retired_at: None };
    fixture.engine.admin().restore_agent(&owner(), &restore).await.unwrap();
    assert_eq!(calories(&fixture).await, [json!(9999)]);
}

#[tokio::test]
async fn the_graph_follows_a_changed_row() {
    let fixture = EngineFixture::new().await;
    let data = json!({"food": "pizza", "restaurant": "Luigi"});
    let memory = log(&fixture, &agent("codex"), "", data).await.id.unwrap();
    let eaten = async || {
        let pattern = GraphPatternRequest::from_question("what did I eat?").unwrap();
        let found = fixture.engine.graph().graph_pattern(&agent("codex"), &pattern).await.unwrap();
        found.entities.into_iter().map(|entity| entity.name).collect::<Vec<_>>()
    };
    let visited = async || {
        let pattern = GraphPatternRequest::from_question("where did I eat?").unwrap();
        let found = fixture.engine.graph().graph_pattern(&agent("codex"), &pattern).await.unwrap();
        found.entities.into_iter().map(|entity| entity.name).collect::<Vec<_>>()
    };
    assert_eq!((eaten().await, visited().await), (vec!["pizza".into()], vec!["Luigi".into()]));
    let patch = fields(json!({"food": "ramen"}));
    let update = UpdateRowRequest { table: "meals".into(), row: RecordId(1), patch, text: None };
    let changed = fixture.engine.tables().update_row(&agent("codex"), &update).await.unwrap();
    assert_eq!((eaten().await, visited().await), (vec!["ramen".into()], vec!["Luigi".into()]));
    let current = changed.memory.unwrap();
    assert_ne!(current, memory);
    let rendered = "meals: food: sushi, restaurant: Luigi";
    correct(&fixture, &agent("codex"), current, rendered).await;
    assert_eq!((eaten().await, visited().await), (vec!["sushi".into()], vec!["Luigi".into()]));
}

#[tokio::test]
async fn an_updated_row_may_be_given_the_text_of_its_memory() {
    let fixture = EngineFixture::new().await;
    pizza(&fixture, &agent("codex")).await;
    let update = |text: &str| UpdateRowRequest {
        table: "meals".into(),
        row: RecordId(1),
        patch: fields(json!({"calories": 650})),
        text: Some(text.to_owned()),
    };
    let tables = fixture.engine.tables();
    let changed = tables.update_row(&agent("codex"), &update("A small pizza")).await.unwrap();
    assert_eq!(changed.changed, ["calories"]);
    assert_eq!(fixture.memory(changed.memory.unwrap()).await.text, "A small pizza");
    let reworded = tables.update_row(&agent("codex"), &update("A light pizza")).await.unwrap();
    assert!(reworded.changed.is_empty() && reworded.memory != changed.memory);
    let same = tables.update_row(&agent("codex"), &update("A light pizza")).await.unwrap();
    assert_eq!(same.memory, reworded.memory);
    assert_eq!(rows(&fixture).await[0].memory, reworded.memory);
}

//! Rows of a table are events: equal ones are two of them, and none contradicts another.

use crate::fixture::{EngineFixture, agent, fields};
use engine::forget::ForgetRequest;
use engine::remember::{NewRow, RememberOutcome, RememberRequest, RememberStatus};
use engine::review::ListReviewsRequest;
use engine::tables::{QueryTableRequest, RecordFilter, RowOrder, SelectRequest};
use model::{ColumnType, Failure, RecordId};
use serde_json::{Value, json};

async fn log(
    fixture: &EngineFixture,
    table: &str,
    text: &str,
    data: Value,
) -> Result<RememberOutcome, Failure> {
    fixture.clock.advance(1);
    let row = NewRow { table: table.into(), description: None, data: fields(data) };
    let input = RememberRequest { row: Some(row), ..RememberRequest::text(text) };
    fixture.engine.memories().remember(&agent("codex"), &input).await
}

async fn column(fixture: &EngineFixture, query: &QueryTableRequest, name: &str) -> Vec<Value> {
    let found = fixture.engine.tables().query(&agent("codex"), query).await.unwrap();
    found.rows.iter().map(|row| row.data[name].clone()).collect()
}

async fn select(fixture: &EngineFixture, sql: &str) -> Value {
    let input = SelectRequest { sql: sql.into(), tables: None, limit: None };
    json!(fixture.engine.tables().select(&agent("codex"), &input).await.unwrap().rows)
}

#[tokio::test]
async fn events_never_contradict_each_other() {
    let fixture = EngineFixture::new().await;
    let mut conflicts = 0;
    for (text, data) in [
        ("Lunch was pizza with 800 calories", json!({"food": "pizza", "calories": 800})),
        ("Lunch was pizza with 650 calories", json!({"food": "pizza", "calories": 650})),
        ("The lunch was not pizza", json!({"food": "soup"})),
    ] {
        conflicts += log(&fixture, "meals", text, data).await.unwrap().conflicts.len();
    }
    for dose in 1..=10 {
        let data = json!({"drug": "Ibuprofen", "dose_mg": 100 * dose});
        let text = format!("The dose of Ibuprofen is {} mg", 100 * dose);
        conflicts += log(&fixture, "doses", &text, data).await.unwrap().conflicts.len();
    }
    let note = RememberRequest::text("The dose of Ibuprofen is 5 mg");
    let noted = fixture.engine.memories().remember(&agent("codex"), &note).await.unwrap();
    assert_eq!((conflicts, noted.conflicts.len()), (0, 0));
    let open = ListReviewsRequest::default();
    assert_eq!(fixture.engine.reviews().list(&agent("codex"), &open).await.unwrap().total, 0);
}

#[tokio::test]
async fn equal_rows_are_two_events_each_with_its_memory() {
    let fixture = EngineFixture::new().await;
    let data = || json!({"activity": "run"});
    let first = log(&fixture, "runs", "Morning run", data()).await.unwrap();
    let second = log(&fixture, "runs", "Morning run", data()).await.unwrap();
    assert_eq!(second.status, RememberStatus::Created);
    assert_ne!((first.id, first.row), (second.id, second.row));
}

#[tokio::test]
async fn forgetting_one_of_two_equal_logs_does_not_refuse_the_next() {
    let fixture = EngineFixture::new().await;
    let data = || json!({"activity": "run"});
    let first = log(&fixture, "runs", "Morning run", data()).await.unwrap().id.unwrap();
    let second = log(&fixture, "runs", "Morning run", data()).await.unwrap().id.unwrap();
    for memory in [first, second] {
        let forget = ForgetRequest { memories: vec![memory], ..ForgetRequest::default() };
        fixture.engine.memories().forget(&agent("codex"), &forget).await.unwrap();
        log(&fixture, "runs", "Morning run", data()).await.unwrap();
    }
    let all = QueryTableRequest { table: "runs".into(), ..QueryTableRequest::default() };
    assert_eq!(column(&fixture, &all, "activity").await.len(), 2);
}

#[tokio::test]
async fn an_event_said_twice_keeps_both_metadata() {
    let fixture = EngineFixture::new().await;
    let run = async |km: i64| {
        let metadata = fields(json!({ "km": km }));
        let input = RememberRequest { metadata, ..RememberRequest::text("Morning run") };
        fixture.engine.memories().remember(&agent("codex"), &input).await.unwrap()
    };
    let (first, second) = (run(5).await, run(8).await);
    assert_eq!(second.status, RememberStatus::Created);
    for (done, km) in [(&first, 5), (&second, 8)] {
        assert_eq!(fixture.memory(done.id.unwrap()).await.metadata["km"], km);
    }
    let again = run(5).await;
    assert_eq!((again.status, again.id), (RememberStatus::Duplicate, first.id));
}

#[tokio::test]
async fn a_row_with_the_key_of_another_is_added_and_the_other_is_named() {
    let fixture = EngineFixture::new().await;
    let add = async |name: &str| {
        let data = json!({"name": name, "phone": "1"});
        log(&fixture, "contacts", "", data).await.unwrap()
    };
    assert_eq!(add("Ada").await.same_key, None);
    assert_eq!(add("Bo").await.same_key, None);
    let second = add("ada").await;
    let same = second.same_key.unwrap();
    assert_eq!((same.row, same.column.as_str()), (RecordId(1), "name"));
    assert_eq!(second.row.unwrap().1, RecordId(3), "it is added all the same");
    assert_eq!(add("Ada").await.same_key, None, "the name no longer stands once");
}

#[tokio::test]
async fn numbers_written_as_text_are_numbers_in_filters_order_and_sql() {
    let fixture = EngineFixture::new().await;
    for calories in ["500", "1,200", "90"] {
        log(&fixture, "meals", "", json!({"calories": calories, "vegan": "yes"})).await.unwrap();
    }
    let filtered = |filter: Value| QueryTableRequest {
        table: "meals".into(),
        filters: RecordFilter::parse(&fields(filter)).unwrap(),
        ..QueryTableRequest::default()
    };
    for (filter, expected) in [
        (json!({"calories": {"gt": 500}}), json!(["1,200"])),
        (json!({"calories": {"gt": "500"}}), json!(["1,200"])),
        (json!({"calories": {"lte": 500}}), json!(["90", "500"])),
        (json!({"calories": {"between": [100, 600]}}), json!(["500"])),
        (json!({"calories": 1200}), json!(["1,200"])),
        (json!({"calories": {"gt": 0}, "vegan": false}), json!([])),
    ] {
        let found = column(&fixture, &filtered(filter.clone()), "calories").await;
        assert_eq!(json!(found), expected, "{filter}");
    }
    let order = Some(RowOrder { column: "calories".into(), descending: false });
    let sorted = QueryTableRequest { order, ..filtered(json!({})) };
    assert_eq!(json!(column(&fixture, &sorted, "calories").await), json!(["90", "500", "1,200"]));
    assert_eq!(
        select(&fixture, "SELECT calories FROM meals WHERE calories > 500").await,
        json!([[1200]])
    );
    assert_eq!(select(&fixture, "SELECT sum(calories), max(vegan) FROM meals").await[0][0], 1790);
    assert_eq!(
        select(&fixture, "SELECT calories FROM meals WHERE calories = '90' AND vegan").await,
        json!([[90]])
    );
    let tables = fixture.engine.tables().list(&agent("codex")).await.unwrap();
    let kinds: Vec<_> = tables[0].columns.iter().map(|column| column.kind.compared_as()).collect();
    assert_eq!(kinds, [ColumnType::Integer, ColumnType::Boolean]);
}

#[tokio::test]
async fn one_value_that_is_no_number_leaves_the_column_a_text() {
    let fixture = EngineFixture::new().await;
    for calories in ["500", "1,200", "a lot"] {
        log(&fixture, "meals", "", json!({ "calories": calories })).await.unwrap();
    }
    let filters = RecordFilter::parse(&fields(json!({"calories": {"gt": 500}}))).unwrap();
    let query =
        QueryTableRequest { table: "meals".into(), filters, ..QueryTableRequest::default() };
    assert_eq!(column(&fixture, &query, "calories").await, [json!("1,200")]);
    assert_eq!(
        select(&fixture, "SELECT calories FROM meals WHERE calories = 'a lot'").await,
        json!([["a lot"]])
    );
    let tables = fixture.engine.tables().list(&agent("codex")).await.unwrap();
    assert_eq!(tables[0].columns[0].kind, ColumnType::Text);
}

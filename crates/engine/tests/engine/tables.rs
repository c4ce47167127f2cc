//! Tables: rows by structured filters, and single rows.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::tables::{QueryTableRequest, RecordFilter, RowOrder, UpdateRowRequest};
use model::{ErrorCode, MemoryId, OwnerId, Record, RecordId, Status};
use serde_json::{Value, json};
use store::{Change, ChangeResult, Ref};

/// Writes rows with their memories, bypassing the engine.
async fn rows(fixture: &EngineFixture, table: &str, data: &[Value]) -> Vec<(RecordId, MemoryId)> {
    let mut written = Vec::new();
    for row in data {
        fixture.clock.advance(1);
        let add = fixture.add_change("codex", &format!("{table}: {row}"), |add| {
            add.memory.collection = table.to_owned()
        });
        let (table, data, memory) = (table.to_owned(), fields(row.clone()), Some(Ref::ResultOf(0)));
        let made = fixture
            .write("codex", vec![add, Change::AddRecord { table, description: None, data, memory }])
            .await;
        let ChangeResult::Record(record) = made[1] else { panic!("a row, not {:?}", made[1]) };
        written.push((record, made[0].memory().unwrap()));
    }
    written
}

fn meals() -> Vec<Value> {
    vec![
        json!({"food": "Pizza", "calories": 800, "day": "2026-05-01"}),
        json!({"food": "Salad", "calories": 250, "day": "2026-05-02"}),
        json!({"food": "pizza bianca", "calories": 650.5, "day": "2026-05-03"}),
        json!({"food": "Soup", "calories": null, "day": "2026-05-03"}),
    ]
}

fn query(filters: Value) -> QueryTableRequest {
    let filters = RecordFilter::parse(&fields(filters)).unwrap();
    QueryTableRequest { table: "Meals".into(), filters, ..QueryTableRequest::default() }
}

async fn foods(fixture: &EngineFixture, query: &QueryTableRequest) -> Vec<String> {
    let found = fixture.engine.tables().query(&agent("codex"), query).await.unwrap();
    found.rows.iter().map(|row| row.data["food"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn rows_pass_every_filter_and_come_newest_first() {
    let fixture = EngineFixture::new().await;
    rows(&fixture, "meals", &meals()).await;
    for (filters, expected) in [
        (json!({}), vec!["Soup", "pizza bianca", "Salad", "Pizza"]),
        (json!({"food": {"contains": "pizza"}}), vec!["pizza bianca", "Pizza"]),
        (json!({"calories": {"gt": 250, "lte": 800}}), vec!["pizza bianca", "Pizza"]),
        (json!({"calories": null}), vec!["Soup"]),
        (json!({"food": ["Salad", "Soup"], "calories": {"null": false}}), vec!["Salad"]),
        (
            json!({"day": {"gte": "2026-05-02"}, "food": {"ne": "Soup"}}),
            vec!["pizza bianca", "Salad"],
        ),
    ] {
        assert_eq!(foods(&fixture, &query(filters.clone())).await, expected, "{filters}");
    }
}

#[tokio::test]
async fn rows_are_ordered_and_paged_and_counted() {
    let fixture = EngineFixture::new().await;
    rows(&fixture, "meals", &meals()).await;
    let by_calories = |descending| Some(RowOrder { column: "calories".into(), descending });
    let up = QueryTableRequest { order: by_calories(false), ..query(json!({})) };
    assert_eq!(foods(&fixture, &up).await, ["Salad", "pizza bianca", "Pizza", "Soup"]);
    let down = QueryTableRequest {
        order: by_calories(true),
        limit: Some(2),
        offset: 1,
        ..query(json!({}))
    };
    assert_eq!(foods(&fixture, &down).await, ["pizza bianca", "Salad"]);
    let found = fixture.engine.tables().query(&agent("codex"), &down).await.unwrap();
    assert_eq!((found.total, found.table.name.as_str()), (4, "meals"));
}

#[tokio::test]
async fn a_table_larger_than_a_page_is_searched_completely() {
    let fixture = EngineFixture::new().await;
    let row = |n: i64| Change::AddRecord {
        table: "steps".into(),
        description: None,
        data: fields(json!({"n": n, "odd": n % 2 == 1})),
        memory: None,
    };
    fixture.write("codex", (0..2_500).map(row).collect()).await;
    let mut wanted =
        QueryTableRequest { table: "steps".into(), limit: Some(3), ..QueryTableRequest::default() };
    wanted.filters = RecordFilter::parse(&fields(json!({"odd": true}))).unwrap();
    wanted.order = Some(RowOrder { column: "n".into(), descending: true });
    let found = fixture.engine.tables().query(&agent("codex"), &wanted).await.unwrap();
    let numbers: Vec<&Value> = found.rows.iter().map(|row| &row.data["n"]).collect();
    assert_eq!((numbers, found.total), (vec![&json!(2499), &json!(2497), &json!(2495)], 1_250));
    let everything = QueryTableRequest {
        table: "steps".into(),
        limit: Some(5_000),
        ..QueryTableRequest::default()
    };
    assert_eq!(
        fixture.engine.tables().query(&agent("codex"), &everything).await.unwrap().rows.len(),
        1_000
    );
}

#[tokio::test]
async fn an_unknown_name_is_refused_with_the_existing_ones() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let message = refused(
        fixture.engine.tables().query(&codex, &query(json!({}))).await,
        ErrorCode::NotFound,
    );
    assert!(message.contains("there are no tables yet"), "{message}");
    rows(&fixture, "meals", &meals()).await;
    let elsewhere = QueryTableRequest { table: "books".into(), ..QueryTableRequest::default() };
    let message =
        refused(fixture.engine.tables().query(&codex, &elsewhere).await, ErrorCode::NotFound);
    assert!(message.contains("existing tables: meals"), "{message}");
    let message = refused(
        fixture.engine.tables().query(&codex, &query(json!({"calorie": 1}))).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("no column `calorie`") && message.contains("calories"), "{message}");
    let tables = fixture.engine.tables().list(&codex).await.unwrap();
    assert_eq!(
        tables.iter().map(|table| (table.name.as_str(), table.rows)).collect::<Vec<_>>(),
        [("meals", 4)]
    );
}

#[tokio::test]
async fn an_updated_row_gets_a_new_memory_that_supersedes_the_old() {
    let fixture = EngineFixture::new().await;
    let (row, old) = rows(&fixture, "meals", &meals()[..1]).await[0];
    let update = |patch: Value| UpdateRowRequest {
        table: "meals".into(),
        row,
        patch: fields(patch),
        text: None,
    };
    let changed = fixture
        .engine
        .tables()
        .update_row(&agent("claude"), &update(json!({"calories": 900, "day": null})))
        .await;
    let changed = changed.unwrap();
    assert_eq!(changed.changed, ["calories", "day"]);
    assert_eq!(
        Value::Object(changed.record.data.clone()),
        json!({"food": "Pizza", "calories": 900})
    );
    assert_eq!(changed.superseded, [old]);
    let told = fixture.memory(changed.memory.unwrap()).await;
    assert!(
        told.text.starts_with("meals: ") && told.text.contains("calories: 900"),
        "{}",
        told.text
    );
    assert_eq!((told.status, told.collection.as_str()), (Status::Active, "meals"));
    assert_eq!(told.provenance.author.agent.as_str(), "claude");
    assert_eq!(fixture.memory(old).await.status, Status::Superseded);
    let again = fixture
        .engine
        .tables()
        .update_row(&agent("claude"), &update(json!({"calories": 950})))
        .await
        .unwrap();
    assert_eq!(again.superseded, [told.id], "the second update replaces the memory of the first");
    let same = fixture
        .engine
        .tables()
        .update_row(&agent("claude"), &update(json!({"calories": 950})))
        .await
        .unwrap();
    assert_eq!((same.changed.len(), same.memory), (0, again.memory));
}

#[tokio::test]
async fn a_row_cannot_be_emptied_and_an_unknown_one_is_not_found() {
    let fixture = EngineFixture::new().await;
    let (row, _) = rows(&fixture, "meals", &meals()[..1]).await[0];
    let patch = fields(json!({"food": null, "calories": null, "day": null}));
    let emptied = UpdateRowRequest { table: "meals".into(), row, patch, text: None };
    refused(
        fixture.engine.tables().update_row(&agent("codex"), &emptied).await,
        ErrorCode::InvalidArgument,
    );
    let unknown = UpdateRowRequest { row: RecordId(99), ..emptied };
    refused(
        fixture.engine.tables().update_row(&agent("codex"), &unknown).await,
        ErrorCode::NotFound,
    );
    refused(
        fixture.engine.tables().delete_row(&agent("codex"), "meals", RecordId(99)).await,
        ErrorCode::NotFound,
    );
}

#[tokio::test]
async fn deleting_a_row_retires_its_memory() {
    let fixture = EngineFixture::new().await;
    let (row, memory) = rows(&fixture, "meals", &meals()[..1]).await[0];
    let deleted = fixture.engine.tables().delete_row(&agent("codex"), "meals", row).await.unwrap();
    assert_eq!((deleted.record.id, deleted.retired), (row, vec![memory]));
    assert_eq!(fixture.memory(memory).await.status, Status::Retired);
    let left: Option<Record> = fixture.store.record(&OwnerId::me(), "meals", row).await.unwrap();
    assert_eq!(left, None);
}

#[tokio::test]
async fn a_row_of_a_rejected_memory_is_not_returned() {
    let fixture = EngineFixture::new().await;
    let written = rows(&fixture, "meals", &meals()).await;
    let (row, memory) = written[0];
    fixture
        .write(
            "codex",
            vec![Change::SetStatus { memory: Ref::Id(memory), status: Status::Rejected }],
        )
        .await;
    assert_eq!(
        foods(&fixture, &query(json!({"food": {"contains": "pizza"}}))).await,
        ["pizza bianca"]
    );
    refused(
        fixture.engine.tables().delete_row(&agent("codex"), "meals", row).await,
        ErrorCode::NotFound,
    );
}

#[tokio::test]
async fn an_agent_does_not_overwrite_a_row_that_the_owner_typed() {
    let fixture = EngineFixture::new().await;
    let mut input = engine::remember::RememberRequest::text("");
    let data = fields(json!({"title": "Dune", "rating": 5}));
    input.row = Some(engine::remember::NewRow { table: "books".into(), description: None, data });
    let (_, row) = fixture.engine.memories().remember(&owner(), &input).await.unwrap().row.unwrap();
    let patch = |rating: u8| UpdateRowRequest {
        table: "books".into(),
        row,
        patch: fields(json!({"rating": rating})),
        text: None,
    };
    let message = refused(
        fixture.engine.tables().update_row(&agent("codex"), &patch(1)).await,
        ErrorCode::Conflict,
    );
    assert!(message.contains("row 1 of books was typed by me"), "{message}");
    let changed = fixture.engine.tables().update_row(&owner(), &patch(4)).await.unwrap();
    assert_eq!(
        (changed.changed, &changed.record.data["rating"]),
        (vec!["rating".to_owned()], &json!(4))
    );
}

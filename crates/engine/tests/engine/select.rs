//! SQL over tables: correct results, up to date with the store, over nothing but tables.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::tables::{SelectRequest, SelectResults, UpdateRowRequest};
use model::{ColumnType, ErrorCode, Failure, OwnerId, RecordId, Status};
use serde_json::{Value, json};
use store::{Change, ChangeResult, Ref};

fn row(table: &str, data: Value) -> Change {
    Change::AddRecord { table: table.into(), description: None, data: fields(data), memory: None }
}

async fn filled_fixture() -> EngineFixture {
    let fixture = EngineFixture::new().await;
    let rows = vec![
        row("meals", json!({"food": "Pizza", "calories": 800, "day": "2026-05-01"})),
        row("meals", json!({"food": "Salad", "calories": 250, "day": "2026-05-02"})),
        row("books", json!({"title": "Dune", "pages": 612})),
    ];
    fixture.write("codex", rows).await;
    fixture
}

async fn select(fixture: &EngineFixture, sql: &str) -> Result<SelectResults, Failure> {
    fixture
        .engine
        .tables()
        .select(&agent("codex"), &SelectRequest { sql: sql.into(), ..SelectRequest::default() })
        .await
}

async fn rows(fixture: &EngineFixture, sql: &str) -> Value {
    json!(select(fixture, sql).await.unwrap().rows)
}

#[tokio::test]
async fn a_select_returns_typed_rows_and_the_tables_it_read() {
    let fixture = filled_fixture().await;
    let sql = "SELECT food, calories FROM Meals ORDER BY calories";
    let selected = select(&fixture, sql).await.unwrap();
    assert_eq!(json!(selected.records()[0]), json!({"food": "Salad", "calories": 250}));
    assert_eq!((selected.columns[1].kind, selected.truncated), (ColumnType::Integer, false));
    assert_eq!(selected.tables, ["meals"]);
    let both = select(&fixture, "SELECT count(*) FROM meals, books").await.unwrap();
    assert_eq!(
        (json!(both.rows), both.tables),
        (json!([[2]]), vec!["books".into(), "meals".into()])
    );
}

#[tokio::test]
async fn the_next_select_sees_every_change() {
    let fixture = filled_fixture().await;
    let sql = "SELECT group_concat(food, ' ') FROM (SELECT food FROM meals ORDER BY id)";
    assert_eq!(rows(&fixture, sql).await, json!([["Pizza Salad"]]));
    fixture.write("codex", vec![row("meals", json!({"food": "Soup", "salt": 1.5}))]).await;
    assert_eq!(rows(&fixture, sql).await, json!([["Pizza Salad Soup"]]));
    assert_eq!(rows(&fixture, "SELECT salt FROM meals WHERE food = 'Soup'").await, json!([[1.5]]));
    let patch = fields(json!({"food": "Calzone"}));
    let update = UpdateRowRequest { table: "meals".into(), row: RecordId(1), patch, text: None };
    fixture.engine.tables().update_row(&agent("claude"), &update).await.unwrap();
    fixture.engine.tables().delete_row(&owner(), "meals", RecordId(2)).await.unwrap();
    assert_eq!(rows(&fixture, sql).await, json!([["Calzone Soup"]]));
    fixture.write("codex", vec![row("teas", json!({"leaf": "Assam"}))]).await;
    assert_eq!(rows(&fixture, "SELECT leaf FROM teas").await, json!([["Assam"]]));
    let twin = fixture.reopen(None);
    let elsewhere = SelectRequest { sql: sql.into(), ..SelectRequest::default() };
    assert_eq!(
        json!(twin.tables().select(&agent("cursor"), &elsewhere).await.unwrap().rows),
        json!([["Calzone Soup"]])
    );
}

#[tokio::test]
async fn a_row_of_a_retired_memory_is_not_selected() {
    let fixture = EngineFixture::new().await;
    let mut told = vec![fixture.add_change("codex", "meals: food: Pizza", |_| ())];
    told.push(Change::AddRecord {
        table: "meals".into(),
        description: None,
        data: fields(json!({"food": "Pizza"})),
        memory: Some(Ref::ResultOf(0)),
    });
    let made = fixture.write("codex", told).await;
    let ChangeResult::Memory { .. } = made[0] else { panic!("{made:?}") };
    let memory = made[0].memory().unwrap();
    let sql = "SELECT count(*) FROM meals";
    assert_eq!(rows(&fixture, sql).await, json!([[1]]));
    for (status, left) in [(Status::Retired, 0), (Status::Active, 1), (Status::Rejected, 0)] {
        fixture.write("codex", vec![Change::SetStatus { memory: Ref::Id(memory), status }]).await;
        assert_eq!(rows(&fixture, sql).await, json!([[left]]), "{status:?}");
    }
    fixture.write("codex", vec![Change::Forget { memories: vec![memory] }]).await;
    assert_eq!(rows(&fixture, sql).await, json!([[0]]));
}

#[tokio::test]
async fn only_tables_can_be_selected_from() {
    let fixture = filled_fixture().await;
    fixture.add("codex", "a memory that no SQL reaches", |_| ()).await;
    for table in
        ["memories", "grants", "audit", "records", "sqlite_schema", "main.tables", "settings"]
    {
        let message = refused(
            select(&fixture, &format!("SELECT * FROM {table}")).await,
            ErrorCode::InvalidArgument,
        );
        assert!(message.contains("you may read: books, meals"), "{table}: {message}");
    }
}

#[tokio::test]
async fn a_select_can_be_restricted_to_some_tables() {
    let fixture = filled_fixture().await;
    let only = |sql: &str, tables: &[&str]| SelectRequest {
        sql: sql.into(),
        tables: Some(tables.iter().map(|name| (*name).to_owned()).collect()),
        limit: None,
    };
    let codex = agent("codex");
    let kept = fixture
        .engine
        .tables()
        .select(&codex, &only("SELECT title FROM books", &["Books"]))
        .await
        .unwrap();
    assert_eq!(json!(kept.rows), json!([["Dune"]]));
    let strayed =
        fixture.engine.tables().select(&codex, &only("SELECT food FROM meals", &["books"])).await;
    refused(strayed, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn rows_past_the_limit_are_cut_off_and_reported() {
    let fixture = filled_fixture().await;
    let one = SelectRequest {
        sql: "SELECT food FROM meals ORDER BY id".into(),
        tables: None,
        limit: Some(1),
    };
    let selected = fixture.engine.tables().select(&agent("codex"), &one).await.unwrap();
    assert_eq!((json!(selected.rows), selected.truncated), (json!([["Pizza"]]), true));
}

#[tokio::test]
async fn concurrent_selects_each_get_their_own_result() {
    let fixture = filled_fixture().await;
    let asking = (0..32).map(|number| {
        let engine = std::sync::Arc::clone(&fixture.engine);
        tokio::spawn(async move {
            let sql = format!("SELECT {number}, count(*) FROM meals");
            let selected = engine
                .tables()
                .select(&agent("codex"), &SelectRequest { sql, ..SelectRequest::default() })
                .await
                .unwrap();
            assert_eq!(json!(selected.rows), json!([[number, 2]]));
        })
    });
    for asked in asking.collect::<Vec<_>>() {
        asked.await.unwrap();
    }
}

/// Returns the single-line statements of the sandbox's corpus of attacks, without those that only
/// run long.
fn attacks() -> impl Iterator<Item = String> {
    let corpus = include_str!("../../../store-sandbox/tests/sandbox/attacks.txt");
    let short = corpus.lines().take_while(|line| !line.starts_with("== stopped"));
    let attacks =
        short.filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("=="));
    attacks
        .filter(|line| !line.contains("{"))
        .map(|line| line.replace("\\n", "\n").replace("\\0", "\0"))
}

#[tokio::test]
async fn no_attack_reaches_a_memory_or_changes_the_store() {
    let fixture = filled_fixture().await;
    let canary = "the canary sings at noon";
    fixture.add("codex", canary, |add| add.memory.title = Some(canary.into())).await;
    let (seq, files) = (fixture.store.seq(&OwnerId::me()).await.unwrap(), fixture.files());
    for sql in attacks() {
        let told = match select(&fixture, &sql).await {
            Ok(selected) => json!(selected.rows).to_string(),
            Err(failure) => {
                assert_ne!(failure.code, ErrorCode::Internal, "{sql}: {failure}");
                failure.message
            }
        };
        assert!(!told.contains("canary"), "{sql}: {told}");
    }
    assert_eq!(fixture.store.seq(&OwnerId::me()).await.unwrap(), seq);
    assert_eq!(fixture.files(), files);
}

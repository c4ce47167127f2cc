//! SQL over tables: correct results, up to date with the store, over nothing but tables.

use crate::fixture::{House, agent, fields, refused};
use engine::tables::{Select, Selected, UpdateRow};
use model::{ColumnType, ErrorCode, Failure, OwnerId, RecordId, Status};
use serde_json::{Value, json};
use store::{Change, Made, Ref};

fn row(table: &str, data: Value) -> Change {
    Change::AddRecord { table: table.into(), description: None, data: fields(data), memory: None }
}

async fn furnished() -> House {
    let house = House::new().await;
    let rows = vec![
        row("meals", json!({"food": "Pizza", "calories": 800, "day": "2026-05-01"})),
        row("meals", json!({"food": "Salad", "calories": 250, "day": "2026-05-02"})),
        row("books", json!({"title": "Dune", "pages": 612})),
    ];
    house.write("codex", rows).await;
    house
}

async fn select(house: &House, sql: &str) -> Result<Selected, Failure> {
    house
        .engine
        .tables()
        .select(&agent("codex"), &Select { sql: sql.into(), ..Select::default() })
        .await
}

async fn rows(house: &House, sql: &str) -> Value {
    json!(select(house, sql).await.unwrap().rows)
}

#[tokio::test]
async fn a_select_gives_typed_rows_and_says_what_it_read() {
    let house = furnished().await;
    let sql = "SELECT food, calories FROM Meals ORDER BY calories";
    let selected = select(&house, sql).await.unwrap();
    assert_eq!(json!(selected.records()[0]), json!({"food": "Salad", "calories": 250}));
    assert_eq!((selected.columns[1].kind, selected.truncated), (ColumnType::Integer, false));
    assert_eq!(selected.tables, ["meals"]);
    let both = select(&house, "SELECT count(*) FROM meals, books").await.unwrap();
    assert_eq!(
        (json!(both.rows), both.tables),
        (json!([[2]]), vec!["books".into(), "meals".into()])
    );
}

#[tokio::test]
async fn the_next_select_sees_every_change() {
    let house = furnished().await;
    let sql = "SELECT group_concat(food, ' ') FROM (SELECT food FROM meals ORDER BY id)";
    assert_eq!(rows(&house, sql).await, json!([["Pizza Salad"]]));
    house.write("codex", vec![row("meals", json!({"food": "Soup", "salt": 1.5}))]).await;
    assert_eq!(rows(&house, sql).await, json!([["Pizza Salad Soup"]]));
    assert_eq!(rows(&house, "SELECT salt FROM meals WHERE food = 'Soup'").await, json!([[1.5]]));
    let patch = fields(json!({"food": "Calzone"}));
    let update = UpdateRow { table: "meals".into(), row: RecordId(1), patch };
    house.engine.tables().update_row(&agent("claude"), &update).await.unwrap();
    house.engine.tables().delete_row(&agent("claude"), "meals", RecordId(2)).await.unwrap();
    assert_eq!(rows(&house, sql).await, json!([["Calzone Soup"]]));
    house.write("codex", vec![row("teas", json!({"leaf": "Assam"}))]).await;
    assert_eq!(rows(&house, "SELECT leaf FROM teas").await, json!([["Assam"]]));
    let twin = house.twin(None);
    let elsewhere = Select { sql: sql.into(), ..Select::default() };
    assert_eq!(
        json!(twin.tables().select(&agent("cursor"), &elsewhere).await.unwrap().rows),
        json!([["Calzone Soup"]])
    );
}

#[tokio::test]
async fn a_row_whose_memory_was_taken_out_of_use_is_not_selected() {
    let house = House::new().await;
    let mut told = vec![house.adding("codex", "meals: food: Pizza", |_| ())];
    told.push(Change::AddRecord {
        table: "meals".into(),
        description: None,
        data: fields(json!({"food": "Pizza"})),
        memory: Some(Ref::Made(0)),
    });
    let made = house.write("codex", told).await;
    let Made::Memory { .. } = made[0] else { panic!("{made:?}") };
    let memory = made[0].memory().unwrap();
    let sql = "SELECT count(*) FROM meals";
    assert_eq!(rows(&house, sql).await, json!([[1]]));
    for (status, left) in [(Status::Retired, 0), (Status::Active, 1), (Status::Rejected, 0)] {
        house.write("codex", vec![Change::SetStatus { memory: Ref::Id(memory), status }]).await;
        assert_eq!(rows(&house, sql).await, json!([[left]]), "{status:?}");
    }
    house.write("codex", vec![Change::Forget { memories: vec![memory] }]).await;
    assert_eq!(rows(&house, sql).await, json!([[0]]));
}

#[tokio::test]
async fn nothing_but_tables_is_there_to_select_from() {
    let house = furnished().await;
    house.add("codex", "a memory that no SQL reaches", |_| ()).await;
    for table in
        ["memories", "grants", "audit", "records", "sqlite_schema", "main.tables", "settings"]
    {
        let message = refused(
            select(&house, &format!("SELECT * FROM {table}")).await,
            ErrorCode::InvalidArgument,
        );
        assert!(message.contains("you may read: books, meals"), "{table}: {message}");
    }
}

#[tokio::test]
async fn a_select_may_be_kept_to_some_tables() {
    let house = furnished().await;
    let only = |sql: &str, tables: &[&str]| Select {
        sql: sql.into(),
        tables: Some(tables.iter().map(|name| (*name).to_owned()).collect()),
        limit: None,
    };
    let codex = agent("codex");
    let kept = house
        .engine
        .tables()
        .select(&codex, &only("SELECT title FROM books", &["Books"]))
        .await
        .unwrap();
    assert_eq!(json!(kept.rows), json!([["Dune"]]));
    let strayed =
        house.engine.tables().select(&codex, &only("SELECT food FROM meals", &["books"])).await;
    refused(strayed, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn more_rows_than_asked_for_are_cut_off_and_told() {
    let house = furnished().await;
    let one =
        Select { sql: "SELECT food FROM meals ORDER BY id".into(), tables: None, limit: Some(1) };
    let selected = house.engine.tables().select(&agent("codex"), &one).await.unwrap();
    assert_eq!((json!(selected.rows), selected.truncated), (json!([["Pizza"]]), true));
}

#[tokio::test]
async fn many_selects_at_once_each_get_their_own_answer() {
    let house = furnished().await;
    let asking = (0..32).map(|number| {
        let engine = std::sync::Arc::clone(&house.engine);
        tokio::spawn(async move {
            let sql = format!("SELECT {number}, count(*) FROM meals");
            let selected = engine
                .tables()
                .select(&agent("codex"), &Select { sql, ..Select::default() })
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
    let house = furnished().await;
    let canary = "the canary sings at noon";
    house.add("codex", canary, |add| add.memory.title = Some(canary.into())).await;
    let (seq, files) = (house.store.seq(&OwnerId::me()).await.unwrap(), house.files());
    for sql in attacks() {
        let told = match select(&house, &sql).await {
            Ok(selected) => json!(selected.rows).to_string(),
            Err(failure) => {
                assert_ne!(failure.code, ErrorCode::Internal, "{sql}: {failure}");
                failure.message
            }
        };
        assert!(!told.contains("canary"), "{sql}: {told}");
    }
    assert_eq!(house.store.seq(&OwnerId::me()).await.unwrap(), seq);
    assert_eq!(house.files(), files);
}

//! Records: tables and columns are created on first use, types widen, each table numbers its rows.

use super::builders::{fields, moment, record, remember};
use super::fixture::StoreFixture;
use model::{Column, ColumnType, ErrorCode, Record, RecordId, Seq, Status, Table, limits};
use serde_json::{Value, json};
use store::{Change, ChangeResult, RecordChange, Ref};

async fn add(at: &StoreFixture, seconds: i64, table: &str, data: Value) -> RecordId {
    match at.apply_at(seconds, record(table, data)).await {
        ChangeResult::Record(id) => id,
        other => panic!("expected a row, got {other:?}"),
    }
}

async fn read(at: &StoreFixture, table: &str, id: RecordId) -> Option<Record> {
    at.store.record(&at.owner, table, id).await.unwrap()
}

async fn table(at: &StoreFixture, name: &str) -> Table {
    let tables = at.store.tables(&at.owner).await.unwrap();
    tables.into_iter().find(|table| table.name == name).expect("the table exists")
}

fn update(table: &str, record: RecordId, patch: Value) -> Change {
    Change::UpdateRecord { table: table.to_owned(), record, patch: fields(patch) }
}

pub async fn a_row_reads_back_with_its_memory(at: &StoreFixture) {
    let data = fields(json!({"food": "pizza", "kcal": 800, "tags": ["late"], "note": null}));
    let results = at
        .write_at(
            3,
            vec![
                remember("ate pizza"),
                Change::AddRecord {
                    table: "meals".into(),
                    description: None,
                    data: data.clone(),
                    memory: Some(Ref::ResultOf(0)),
                },
            ],
        )
        .await
        .results;
    let (memory, ChangeResult::Record(id)) = (results[0].memory(), &results[1]) else {
        panic!("expected a row, got {:?}", results[1])
    };
    let (created_at, updated_at) = (moment(3), moment(3));
    let expected = Record { id: *id, table: "meals".into(), data, memory, created_at, updated_at };
    assert_eq!(read(at, "meals", *id).await.as_ref(), Some(&expected));
    assert_eq!(at.store.records_of_memory(&at.owner, memory.unwrap()).await.unwrap(), [expected]);
}

pub async fn a_table_appears_with_its_first_row_and_widens(at: &StoreFixture) {
    assert!(at.store.tables(&at.owner).await.unwrap().is_empty());
    add(at, 1, "meals", json!({"kcal": 800, "day": "2026-05-03"})).await;
    add(at, 2, "meals", json!({"kcal": 80.5, "food": "tea"})).await;
    add(at, 3, "meals", json!({"day": "yesterday", "kcal": null})).await;
    let meals = table(at, "meals").await;
    let column = |name: &str, kind| Column { name: name.into(), kind };
    let mut columns = meals.columns.clone();
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    let expected = [
        column("day", ColumnType::Text),
        column("food", ColumnType::Text),
        column("kcal", ColumnType::Number),
    ];
    assert_eq!(columns, expected);
    assert_eq!(meals.columns[2].name, "food", "columns keep the order in which they appeared");
    assert_eq!((meals.rows, meals.created_at, meals.updated_at), (3, moment(1), moment(3)));
}

pub async fn a_description_is_stored_when_the_table_has_none(at: &StoreFixture) {
    let described = |description: Option<&str>| Change::AddRecord {
        table: "meals".into(),
        description: description.map(str::to_owned),
        data: fields(json!({"food": "tea"})),
        memory: None,
    };
    at.write(vec![
        described(None),
        described(Some("what I ate")),
        described(Some("something else")),
        described(None),
    ])
    .await;
    assert_eq!(table(at, "meals").await.description.as_deref(), Some("what I ate"));
}

pub async fn tables_are_listed_by_name(at: &StoreFixture) {
    for name in ["meals", "books", "walks"] {
        add(at, 1, name, json!({"n": 1})).await;
    }
    let names: Vec<String> =
        at.store.tables(&at.owner).await.unwrap().into_iter().map(|table| table.name).collect();
    assert_eq!(names, ["books", "meals", "walks"]);
}

pub async fn each_table_counts_its_own_rows(at: &StoreFixture) {
    let meal = add(at, 1, "meals", json!({"n": 1})).await;
    let book = add(at, 1, "books", json!({"n": 2})).await;
    assert_eq!(meal, book);
    assert_eq!(read(at, "books", book).await.unwrap().data, fields(json!({"n": 2})));
    let next = add(at, 2, "meals", json!({"n": 3})).await;
    assert!(next > meal);
    assert_eq!(read(at, "books", next).await, None);
}

pub async fn a_row_id_is_never_assigned_twice(at: &StoreFixture) {
    add(at, 1, "meals", json!({"n": 1})).await;
    let last = add(at, 1, "meals", json!({"n": 2})).await;
    at.write_at(5, vec![Change::DeleteRecord { table: "meals".into(), record: last }]).await;
    assert_eq!(read(at, "meals", last).await, None);
    assert!(add(at, 6, "meals", json!({"n": 3})).await > last);
    assert_eq!(table(at, "meals").await.rows, 2);
}

pub async fn a_table_outlives_its_rows(at: &StoreFixture) {
    let id = add(at, 1, "meals", json!({"n": 1})).await;
    at.write_at(5, vec![Change::DeleteRecord { table: "meals".into(), record: id }]).await;
    let meals = table(at, "meals").await;
    assert_eq!((meals.rows, meals.updated_at), (0, moment(5)));
}

pub async fn an_update_merges_and_widens(at: &StoreFixture) {
    let id =
        add(at, 1, "meals", json!({"food": "tea", "kcal": 5, "with": {"milk": true, "sugar": 1}}))
            .await;
    at.write_at(
        8,
        vec![update("meals", id, json!({"kcal": 5.5, "food": null, "with": {"sugar": null}}))],
    )
    .await;
    let row = read(at, "meals", id).await.unwrap();
    assert_eq!(row.data, fields(json!({"kcal": 5.5, "with": {"milk": true}})));
    assert_eq!((row.created_at, row.updated_at), (moment(1), moment(8)));
    let meals = table(at, "meals").await;
    let kcal = meals.columns.iter().find(|column| column.name == "kcal").unwrap();
    assert_eq!((kcal.kind, meals.updated_at), (ColumnType::Number, moment(8)));
}

pub async fn deleting_a_row_leaves_its_memory(at: &StoreFixture) {
    let memory = at.remember("ate pizza").await;
    let new = Change::AddRecord {
        table: "meals".into(),
        description: None,
        data: fields(json!({"food": "pizza"})),
        memory: Some(Ref::Id(memory)),
    };
    let ChangeResult::Record(id) = at.apply(new).await else { panic!("expected a row") };
    at.write(vec![Change::DeleteRecord { table: "meals".into(), record: id }]).await;
    assert_eq!(at.memory(memory).await.text, "ate pizza");
    assert!(at.store.records_of_memory(&at.owner, memory).await.unwrap().is_empty());
}

pub async fn rows_are_paged_by_id(at: &StoreFixture) {
    let rows = limits::PAGE_ITEMS + 5;
    at.write((0..rows).map(|n| record("meals", json!({"n": n}))).collect()).await;
    let (mut after, mut seen) = (RecordId(0), Vec::new());
    loop {
        let page = at.store.records(&at.owner, "meals", after, usize::MAX).await.unwrap();
        assert!(page.len() <= limits::PAGE_ITEMS);
        let Some(last) = page.last() else { break };
        after = last.id;
        seen.extend(page.iter().map(|row| row.data["n"].as_u64().unwrap()));
    }
    assert_eq!(seen, (0..rows as u64).collect::<Vec<_>>());
    assert_eq!(at.store.records(&at.owner, "meals", RecordId(0), 3).await.unwrap().len(), 3);
    assert!(at.store.records(&at.owner, "books", RecordId(0), 3).await.unwrap().is_empty());
}

/// Returns the rows that changed after a sequence number, with the field `n` of those that exist.
async fn changed_rows(at: &StoreFixture, since: Seq) -> Vec<(RecordId, Option<Value>)> {
    let changes =
        at.store.record_changes(&at.owner, "meals", since, RecordId(0), 100).await.unwrap();
    let rows = changes
        .into_iter()
        .map(|change| (change.id, change.record.map(|row| row.data["n"].clone())));
    rows.collect()
}

pub async fn rows_that_changed_after_a_sequence_number_are_returned(at: &StoreFixture) {
    let seq = async || at.store.seq(&at.owner).await.unwrap();
    let (first, second) =
        (add(at, 1, "meals", json!({"n": 1})).await, add(at, 1, "meals", json!({"n": 2})).await);
    let start = seq().await;
    assert!(changed_rows(at, start).await.is_empty());
    add(at, 2, "books", json!({"n": 9})).await;
    assert!(changed_rows(at, start).await.is_empty(), "rows of another table are not listed");
    let third = add(at, 3, "meals", json!({"n": 3})).await;
    let meanwhile = seq().await;
    at.write(vec![update("meals", first, json!({"n": 10}))]).await;
    at.write(vec![Change::DeleteRecord { table: "meals".into(), record: second }]).await;
    let expected = vec![(first, Some(json!(10))), (second, None)];
    assert_eq!(changed_rows(at, meanwhile).await, expected);
    assert_eq!(changed_rows(at, start).await, [expected, vec![(third, Some(json!(3)))]].concat());
    assert_eq!(
        changed_rows(at, Seq::ZERO).await,
        [(first, Some(json!(10))), (third, Some(json!(3)))]
    );
    assert!(changed_rows(at, seq().await).await.is_empty());
}

pub async fn a_row_whose_memory_changed_is_returned_with_the_status_of_the_memory(
    at: &StoreFixture,
) {
    let memory = at.remember("ate pizza").await;
    let data = fields(json!({"n": 1}));
    let row = Change::AddRecord {
        table: "meals".into(),
        description: None,
        data,
        memory: Some(Ref::Id(memory)),
    };
    let ChangeResult::Record(id) = at.apply(row).await else { panic!("expected a row") };
    let changes_since = async |since| {
        at.store.record_changes(&at.owner, "meals", since, RecordId(0), 9).await.unwrap()
    };
    let since = at.store.seq(&at.owner).await.unwrap();
    assert_eq!(changes_since(Seq::ZERO).await[0].memory, Some(Status::Active));
    at.write(vec![Change::SetStatus { memory: Ref::Id(memory), status: Status::Retired }]).await;
    let changes = changes_since(since).await;
    assert_eq!((changes.len(), changes[0].id, changes[0].memory), (1, id, Some(Status::Retired)));
    let since = at.store.seq(&at.owner).await.unwrap();
    at.write(vec![Change::Forget { memories: vec![memory] }]).await;
    assert_eq!(changes_since(since).await, [RecordChange { id, record: None, memory: None }]);
}

pub async fn changed_rows_are_paged_by_id(at: &StoreFixture) {
    let rows = limits::PAGE_ITEMS + 5;
    at.write((0..rows).map(|n| record("meals", json!({"n": n}))).collect()).await;
    add(at, 1, "meals", json!({"n": -1})).await;
    for since in [Seq::ZERO, Seq(1)] {
        let (mut after, mut seen) = (RecordId(0), 0);
        loop {
            let page = at
                .store
                .record_changes(&at.owner, "meals", since, after, usize::MAX)
                .await
                .unwrap();
            assert!(
                page.len() <= limits::PAGE_ITEMS && page.iter().all(|change| change.id > after)
            );
            let Some(last) = page.last() else { break };
            (after, seen) = (last.id, seen + page.len());
        }
        assert_eq!(seen, if since == Seq::ZERO { rows + 1 } else { 1 });
    }
}

pub async fn a_malformed_row_is_refused(at: &StoreFixture) {
    for data in [json!({}), json!({"_id": 1}), json!({"": 1})] {
        let code = at.refusal_code(vec![record("meals", data.clone())]).await;
        assert_eq!(code, ErrorCode::InvalidArgument, "{data}");
    }
    assert!(
        at.store.tables(&at.owner).await.unwrap().is_empty(),
        "no table appears for a refused row"
    );
}

pub async fn a_row_of_an_unknown_memory_is_refused(at: &StoreFixture) {
    let stray = Change::AddRecord {
        table: "meals".into(),
        description: None,
        data: fields(json!({"food": "pizza"})),
        memory: Some(Ref::Id(model::MemoryId(987_654))),
    };
    assert_eq!(at.refusal_code(vec![stray]).await, ErrorCode::NotFound);
}

pub async fn a_row_of_another_table_is_not_touched(at: &StoreFixture) {
    let meal = add(at, 1, "meals", json!({"n": 1})).await;
    add(at, 1, "books", json!({"n": 1})).await;
    at.write(vec![update("meals", meal, json!({"n": 2}))]).await;
    assert_eq!(read(at, "books", meal).await.unwrap().data, fields(json!({"n": 1})));
    at.write(vec![Change::DeleteRecord { table: "meals".into(), record: meal }]).await;
    assert!(read(at, "books", meal).await.is_some());
}

pub async fn a_column_is_as_narrow_as_its_values(at: &StoreFixture) {
    let kind = async || table(at, "meals").await.columns[0].kind;
    let first = add(at, 1, "meals", json!({"kcal": "500"})).await;
    add(at, 1, "meals", json!({"kcal": "1,200"})).await;
    assert_eq!(kind().await, ColumnType::IntegerText);
    let odd = add(at, 2, "meals", json!({"kcal": "about 500"})).await;
    assert_eq!(kind().await, ColumnType::Text);
    at.write(vec![update("meals", odd, json!({"kcal": "5.5"}))]).await;
    assert_eq!(kind().await, ColumnType::NumberText);
    at.write(vec![Change::DeleteRecord { table: "meals".into(), record: odd }]).await;
    assert_eq!(kind().await, ColumnType::IntegerText);
    assert_eq!(read(at, "meals", first).await.unwrap().data, fields(json!({"kcal": "500"})));
}
